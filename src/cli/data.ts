import { type DataFolder, openDataFolder } from "../data-folder.ts";
import type { Administration } from "../usecases/partners.ts";
import type { Context } from "./context.ts";

/** Opens the data folder for one command and closes it afterwards, whatever happens. */
export async function withData<T>(
  { config, env, now, random }: Context,
  run: (folder: DataFolder) => Promise<T>,
): Promise<T> {
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
  const actor = `cli:${context.env.SUDO_USER ?? context.env.USER ?? context.env.USERNAME ?? "unknown"}`;
  return await withData(context, ({ store, sealer }) =>
    run({ store, sealer, random: context.random, actor }),
  );
}
