import { userInfo } from "node:os";
import { type DataFolder, openDataFolder } from "../app/data-folder.ts";
import type { Administration } from "../usecases/partners.ts";
import type { Context } from "./context.ts";
import { requireInstallation } from "./installation.ts";

/** Opens the data folder, which must be there, for one command and closes it afterwards, whatever happens. */
export async function withData<T>(context: Context, run: (folder: DataFolder) => Promise<T>): Promise<T> {
  requireInstallation(context);
  const { config, env, now, random } = context;
  const folder = openDataFolder({ config, env, clock: now, random });
  try {
    return await run(folder);
  } finally {
    await folder.store.close();
  }
}

/** As `withData`, for commands that administer partners: the audit log names the user who ran them. */
export async function withAdministration<T>(
  context: Context,
  run: (administration: Administration) => Promise<T>,
): Promise<T> {
  const actor = actorOf(context);
  // A server beside this process sees the change by itself.
  const changed = () => {};
  return await withData(context, ({ store, sealer }) =>
    run({ store, sealer, random: context.random, actor, changed }),
  );
}

/** Whom the audit log names for what this command does. */
export const actorOf = (context: Pick<Context, "env">) => `cli:${userName(context)}`;

/** Who runs the command, as the system calls them; behind sudo, who asked for it. */
export function userName({ env }: Pick<Context, "env">): string {
  return env.SUDO_USER ?? env.USER ?? env.USERNAME ?? systemUser();
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown"; // a container's user id need not have a name
  }
}
