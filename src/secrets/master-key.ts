import { hkdfSync } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import type { FillRandom } from "../domain/ids.ts";
import { syncPath } from "../files.ts";

/** The 32 bytes that every other key is derived from. It seals what must be read back and signs bearer tokens. */
export type MasterKey = Uint8Array & { readonly __brand: "MasterKey" };

/** What a derived key is for. A key of one purpose says nothing of another's. */
export type KeyPurpose = "seal" | "tokens" | "acting" | "check";

const LINE = /^mainstay-key-v1:([A-Za-z\d_-]{43})$/;
const GROUP_AND_OTHERS = 0o077;

export function keyFilePath(dataDir: string): string {
  return join(dataDir, "mainstay.key");
}

/** Whether the environment gives the key, so that the data folder needs none. */
export function keyIsInEnvironment(env: KeyEnvironment): boolean {
  return env.MAINSTAY_KEY !== undefined || env.MAINSTAY_KEY_FILE !== undefined;
}

export type KeyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The installation's key: MAINSTAY_KEY (the key file's line itself), else the file that MAINSTAY_KEY_FILE names, else
 * the data folder's key file.
 * @throws OperatorError when it is missing, malformed, or readable by others.
 */
export function loadMasterKey({ dataDir, env }: { dataDir: string; env: KeyEnvironment }): MasterKey {
  const { MAINSTAY_KEY: text, MAINSTAY_KEY_FILE: file } = env;
  if (text !== undefined && file !== undefined) {
    throw new OperatorError("MAINSTAY_KEY and MAINSTAY_KEY_FILE are both set", "keep one of them");
  }
  if (text !== undefined) return parseMasterKey(text, "MAINSTAY_KEY");
  const path = file === undefined ? keyFilePath(dataDir) : resolve(file);
  return parseMasterKey(readKeyFile(path), path);
}

/**
 * Makes the data folder's key file unless there is one; says whether it did. Of several processes that do this at
 * the same moment one makes the file, whole and at mode 0600, and the others leave it alone.
 */
export function createKeyFile(dataDir: string, fill: FillRandom): boolean {
  const path = keyFilePath(dataDir);
  const temporary = `${path}.${Buffer.from(fill(new Uint8Array(8))).toString("hex")}.tmp`;
  const key = Buffer.from(fill(new Uint8Array(32))).toString("base64url");
  writeDurably(temporary, `mainstay-key-v1:${key}\n`);
  try {
    // a rename would replace the file of a process that was faster; a link fails
    linkSync(temporary, path);
    syncPath(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The bytes of the key in `text`, one line as `createKeyFile` writes it. `origin` is how errors call the place. */
export function parseMasterKey(text: string, origin: string): MasterKey {
  const encoded = LINE.exec(text.trim())?.[1];
  if (!encoded) {
    throw new OperatorError(
      `${origin} holds no Mainstay key`,
      'a key is one line, "mainstay-key-v1:" and 43 characters; restore it from a backup',
    );
  }
  return new Uint8Array(Buffer.from(encoded, "base64url")) as MasterKey;
}

/** 32 bytes for one purpose, by HKDF-SHA256. */
export function deriveKey(master: MasterKey, purpose: KeyPurpose): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hkdfSync("sha256", master, new Uint8Array(), `mainstay/v1/${purpose}`, 32));
}

/** Tells whether two have the same key, and nothing else of it. */
export function keyCheckOf(master: MasterKey): string {
  return Buffer.from(deriveKey(master, "check")).toString("base64url");
}

function readKeyFile(path: string): string {
  try {
    const { mode } = statSync(path);
    // Windows keeps access rights elsewhere and reports every file as readable by all
    if (process.platform !== "win32" && (mode & GROUP_AND_OTHERS) !== 0) {
      throw new OperatorError(`the key file ${path} can be read by others`, `run: chmod 600 ${path}`);
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") throw new OperatorError(`the key file ${path} can't be read (${code})`);
    throw new OperatorError(
      `there is no key file ${path}`,
      "`mainstay init` makes one for a new data folder; for an old one, restore the file from a backup; for one of several servers, copy another's",
    );
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
