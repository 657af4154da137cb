import { resolve } from "node:path";
import { readBackupPassphrase } from "../../backup/read-backup-passphrase.ts";
import { defineCommand, requiredCommandArgument, textOption } from "../command.ts";

export const restoreCommand = defineCommand({
  description:
    "The data folder (--data-dir) must be empty or not exist. The next start migrates the schema of a backup from an " +
    "older version.",
  arguments: { file: requiredCommandArgument("the backup") },
  options: {
    passphraseFile: textOption("FILE", "file with the passphrase on one line (default: backup.passphrase)"),
    key: textOption("FILE", "the key file, for a backup written with --no-key"),
  },
  examples: ["mainstay restore /mnt/backups/mainstay.backup --data-dir /var/lib/mainstay"],
  async run({ config, cwd, env, print }, { file }, { passphraseFile, key }) {
    const { restoreBackup } = await import("../../backup/restore-backup.ts");
    const startedAt = performance.now();
    const { dataDir } = config.storage;
    const restored = await restoreBackup({
      file: resolve(cwd, file),
      dataDir,
      passphrase: readBackupPassphrase(passphraseFile, config.backup.passphrase),
      keyFile: key && resolve(cwd, key),
      env,
    });
    const { manifest, pendingMigrations, repairs } = restored;
    const durationMs = Math.round(performance.now() - startedAt);
    print(
      {
        data_dir: dataDir,
        created_at: manifest.created_at,
        product_version: manifest.product_version,
        schema_version: manifest.schema_version,
        pending_migrations: pendingMigrations,
        key: restored.key,
        schema_repairs: repairs,
        uploads: manifest.uploads,
        uploads_missing: manifest.uploads_missing,
        counts: manifest.counts,
        duration_ms: durationMs,
      },
      [
        `Restored the backup of ${manifest.created_at} to ${dataDir} and verified it.`,
        `Contains ${manifest.counts.components ?? 0} components and ${manifest.uploads} uploads.`,
        ...repairs.map((repair) => `The schema differed from that of Mainstay: ${repair}.`),
        ...(pendingMigrations > 0 ? [`The next start runs ${pendingMigrations} schema migrations.`] : []),
        `Start with: mainstay serve --data-dir ${dataDir}`,
      ].join("\n"),
    );
  },
});
