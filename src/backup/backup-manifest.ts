import { OperatorError, UnreadableBackup } from "../domain/errors.ts";
import { type } from "../validation/arktype-validators.ts";

/*
 * The format of a backup file: a tar archive, compressed with Zstandard, and encrypted in the age format if there is a
 * passphrase, so that `age -d FILE | zstd -d | tar -x` unpacks it without Mainstay. Its members, in this order:
 *
 *   manifest.json   the manifest, defined below
 *   mainstay.db     the database, checked
 *   mainstay.key    the key file, unless excluded
 *   uploads/…       the uploaded files that the database references
 *   SHA256SUMS      the checksums of the other members, for `sha256sum -c`
 *
 * An unencrypted backup ends with a checksum of the whole file (`backup-trailing-checksum.ts`).
 */
export const MANIFEST = "manifest.json";
export const DATABASE = "mainstay.db";
export const KEY = "mainstay.key";
export const UPLOADS = "uploads/";
export const CHECKSUMS = "SHA256SUMS";

export const FORMAT_VERSION = 1;

const manifestShape = type({
  format: "'mainstay-backup'",
  format_version: "number.integer",
  product_version: "string",
  schema_version: "number.integer",
  created_at: "string",
  /** True if the key file is among the members. */
  key_included: "boolean",
  database_bytes: "number.integer >= 0",
  /** The number of files under uploads/, and of files that the database references but the folder lacks. */
  uploads: "number.integer >= 0",
  uploads_bytes: "number.integer >= 0",
  uploads_missing: "number.integer",
  /** The number of rows by table. */
  counts: { "[string]": "number.integer" },
});

export type Manifest = typeof manifestShape.infer;

/** Parses the manifest of a backup. Throws an OperatorError if the backup is from a newer version. */
export function parseBackupManifest(text: string, file: string): Manifest {
  const read = readJson(text);
  const version = (read as { format_version?: unknown } | undefined)?.format_version;
  if (typeof version === "number" && version > FORMAT_VERSION)
    throw new OperatorError(
      `${file} was written by a newer version of Mainstay: format ${version}, while this version supports up to ${FORMAT_VERSION}`,
      "Restore it with the newer executable.",
    );
  const manifest = manifestShape(read);
  if (manifest instanceof type.errors) throw damagedBackupError(file, `its ${MANIFEST} is invalid`);
  return manifest;
}

/** Returns the error for a file that is no complete backup; `detail` says why. */
export function damagedBackupError(file: string, detail: string): UnreadableBackup {
  return new UnreadableBackup(
    `${file} is damaged or not a backup: ${detail}`,
    "Nothing was restored. Use another backup.",
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
