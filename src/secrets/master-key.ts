import { hkdfSync } from "node:crypto";
import { linkSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import type { FillRandom } from "../domain/ids/record-ids.ts";
import { createFile, readRegularFile, syncPath } from "../files/durable-files.ts";

/** The 32 bytes from which all other keys are derived. */
export type MasterKey = Uint8Array & { readonly __brand: "MasterKey" };

/** The purpose of a derived key. `seal` encrypts secrets, `acting` signs impersonation tokens, `check` compares keys. */
type KeyPurpose = "seal" | "tokens" | "acting" | "check";

const LINE = /^mainstay-key-v1:([A-Za-z\d_-]{43})$/;
const GROUP_AND_OTHERS = 0o077;

/** Returns the path of the key file in a data folder. */
export function masterKeyFilePath(dataDir: string): string {
  return join(dataDir, "mainstay.key");
}

/** Returns whether the environment provides the key, so that the data folder needs no key file. */
export function isMasterKeyProvided(env: KeyEnvironment): boolean {
  return env.MAINSTAY_KEY !== undefined || env.MAINSTAY_KEY_FILE !== undefined;
}

export type KeyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the key of the installation: from MAINSTAY_KEY (the line of a key file), else from the file at
 * MAINSTAY_KEY_FILE, else from the key file of the data folder. Throws an OperatorError if it is missing, malformed, or
 * readable by other users.
 */
export function loadMasterKey({ dataDir, env }: { dataDir: string; env: KeyEnvironment }): MasterKey {
  const { MAINSTAY_KEY: text, MAINSTAY_KEY_FILE: file } = env;
  if (text !== undefined && file !== undefined) {
    throw new OperatorError("MAINSTAY_KEY and MAINSTAY_KEY_FILE are both set", "Unset one of them.");
  }
  if (text !== undefined) return parseMasterKey(text, "MAINSTAY_KEY");
  const path = file === undefined ? masterKeyFilePath(dataDir) : resolve(file);
  return parseMasterKey(readKeyFile(path), path);
}

/**
 * Creates the key file of the data folder, at mode 0600, and returns whether it did. Does nothing if the file exists. If
 * several processes do this at the same time, one of them creates the complete file.
 */
export function createMasterKeyFile(dataDir: string, fill: FillRandom): boolean {
  const path = masterKeyFilePath(dataDir);
  const temporary = `${path}.${Buffer.from(fill(new Uint8Array(8))).toString("hex")}.tmp`;
  const key = Buffer.from(fill(new Uint8Array(32))).toString("base64url");
  createFile(temporary, `mainstay-key-v1:${key}\n`);
  try {
    // A rename would replace the file of a faster process; a link fails.
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

/** Parses the line of a key file. `origin` names the file or variable in errors. */
export function parseMasterKey(text: string, origin: string): MasterKey {
  const encoded = LINE.exec(text.trim())?.[1];
  if (!encoded) {
    throw new OperatorError(
      `${origin} does not contain a Mainstay key`,
      'A key is a line with "mainstay-key-v1:" and 43 characters. Restore it from a backup.',
    );
  }
  return new Uint8Array(Buffer.from(encoded, "base64url")) as MasterKey;
}

/** Returns the 32-byte key for one purpose, derived by HKDF-SHA256. */
export function deriveSecretKey(master: MasterKey, purpose: KeyPurpose): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hkdfSync("sha256", master, new Uint8Array(), `mainstay/v1/${purpose}`, 32));
}

/** Returns a value that is equal for equal keys and reveals nothing else about the key. */
export function masterKeyCheckOf(master: MasterKey): string {
  return Buffer.from(deriveSecretKey(master, "check")).toString("base64url");
}

function readKeyFile(path: string): string {
  try {
    const { mode } = statSync(path);
    // On Windows the mode does not reflect access rights.
    if (process.platform !== "win32" && (mode & GROUP_AND_OTHERS) !== 0) {
      throw new OperatorError(`the key file ${path} is readable by other users`, `Run: chmod 600 ${path}`);
    }
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") throw new OperatorError(`cannot read the key file ${path} (${code})`);
    throw new OperatorError(
      `key file not found: ${path}`,
      "For a new data folder, run `mainstay init`. For an existing one, restore the file from a backup. For one of several servers, copy the file of another.",
    );
  }
}
