import { databaseFile } from "../app/data-folder.ts";
import { configPlaces } from "../config/load.ts";
import { OperatorError } from "../domain/errors.ts";
import { hasDatabase, refuseRemains } from "../store/sqlite/remains.ts";
import type { Context } from "./context.ts";

type Where = Pick<Context, "config" | "cwd" | "root">;

/**
 * Throws an OperatorError that says where it looked unless there is an installation: only `init`, `serve`, `demo` and
 * `restore` make one (in a database `migrate` and `move` too), so that a command in the wrong folder does not go to work on an empty one.
 */
export function requireInstallation(where: Where): void {
  const { dataDir, url } = where.config.storage;
  // Whether it is there is seen when it is opened.
  if (url !== "") return;
  const file = databaseFile(dataDir);
  if (hasDatabase(file)) return;
  refuseRemains(file);
  throw new OperatorError(
    `there is no installation in ${dataDir}: it has no mainstay.db`,
    `${whereLooked(where)} Name the right one by --config or --data-dir, or make one with \`mainstay init\`.`,
  );
}

/** What to do about an empty database. */
export const whenEmpty = (where: Where): string =>
  `${whereLooked(where)} Name the right database in storage.url, or make an installation in this one with ` +
  "`mainstay migrate`, or by starting a server on it; `mainstay move --to-file` brings a data folder there.";

/** Which configuration led to the data folder, in a sentence. */
export function whereLooked({ config, cwd, root }: Where): string {
  if (config.file !== undefined) return `The configuration is ${config.file}.`;
  return `No configuration was named, and none is at ${configPlaces({ cwd, root }).join(" or ")}.`;
}
