import { setPriority } from "node:os";
import { resolve } from "node:path";
import { BUILD } from "../../app/build-info.ts";
import { databaseFile } from "../../app/data-folder.ts";
import { readPassphrase } from "../../backup/passphrase.ts";
import { OperatorError } from "../../domain/errors.ts";
import { inMegabytes } from "../../files.ts";
import { command, flag, required, text } from "../command.ts";
import { requireInstallation } from "../installation.ts";

/** Nice: a server beside this process goes first. */
const LOW_PRIORITY = 10;

export const backupCommand = command({
  description:
    "The file is a tar archive compressed with Zstandard, encrypted in the age format when there is a passphrase: " +
    "that of --passphrase-file, else backup.passphrase (MAINSTAY_BACKUP__PASSPHRASE). It is read back and checked " +
    "before it gets its name; a file that is there already is never overwritten.",
  arguments: { file: required("where the backup goes") },
  options: {
    passphraseFile: text("FILE", "file whose one line is the passphrase"),
    noKey: flag("leave the key file out; restoring then needs --key"),
  },
  examples: [
    "mainstay backup /mnt/backups/mainstay-2026-01-31.backup",
    "mainstay backup /mnt/backups/mainstay.backup --passphrase-file /etc/mainstay/backup-passphrase",
  ],
  async run(context, { file }, { passphraseFile, noKey }) {
    const { config, cwd, now, print } = context;
    requireInstallation(context);
    if (config.storage.url !== "") throw takenByPostgres();
    const { createBackup } = await import("../../backup/create-backup.ts");
    const startedAt = performance.now();
    setPriority(LOW_PRIORITY);
    const { dataDir } = config.storage;
    const backup = await createBackup({
      dataDir,
      databaseFile: databaseFile(dataDir),
      file: resolve(cwd, file),
      passphrase: readPassphrase(passphraseFile, config.backup.passphrase),
      includeKey: !noKey,
      productVersion: BUILD.version,
      now: now(),
    });
    const { manifest, bytes, encrypted } = backup;
    const durationMs = Math.round(performance.now() - startedAt);
    print(
      {
        file: backup.file,
        bytes,
        encrypted,
        key_included: manifest.key_included,
        created_at: manifest.created_at,
        schema_version: manifest.schema_version,
        uploads: manifest.uploads,
        uploads_missing: manifest.uploads_missing,
        counts: manifest.counts,
        duration_ms: durationMs,
      },
      [
        `Backup written and checked: ${backup.file}, ${inMegabytes(bytes)} (${(durationMs / 1000).toFixed(1)} s).`,
        `Holds ${manifest.counts.components ?? 0} components, ${manifest.uploads} uploads.`,
        encrypted
          ? "It is encrypted; without the passphrase nobody can restore it."
          : "It is NOT encrypted: whoever can read it has all data. Only its owner may (mode 0600).",
        manifest.key_included
          ? "It holds the key file."
          : "It holds NO key file: keep mainstay.key elsewhere; restoring needs it (--key).",
        ...(manifest.uploads_missing > 0
          ? [`${manifest.uploads_missing} uploads that the database speaks of are not in the data folder.`]
          : []),
      ].join("\n"),
    );
  },
});

const takenByPostgres = () =>
  new OperatorError(
    "the data is in PostgreSQL, which has its own tools for backups",
    "pg_dump --format=custom copies the database as it is at one moment; pg_basebackup with an archive of the log " +
      "brings back any moment (or pgBackRest, Barman, which run both). Keep the key, mainstay.key or MAINSTAY_KEY, apart " +
      "from them. `mainstay move --to DIR` makes a data folder of it.",
  );

export const restoreCommand = command({
  description:
    "The data folder (--data-dir) must not be there yet, or be empty. A backup of an older version is brought up to " +
    "date by the next start.",
  arguments: { file: required("the backup") },
  options: {
    passphraseFile: text("FILE", "file whose one line is the passphrase; backup.passphrase when not given"),
    key: text("FILE", "the key file, for a backup that was made with --no-key"),
  },
  examples: ["mainstay restore /mnt/backups/mainstay.backup --data-dir /var/lib/mainstay"],
  async run({ config, cwd, env, print }, { file }, { passphraseFile, key }) {
    const { restoreBackup } = await import("../../backup/restore-backup.ts");
    const startedAt = performance.now();
    const { dataDir } = config.storage;
    const restored = await restoreBackup({
      file: resolve(cwd, file),
      dataDir,
      passphrase: readPassphrase(passphraseFile, config.backup.passphrase),
      keyFile: key && resolve(cwd, key),
      env,
    });
    const { manifest, pendingMigrations } = restored;
    const durationMs = Math.round(performance.now() - startedAt);
    print(
      {
        data_dir: dataDir,
        created_at: manifest.created_at,
        product_version: manifest.product_version,
        schema_version: manifest.schema_version,
        pending_migrations: pendingMigrations,
        key: restored.key,
        uploads: manifest.uploads,
        uploads_missing: manifest.uploads_missing,
        counts: manifest.counts,
        duration_ms: durationMs,
      },
      [
        `Restored the backup of ${manifest.created_at} to ${dataDir}: checked, and ready to be served.`,
        `Holds ${manifest.counts.components ?? 0} components, ${manifest.uploads} uploads.`,
        ...(pendingMigrations > 0
          ? [`The next start brings its schema up to date (${pendingMigrations} steps).`]
          : []),
        `Start with: mainstay serve --data-dir ${dataDir}`,
      ].join("\n"),
    );
  },
});
