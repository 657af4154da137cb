import { resolve } from "node:path";
import { readBackupPassphrase } from "../../backup/read-backup-passphrase.ts";
import { OperatorError } from "../../domain/errors.ts";
import { fileSizeWording } from "../../domain/wording/file-size-wording.ts";
import { BUILD } from "../../server/server-build-info.ts";
import { serverDatabaseFile } from "../../server/server-data-folder.ts";
import { defineCommand, requiredCommandArgument, switchOption, textOption } from "../command.ts";
import { requireCommandInstallation } from "../command-installation.ts";

export const backupCommand = defineCommand({
  description:
    "Writes a tar archive compressed with Zstandard. With a passphrase, from --passphrase-file or backup.passphrase " +
    "(MAINSTAY_BACKUP__PASSPHRASE), it is encrypted in the age format. The backup is read back and verified before it " +
    "gets its final name. An existing file is never overwritten. The server may be running.",
  arguments: { file: requiredCommandArgument("the backup file to write") },
  options: {
    passphraseFile: textOption("FILE", "file with the passphrase on one line"),
    noKey: switchOption("exclude the key file; a restore then needs --key"),
  },
  examples: [
    "mainstay backup /mnt/backups/mainstay-2026-01-31.backup",
    "mainstay backup /mnt/backups/mainstay.backup --passphrase-file /etc/mainstay/backup-passphrase",
  ],
  async run(context, { file }, { passphraseFile, noKey }) {
    const { config, cwd, now, lowerPriority, print } = context;
    requireCommandInstallation(context);
    if (config.storage.url !== "") throw usePostgresTools();
    const { createBackup } = await import("../../backup/create-backup.ts");
    const startedAt = performance.now();
    lowerPriority();
    const { dataDir } = config.storage;
    const backup = await createBackup({
      dataDir,
      databaseFile: serverDatabaseFile(dataDir),
      file: resolve(cwd, file),
      passphrase: readBackupPassphrase(passphraseFile, config.backup.passphrase),
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
        `Backup written and verified: ${backup.file}, ${fileSizeWording(bytes)} (${(durationMs / 1000).toFixed(1)} s).`,
        `Contains ${manifest.counts.components ?? 0} components and ${manifest.uploads} uploads.`,
        encrypted
          ? "The backup is encrypted. It cannot be restored without the passphrase."
          : "The backup is NOT encrypted. Anyone who can read the file has all data (mode 0600: owner only).",
        manifest.key_included
          ? "The key file is included."
          : "The key file is NOT included. Keep a copy of mainstay.key: a restore needs it (--key).",
        ...(manifest.uploads_missing > 0
          ? [`${manifest.uploads_missing} uploads recorded in the database are missing from the data folder.`]
          : []),
      ].join("\n"),
    );
  },
});

const usePostgresTools = () =>
  new OperatorError(
    "the data is in PostgreSQL, which has its own backup tools",
    "Use pg_dump --format=custom for a consistent copy, or pg_basebackup with WAL archiving (pgBackRest, Barman) for " +
      "point-in-time recovery. Store the key (mainstay.key or MAINSTAY_KEY) separately. " +
      "`mainstay move --to DIR` moves the data to a data folder.",
  );
