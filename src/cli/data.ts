import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { type DataFolder, openDataFolder } from "../app/data-folder.ts";
import { OperatorError } from "../domain/errors.ts";
import { ACTING_PASS, actingPasses } from "../secrets/acting-pass.ts";
import type { SqliteStoreOptions } from "../store/sqlite/store.ts";
import type { Administration } from "../usecases/partners.ts";
import type { Context } from "./context.ts";
import { requireInstallation, whenEmpty } from "./installation.ts";

type StoreChoices = Pick<SqliteStoreOptions, "mapsFile" | "purging">;

/** Opens the data folder, in which or in whose database there must be an installation, for one command and closes it afterwards, whatever happens. */
export async function withData<T>(
  context: Context,
  run: (folder: DataFolder) => Promise<T>,
  options: StoreChoices = {},
): Promise<T> {
  requireInstallation(context);
  const { config, env, now, random } = context;
  const folder = await openDataFolder({
    config,
    env,
    clock: now,
    random,
    whenEmpty: whenEmpty(context),
    ...options,
  });
  const { store } = folder;
  try {
    return await run(folder);
  } catch (error) {
    // The database may go at any time, and what a query failed with has the values that it was asked with.
    throw store.isShared ? store.explain(error) : error;
  } finally {
    await store.close();
  }
}

/**
 * As `withData`, for commands that administer partners: the audit log names the user who ran them, or the administrator
 * for whom the server has started this one.
 */
export async function withAdministration<T>(
  context: Context,
  run: (administration: Administration) => Promise<T>,
  options: StoreChoices = {},
): Promise<T> {
  // A server beside this process sees the change by itself.
  const changed = () => {};
  return await withData(
    context,
    ({ store, sealer, masterKey }) => {
      const actor = administratorOf(context, masterKey) ?? actorOf(context);
      return run({ store, sealer, random: context.random, actor, changed });
    },
    options,
  );
}

/** The administrator in whose name the server has started this command; undefined for one that a user runs. */
function administratorOf({ env, now }: Context, masterKey: DataFolder["masterKey"]): string | undefined {
  const pass = env[ACTING_PASS];
  if (pass === undefined) return undefined;
  const administrator = actingPasses(masterKey).verify(pass, now());
  if (administrator !== undefined) return administrator;
  throw new OperatorError(
    `${ACTING_PASS} holds no pass of this server`,
    "Unset it: only the server itself sets it.",
  );
}

/**
 * Whom the audit log names for what this command does: the user by whose right it runs, whatever the environment says,
 * with the id, such as `cli:mainstay(998)`. Behind sudo, whom that names is added: `cli:root(0) for alice(1000)`.
 */
export function actorOf({ env }: Pick<Context, "env">): string {
  const asked = env.SUDO_UID;
  const behind = asked !== undefined && /^\d{1,10}$/.test(asked) ? ` for ${named(Number(asked))}` : "";
  const uid = process.getuid?.();
  return `cli:${uid === undefined ? (env.USERNAME ?? "unknown") : named(uid)}${behind}`;
}

/** The same for whoever waits for what this command does, on whichever machine. */
export const whoRuns = ({ env }: Pick<Context, "env">): string => `${actorOf({ env })} on ${hostname()}`;

/** The name of the user by whose right the command runs. */
export function userName({ env }: Pick<Context, "env">): string {
  const uid = process.getuid?.();
  return (uid === undefined ? env.USERNAME : nameOf(uid)) ?? "an operator";
}

const named = (uid: number) => `${nameOf(uid) ?? ""}(${uid})`;

/** From the list of users, since the runtime takes the environment's word. A container's user need not be in it. */
function nameOf(uid: number): string | undefined {
  try {
    const users = readFileSync("/etc/passwd", "utf8").split("\n");
    return users.map((line) => line.split(":")).find((user) => user[2] === String(uid))?.[0];
  } catch {
    return undefined;
  }
}
