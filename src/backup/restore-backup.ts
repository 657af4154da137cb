import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { OperatorError } from "../domain/errors.ts";
import { placeFile, requireRoom, syncPath, toStorageError, withScratchFolder } from "../files.ts";
import {
  type KeyEnvironment,
  keyIsInEnvironment,
  loadMasterKey,
  type MasterKey,
  parseMasterKey,
} from "../secrets/master-key.ts";
import { sealer } from "../secrets/sealer.ts";
import {
  anySealedSecret,
  countRows,
  integrityProblems,
  missingMigrations,
  openForReading,
  uploadNames,
} from "../store/sqlite/inspect.ts";
import { switchToWal } from "../store/sqlite/open.ts";
import { asText, type ReadMember, readArchive } from "./archive.ts";
import { inspectBackup, isMemberName } from "./inspect-backup.ts";
import { DATABASE, damaged, KEY, MANIFEST, type Manifest, UPLOADS } from "./manifest.ts";
import { lockOf, type PassphraseLock } from "./passphrase-lock.ts";

export type RestoreRequest = {
  file: string;
  /** Must not be there yet, or be empty. */
  dataDir: string;
  passphrase: string | undefined;
  /** A key file, for a backup without one. */
  keyFile: string | undefined;
  env: KeyEnvironment;
};

export type Restored = {
  manifest: Manifest;
  /** Where the key came from that opens the database's secrets. */
  key: "backup" | "file" | "environment";
  /** Schema steps that the next start will apply. */
  pendingMigrations: number;
};

/**
 * Makes a data folder from a backup. Its sizes and checksums are checked before anything is unpacked; then everything
 * is unpacked into a scratch folder and checked there: the whole database, its counts, its version, and that the key
 * opens its secrets. Only then does it get the data folder's name. On failure nothing is left behind.
 */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  const { dataDir, file, passphrase } = request;
  const isThere = existsSync(dataDir);
  if (isThere && readdirSync(dataDir).length > 0) throw notEmpty(dataDir);
  if (!existsSync(file)) throw new OperatorError(`there is no file ${file}`, "Check the path.");
  const lock = lockOf(passphrase);
  const manifest = await inspectBackup(file, lock);
  const parent = dirname(dataDir);
  mkdirSync(parent, { recursive: true });
  // A folder that is there may be a mount point, or in a folder that only root may write to.
  const scratch = isThere ? join(dataDir, ".restoring") : join(parent, `.${basename(dataDir)}.restoring`);
  return await withScratchFolder(scratch, async () => {
    await unpack(file, lock, scratch, manifest);
    const checked = await check(request, scratch, manifest);
    if (isThere) moveInto(scratch, dataDir);
    else renameSync(scratch, dataDir);
    syncPath(parent);
    return { manifest, ...checked };
  }).catch((error) => {
    throw toStorageError(error, parent);
  });
}

function notEmpty(dataDir: string): OperatorError {
  return new OperatorError(
    `${dataDir} is not empty; it was not changed`,
    "Name a new folder with --data-dir, or move that one away first.",
  );
}

/** What has been inspected; a file that another process changes meanwhile still fails by its checksums. */
async function unpack(
  file: string,
  lock: PassphraseLock | undefined,
  scratch: string,
  { database_bytes, uploads_bytes }: Manifest,
): Promise<void> {
  requireRoom(scratch, database_bytes + uploads_bytes, "the restored data folder");
  for await (const member of readArchive(file, lock)) {
    if (member.name === MANIFEST) await asText(member.content);
    else await unpackMember(member, scratch, file);
  }
}

async function unpackMember({ name, content }: ReadMember, scratch: string, file: string): Promise<void> {
  if (!isMemberName(name)) throw damaged(file, `it has a member ${JSON.stringify(name)}`);
  const path = join(scratch, name);
  if (name.startsWith(UPLOADS)) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await pipeline(content, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  syncPath(path);
}

async function check(
  { file, keyFile, env }: RestoreRequest,
  scratch: string,
  manifest: Manifest,
): Promise<Pick<Restored, "key" | "pendingMigrations">> {
  const path = join(scratch, DATABASE);
  if (!existsSync(path)) throw damaged(file, "it has no database");
  const db = openForReading(path);
  try {
    const pendingMigrations = missingMigrations(db, `the database in ${file}`).length;
    const problems = integrityProblems(db, "full");
    if (problems.length > 0) throw damaged(file, `its database is not whole: ${problems[0]}`);
    if (!Bun.deepEquals(countRows(db), manifest.counts))
      throw damaged(file, `its database has other rows than its ${MANIFEST} counts`);
    const missing = uploadNames(db).filter((name) => !existsSync(join(scratch, UPLOADS, name))).length;
    if (missing !== manifest.uploads_missing) throw damaged(file, "uploaded files are missing in it");
    const key = await settleKey({ file, keyFile, env }, scratch, anySealedSecret(db));
    return { key, pendingMigrations };
  } finally {
    db.close();
    switchToWal(path);
  }
}

/** Sees to it that the restored folder has a key, and that it is the right one. */
async function settleKey(
  { file, keyFile, env }: Pick<RestoreRequest, "file" | "keyFile" | "env">,
  scratch: string,
  sealed: string | undefined,
): Promise<Restored["key"]> {
  const path = join(scratch, KEY);
  const origin = keyFile !== undefined ? "file" : existsSync(path) ? "backup" : "environment";
  let key: MasterKey;
  if (origin === "environment") {
    if (!keyIsInEnvironment(env))
      throw new OperatorError(
        `${file} holds no key file`,
        "Name the key file of the data folder that was backed up with --key.",
      );
    key = loadMasterKey({ dataDir: scratch, env });
  } else {
    const text = readFileSync(keyFile ?? path, "utf8");
    key = parseMasterKey(text, keyFile ?? `the key file in ${file}`);
    if (keyFile !== undefined) writeFileSync(path, `${text.trim()}\n`, { mode: 0o600 });
    syncPath(path);
  }
  if (sealed !== undefined)
    await sealer(key)
      .unseal(sealed)
      .catch(() => {
        throw new OperatorError(
          `the key ${keyFile ?? `from the ${origin}`} does not open the secrets of the database in ${file}`,
          "Give the key file of the data folder that was backed up.",
        );
      });
  return origin;
}

/** The key last: without it a server refuses to start, so that what a power cut leaves half-moved is never served. */
function moveInto(scratch: string, dataDir: string): void {
  if (readdirSync(dataDir).length > 1) throw notEmpty(dataDir);
  const uploads = join(scratch, UPLOADS);
  if (existsSync(uploads)) renameSync(uploads, join(dataDir, UPLOADS));
  for (const name of [DATABASE, KEY])
    if (existsSync(join(scratch, name))) placeFile(join(scratch, name), join(dataDir, name));
}
