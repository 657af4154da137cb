import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { clusterClockOffset, isClusterClockOffsetTooLarge } from "../cluster/cluster-server.ts";
import { OperatorError } from "../domain/errors.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { IMPERSONATION_TOKEN_VARIABLE, impersonationTokens } from "../secrets/impersonation-token.ts";
import { type DataFolder, openServerDataFolder } from "../server/server-data-folder.ts";
import type { SqliteStoreOptions } from "../store/sqlite/sqlite-store.ts";
import type { Store } from "../store/store.ts";
import type { AdminUseCaseDeps } from "../usecases/partners/create-partner-and-credentials.ts";
import type { CommandContext } from "./command-context.ts";
import { commandRemedyForEmptyDatabase, requireCommandInstallation } from "./command-installation.ts";

type StoreChoices = Pick<SqliteStoreOptions, "mapsFile" | "purging">;
type DataChoices = StoreChoices & {
  /** Also runs where the machine's clock differs from that of a shared database: what the command reports depends on neither. */
  acceptsAnyClock?: boolean;
};

/**
 * Opens the data folder or its database, runs `run` and closes it again, also when `run` fails.
 * @throws OperatorError if there is no installation, if its schema is not that of this version, or if the clock is wrong.
 */
export async function withCommandData<T>(
  context: CommandContext,
  run: (folder: DataFolder) => Promise<T>,
  { acceptsAnyClock = false, ...options }: DataChoices = {},
): Promise<T> {
  requireCommandInstallation(context);
  const { config, env, now, random } = context;
  const folder = await openServerDataFolder({
    config,
    env,
    clock: now,
    random,
    whenEmpty: commandRemedyForEmptyDatabase(context),
    requiresCurrentSchema: true,
    ...options,
  });
  const { store } = folder;
  try {
    if (store.isShared && !acceptsAnyClock) await requireDatabaseClock(store, now);
    return await run(folder);
  } catch (error) {
    // A database server or a disk may fail at any time, and the raw error of a query contains its parameters.
    throw store.explain(error);
  } finally {
    await store.close();
  }
}

/** Throws an OperatorError if this machine's clock is not that of the database, by which servers date what they write. */
async function requireDatabaseClock({ read }: Pick<Store, "read">, now: () => Instant): Promise<void> {
  const before = now();
  const database = await read.clock.databaseNow();
  const offMs = clusterClockOffset(before, now(), database);
  if (!isClusterClockOffsetTooLarge(offMs)) return;
  throw new OperatorError(
    `this machine's clock (${isoTextOfInstant(now())}) differs from the database's (${isoTextOfInstant(database)}) by ${Math.round(Math.abs(offMs) / 1000)} s`,
    "Synchronize both with NTP, and run the command again. Nothing was changed.",
  );
}

/**
 * Runs a command that administers partners. The audit log names the user who ran it, or the administrator on whose
 * behalf the server started it.
 */
export async function withCommandAdministration<T>(
  context: CommandContext,
  run: (administration: AdminUseCaseDeps) => Promise<T>,
  options: StoreChoices = {},
): Promise<T> {
  // A running server detects the change on its own.
  const changed = () => {};
  return await withCommandData(
    context,
    ({ store, encryptor, masterKey }) => {
      const actor = administratorOf(context, masterKey) ?? auditActorOfCommand(context);
      return run({ store, encryptor, random: context.random, actor, changed });
    },
    options,
  );
}

/** Returns the administrator on whose behalf the server started this command; undefined if a user runs it. */
function administratorOf(
  { env, now }: CommandContext,
  masterKey: DataFolder["masterKey"],
): string | undefined {
  const pass = env[IMPERSONATION_TOKEN_VARIABLE];
  if (pass === undefined) return undefined;
  const administrator = impersonationTokens(masterKey).verify(pass, now());
  if (administrator !== undefined) return administrator;
  throw new OperatorError(
    `${IMPERSONATION_TOKEN_VARIABLE} has no valid token of this server`,
    "Unset it: only the server itself sets it.",
  );
}

/**
 * Returns the actor that the audit log names: the effective user with its id, such as `cli:mainstay(998)`, whatever the
 * environment claims. Under sudo, the invoking user is added: `cli:root(0) for alice(1000)`.
 */
export function auditActorOfCommand({ env }: Pick<CommandContext, "env">): string {
  const asked = env.SUDO_UID;
  const behind = asked !== undefined && /^\d{1,10}$/.test(asked) ? ` for ${named(Number(asked))}` : "";
  const uid = process.getuid?.();
  return `cli:${uid === undefined ? (env.USERNAME ?? "unknown") : named(uid)}${behind}`;
}

/** Returns the actor and the machine, for messages to other processes that wait for this command. */
export const commandActorOnMachine = ({ env }: Pick<CommandContext, "env">): string =>
  `${auditActorOfCommand({ env })} on ${hostname()}`;

/** Returns the name of the effective user. */
export function osUserOfCommand({ env }: Pick<CommandContext, "env">): string {
  const uid = process.getuid?.();
  return (uid === undefined ? env.USERNAME : nameOf(uid)) ?? "an operator";
}

const named = (uid: number) => `${nameOf(uid) ?? ""}(${uid})`;

/** Looks the user up in /etc/passwd, since the runtime trusts the environment. In a container it may be missing. */
function nameOf(uid: number): string | undefined {
  try {
    const users = readFileSync("/etc/passwd", "utf8").split("\n");
    return users.map((line) => line.split(":")).find((user) => user[2] === String(uid))?.[0];
  } catch {
    return undefined;
  }
}
