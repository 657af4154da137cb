import { defaultConfigFiles } from "../config/load-config.ts";
import { OperatorError } from "../domain/errors.ts";
import { serverDatabaseFile } from "../server/server-data-folder.ts";
import { hasSqliteContent, refuseLeftoverSqliteFiles } from "../store/sqlite/leftover-sqlite-files.ts";
import type { CommandContext } from "./command-context.ts";

type Where = Pick<CommandContext, "config" | "cwd" | "root">;

/**
 * Checks that there is an installation, so that a command in the wrong folder does not silently use an empty one. Only
 * `init`, `serve`, `demo` and `restore` create one (in PostgreSQL also `migrate` and `move`).
 * @throws OperatorError with the places that were searched.
 */
export function requireCommandInstallation(where: Where): void {
  const { dataDir, url } = where.config.storage;
  // A PostgreSQL database is checked when it is opened.
  if (url !== "") return;
  const file = serverDatabaseFile(dataDir);
  if (hasSqliteContent(file)) return;
  refuseLeftoverSqliteFiles(file);
  throw new OperatorError(
    `no installation in ${dataDir}: mainstay.db not found`,
    `${commandConfigurationText(where)} Specify it with --config or --data-dir, or create one with \`mainstay init\`.`,
  );
}

/** Returns the remedy for an empty database. */
export const commandRemedyForEmptyDatabase = (where: Where): string =>
  `${commandConfigurationText(where)} Set storage.url to the right database, create an installation in this one with ` +
  "`mainstay migrate` or by starting a server, or move a data folder into it with `mainstay move --to-file`.";

/** Returns a sentence that names the configuration in use. */
export function commandConfigurationText({ config, cwd, root }: Where): string {
  if (config.file !== undefined) return `Using configuration ${config.file}.`;
  return `Using default settings: no configuration specified, and none found at ${defaultConfigFiles({ cwd, root }).join(" or ")}.`;
}
