import { migrateServerDatabase } from "../../server/server-data-folder.ts";
import { lockServerDataFolderForMigration } from "../../server/server-instance-lock.ts";
import { defineCommand } from "../command.ts";
import { requireCommandInstallation } from "../command-installation.ts";

export const migrateCommand = defineCommand({
  async run(context) {
    requireCommandInstallation(context);
    const { config, env, now, random } = context;
    const steps = await migrateServerDatabase({
      config,
      env,
      clock: now,
      random,
      lockBeforeMigration: lockServerDataFolderForMigration,
    });
    const applied = steps.map(({ name }) => name);
    context.print(
      { applied },
      applied.length === 0 ? "The schema is up to date." : `Applied: ${applied.join(", ")}`,
    );
  },
});
