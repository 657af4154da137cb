import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import { meetsPhotoFileNameRule } from "../domain/rules/photo-file-rule.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import {
  fileExistsError,
  fileStorageError,
  moveIntoPlace,
  requireFreeFileSpace,
  withScratchFolder,
} from "../files/durable-files.ts";
import { masterKeyFilePath } from "../secrets/master-key.ts";
import {
  copySqliteDatabase,
  countSqliteRowsByTable,
  findSqliteIntegrityProblems,
  openSqliteForReading,
  photoFileNamesInSqlite,
  sqliteSchemaVersion,
} from "../store/sqlite/inspect-sqlite-database.ts";
import { explainSqliteError } from "../store/sqlite/sqlite-errors.ts";
import {
  requireRepairableSqliteDefinitions,
  requireSqliteTablesAndColumns,
} from "../store/sqlite/sqlite-schema-repair.ts";
import {
  type ArchiveMember,
  backupMemberContentOfFile,
  readBackupArchive,
  writeBackupArchive,
} from "./backup-archive.ts";
import { DATABASE, FORMAT_VERSION, KEY, MANIFEST, type Manifest, UPLOADS } from "./backup-manifest.ts";
import { backupPassphraseEncryption, type PassphraseEncryption } from "./backup-passphrase-encryption.ts";
import { type KeptPhotos, runBackupWithDeletedPhotos } from "./photos-kept-during-backup.ts";

type BackupRequest = {
  dataDir: string;
  databaseFile: string;
  /** The file to write; must not exist. */
  file: string;
  passphrase: string | undefined;
  /** True to include the data folder's key file, if there is one. */
  includeKey: boolean;
  productVersion: string;
  now: Instant;
};

type BackupFile = { file: string; bytes: number; encrypted: boolean; manifest: Manifest };

/**
 * Writes a backup of a data folder, with or without a running server, and verifies it before it gets its final name.
 * Blocks the process while SQLite copies. A failure leaves no files.
 */
export async function createBackup(request: BackupRequest): Promise<BackupFile> {
  const { file, databaseFile, passphrase } = request;
  if (existsSync(file)) throw fileExistsError(file);
  if (!existsSync(databaseFile))
    throw new OperatorError(
      `Database not found: ${databaseFile}`,
      "Specify the data folder with --data-dir, or its configuration with --config.",
    );
  const folder = dirname(file);
  if (!existsSync(folder)) throw new OperatorError(`Folder not found: ${folder}`, "Create it first.");
  // Room for the copy and for the archive, which is at most as large as its content.
  requireFreeFileSpace(folder, 2 * statSync(databaseFile).size, "the backup");
  const scratch = join(folder, `.${basename(file)}.partial`);
  const write = async (photos: KeptPhotos) => {
    const copy = join(scratch, DATABASE);
    const copied = copyChecked(databaseFile, copy);
    const archive = join(scratch, "archive");
    const lock = backupPassphraseEncryption(passphrase);
    const { manifest, members } = await writeMembers(archive, () => collect(copied, copy, photos, request), {
      lock,
      mtime: new Date(request.now),
    });
    await readBack(archive, members, lock);
    moveIntoPlace(archive, file);
    return { file, bytes: statSync(file).size, encrypted: passphrase !== undefined, manifest };
  };
  const { dataDir, now } = request;
  return await withScratchFolder(scratch, () => runBackupWithDeletedPhotos(dataDir, now, write)).catch(
    (error) => {
      throw fileStorageError(error, folder);
    },
  );
}

type Collected = { manifest: Manifest; members: ArchiveMember[] };

/**
 * Writes the members to an archive. Photos that could not be kept may be removed meanwhile, which the copied database still
 * has: the members are then collected and written again without them, since the manifest, which counts them, comes first.
 */
async function writeMembers(
  archive: string,
  collectAgain: () => Collected,
  options: Parameters<typeof writeBackupArchive>[2],
): Promise<Collected> {
  for (let attempt = 1; ; attempt++) {
    const collected = collectAgain();
    try {
      await writeBackupArchive(archive, collected.members, options);
      return collected;
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !isDeletedPhoto(error)) throw error;
      rmSync(archive, { force: true });
      await Bun.sleep(attempt * PAUSE_MS);
    }
  }
}

/** Together half a minute, in which a purge deletes thousands of photos. */
const MOST_ATTEMPTS = 12;
const PAUSE_MS = 500;

function isDeletedPhoto(error: unknown): boolean {
  const { code, path } = error as NodeJS.ErrnoException;
  return code === "ENOENT" && path !== undefined && meetsPhotoFileNameRule(basename(path));
}

type Copied = Pick<Manifest, "schema_version" | "counts"> & { uploads: readonly string[] };

/** Copies the database and checks the integrity of the copy. */
function copyChecked(databaseFile: string, copy: string): Copied {
  const source = openSqliteForReading(databaseFile);
  try {
    // The copy is temporary: the archive that contains it is made durable.
    source.run("PRAGMA synchronous = OFF");
    copySqliteDatabase(source, copy);
  } catch (error) {
    throw explainSqliteError(error, databaseFile);
  } finally {
    source.close();
  }
  const db = openSqliteForReading(copy);
  try {
    const problems = findSqliteIntegrityProblems(db, "quick");
    if (problems.length > 0)
      throw new OperatorError(
        `${databaseFile} is damaged: ${problems[0]}`,
        "No backup was written. Run `mainstay doctor --full` for details, and restore the last good backup.",
      );
    requireSqliteTablesAndColumns(db, databaseFile);
    requireRepairableSqliteDefinitions(copy, databaseFile);
    return {
      schema_version: sqliteSchemaVersion(db),
      counts: countSqliteRowsByTable(db),
      uploads: photoFileNamesInSqlite(db),
    };
  } catch (error) {
    throw explainSqliteError(error, copy);
  } finally {
    db.close();
  }
}

function collect(copied: Copied, copy: string, photos: KeptPhotos, request: BackupRequest): Collected {
  const uploads = copied.uploads.flatMap((name) => {
    const bytes = photos.bytesOf(name);
    return bytes === undefined
      ? []
      : [{ name: UPLOADS + name, bytes, content: () => photos.contentOf(name) }];
  });
  const key = request.includeKey ? readKey(request.dataDir) : undefined;
  const manifest: Manifest = {
    format: "mainstay-backup",
    format_version: FORMAT_VERSION,
    product_version: request.productVersion,
    schema_version: copied.schema_version,
    created_at: isoTextOfInstant(request.now),
    key_included: key !== undefined,
    database_bytes: statSync(copy).size,
    uploads: uploads.length,
    uploads_bytes: uploads.reduce((sum, { bytes }) => sum + bytes, 0),
    uploads_missing: copied.uploads.length - uploads.length,
    counts: copied.counts,
  };
  const members: ArchiveMember[] = [
    inMemory(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)),
    { name: DATABASE, bytes: manifest.database_bytes, content: backupMemberContentOfFile(copy) },
    ...(key ? [inMemory(KEY, key)] : []),
    ...uploads,
  ];
  return { manifest, members };
}

const inMemory = (name: string, content: Buffer): ArchiveMember => ({
  name,
  bytes: content.length,
  content: () => [content],
});

function readKey(dataDir: string): Buffer | undefined {
  const path = masterKeyFilePath(dataDir);
  return existsSync(path) ? readFileSync(path) : undefined;
}

/** Reads the whole archive from the disk and compares its members and checksums with what was written. */
async function readBack(
  archive: string,
  members: readonly ArchiveMember[],
  lock: PassphraseEncryption | undefined,
): Promise<void> {
  let next = 0;
  for await (const { name, bytes, content } of readBackupArchive(archive, lock)) {
    const expected = members[next++];
    let read = 0;
    for await (const chunk of content) read += chunk.length;
    if (name !== expected?.name || bytes !== expected.bytes || read !== bytes)
      throw new OperatorError(
        `the backup could not be verified: ${name} differs from what was written`,
        "No backup was written. Check the disk.",
      );
  }
  if (next !== members.length)
    throw new OperatorError(
      "the backup could not be verified: members are missing",
      "No backup was written. Check the disk.",
    );
}
