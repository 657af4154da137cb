import { SQLiteError } from "bun:sqlite";
import { createWriteStream, existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { OperatorError, StorageError, UnreadableStorageError } from "../domain/errors.ts";
import { meetsPhotoFileNameRule } from "../domain/rules/photo-file-rule.ts";
import {
  fileStorageError,
  moveIntoPlace,
  readRegularFile,
  replaceFile,
  requireFreeFileSpace,
  syncPath,
  withScratchFolder,
} from "../files/durable-files.ts";
import { createEncryptor } from "../secrets/encryptor.ts";
import {
  isMasterKeyProvided,
  type KeyEnvironment,
  loadMasterKey,
  type MasterKey,
  parseMasterKey,
} from "../secrets/master-key.ts";
import {
  anyEncryptedSecretInSqlite,
  countSqliteRowsByTable,
  findSqliteIntegrityProblems,
  missingSqliteMigrations,
  openSqliteForReading,
  photoFileNamesInSqlite,
} from "../store/sqlite/inspect-sqlite-database.ts";
import { RESTORING_FOLDER } from "../store/sqlite/leftover-sqlite-files.ts";
import { switchSqliteToWal } from "../store/sqlite/open-sqlite.ts";
import { explainSqliteError } from "../store/sqlite/sqlite-errors.ts";
import {
  repairSqliteDefinitions,
  requireSqliteTablesAndColumns,
} from "../store/sqlite/sqlite-schema-repair.ts";
import { type ReadMember, readBackupArchive, readBackupArchiveText } from "./backup-archive.ts";
import { DATABASE, damagedBackupError, KEY, MANIFEST, type Manifest, UPLOADS } from "./backup-manifest.ts";
import { backupPassphraseEncryption, type PassphraseEncryption } from "./backup-passphrase-encryption.ts";
import { inspectBackup, isBackupMemberName } from "./inspect-backup.ts";

type RestoreRequest = {
  file: string;
  /** The data folder to create. Must be empty or not exist. */
  dataDir: string;
  passphrase: string | undefined;
  /** A key file, for a backup without one. */
  keyFile: string | undefined;
  env: KeyEnvironment;
};

type RestoredBackup = {
  manifest: Manifest;
  /** The source of the key that decrypts the database's secrets. */
  key: "backup" | "file" | "environment";
  /** The number of migrations that the next start will apply. */
  pendingMigrations: number;
  /** The changes that gave the database the indexes, triggers and views of its schema, for people. */
  repairs: readonly string[];
};

/**
 * Creates a data folder from a backup. Verifies sizes and checksums before it unpacks anything. Then unpacks everything
 * into a scratch folder and verifies the database, its row counts, its version, and that the key decrypts its secrets.
 * Only then moves it to the data folder. A failure leaves no files.
 */
export async function restoreBackup(request: RestoreRequest): Promise<RestoredBackup> {
  const { dataDir, file, passphrase } = request;
  const exists = existsSync(dataDir);
  if (exists && readdirSync(dataDir).length > 0) throw notEmptyError(dataDir);
  if (!exists && lstatSync(dataDir, { throwIfNoEntry: false }))
    throw new OperatorError(
      `${dataDir} is a symbolic link to a folder that does not exist`,
      "Create that folder, remove the link, or specify another folder with --data-dir.",
    );
  if (!existsSync(file)) throw new OperatorError(`File not found: ${file}`, "Check the path.");
  const lock = backupPassphraseEncryption(passphrase);
  const manifest = await inspectBackup(file, lock);
  const parent = dirname(dataDir);
  mkdirSync(parent, { recursive: true });
  // An existing folder may be a mount point, or its parent may be writable by root only.
  const scratch = exists ? join(dataDir, RESTORING_FOLDER) : join(parent, `.${basename(dataDir)}.restoring`);
  return await withScratchFolder(scratch, async () => {
    await unpack(file, lock, scratch, manifest);
    const checked = await check(request, scratch, manifest);
    if (exists) moveInto(scratch, dataDir);
    else renameSync(scratch, dataDir);
    syncPath(parent);
    return { manifest, ...checked };
  }).catch((error) => {
    throw fileStorageError(error, parent);
  });
}

function notEmptyError(dataDir: string): OperatorError {
  return new OperatorError(
    `${dataDir} is not empty; it was not changed`,
    "Specify a new folder with --data-dir, or move this one away first.",
  );
}

/** Unpacks an inspected backup. If another process changes the file meanwhile, its checksums do not match. */
async function unpack(
  file: string,
  lock: PassphraseEncryption | undefined,
  scratch: string,
  { database_bytes, uploads_bytes }: Manifest,
): Promise<void> {
  requireFreeFileSpace(scratch, database_bytes + uploads_bytes, "the restored data folder");
  for await (const member of readBackupArchive(file, lock)) {
    if (member.name === MANIFEST) await readBackupArchiveText(member.content);
    else await unpackMember(member, scratch, file);
  }
}

async function unpackMember({ name, content }: ReadMember, scratch: string, file: string): Promise<void> {
  if (!isBackupMemberName(name))
    throw damagedBackupError(file, `it has an unexpected member ${JSON.stringify(name)}`);
  const path = join(scratch, name);
  if (name.startsWith(UPLOADS)) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await pipeline(content, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  syncPath(path);
}

async function check(
  { file, keyFile, env }: RestoreRequest,
  scratch: string,
  manifest: Manifest,
): Promise<Omit<RestoredBackup, "manifest">> {
  const path = join(scratch, DATABASE);
  if (!existsSync(path)) throw damagedBackupError(file, "it has no database");
  const db = openSqliteForReading(path);
  try {
    const pendingMigrations = missingSqliteMigrations(db, `the database in ${file}`).length;
    const problems = findSqliteIntegrityProblems(db, "full");
    if (problems.length > 0) throw damagedBackupError(file, `its database is damaged: ${problems[0]}`);
    requireSqliteTablesAndColumns(db, `the database in ${file}`);
    if (!Bun.deepEquals(countSqliteRowsByTable(db), manifest.counts))
      throw damagedBackupError(file, `the row counts of its database differ from its ${MANIFEST}`);
    const photos = photoFileNamesInSqlite(db);
    const planted = photos.find((name) => !meetsPhotoFileNameRule(name));
    if (planted !== undefined)
      throw damagedBackupError(
        file,
        `its database has the photo ${JSON.stringify(planted)}, which is not a file name of a photo`,
      );
    const missing = photos.filter((name) => !existsSync(join(scratch, UPLOADS, name))).length;
    if (missing !== manifest.uploads_missing) throw damagedBackupError(file, "uploaded files are missing");
    const key = await installKey({ file, keyFile, env }, scratch, anyEncryptedSecretInSqlite(db));
    db.close();
    const repairs = repairSqliteDefinitions(path, `the database in ${file}`);
    switchSqliteToWal(path);
    return { key, pendingMigrations, repairs };
  } catch (error) {
    db.close();
    const explained = explainSqliteError(error, path);
    const isUnreadable = explained instanceof UnreadableStorageError || !(explained instanceof StorageError);
    if (error instanceof SQLiteError && isUnreadable)
      throw damagedBackupError(file, `its database cannot be read: ${error.message}`);
    throw explained;
  }
}

/** Installs the key in the restored folder and verifies that it decrypts the database's secrets. */
async function installKey(
  { file, keyFile, env }: Pick<RestoreRequest, "file" | "keyFile" | "env">,
  scratch: string,
  encrypted: string | undefined,
): Promise<RestoredBackup["key"]> {
  const path = join(scratch, KEY);
  const origin = keyFile !== undefined ? "file" : existsSync(path) ? "backup" : "environment";
  let key: MasterKey;
  if (origin === "environment") {
    if (!isMasterKeyProvided(env))
      throw new OperatorError(
        `${file} does not contain the key file`,
        "Specify the key file of the original data folder with --key.",
      );
    key = loadMasterKey({ dataDir: scratch, env });
  } else {
    const text = readRegularFile(keyFile ?? path).toString("utf8");
    key = parseMasterKey(text, keyFile ?? `the key file in ${file}`);
    if (keyFile !== undefined) await replaceFile(path, `${text.trim()}\n`);
    syncPath(path);
  }
  if (encrypted !== undefined)
    await createEncryptor(key)
      .decrypt(encrypted)
      .catch(() => {
        throw new OperatorError(
          `the key ${keyFile ?? `from the ${origin}`} does not decrypt the secrets of the database in ${file}`,
          "Specify the key file of the original data folder with --key.",
        );
      });
  return origin;
}

/** Moves the key last: a server does not start without it, so a move interrupted by power loss is never served. */
function moveInto(scratch: string, dataDir: string): void {
  if (readdirSync(dataDir).length > 1) throw notEmptyError(dataDir);
  const uploads = join(scratch, UPLOADS);
  if (existsSync(uploads)) renameSync(uploads, join(dataDir, UPLOADS));
  for (const name of [DATABASE, KEY])
    if (existsSync(join(scratch, name))) moveIntoPlace(join(scratch, name), join(dataDir, name));
}
