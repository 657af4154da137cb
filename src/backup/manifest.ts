import { OperatorError } from "../domain/errors.ts";
import { type } from "../shapes.ts";

/*
 * What a backup file is: a tar archive, compressed with Zstandard, and encrypted in the age format when there is a
 * passphrase, so that `age -d FILE | zstd -d | tar -x` opens one without Mainstay. Its members, in this order:
 *
 *   manifest.json   what follows, below
 *   mainstay.db     the database, checked
 *   mainstay.key    the key file, unless it was left out
 *   uploads/…       the uploaded files that the database speaks of
 *   SHA256SUMS      a line for each member before it, as `sha256sum -c` takes them
 *
 * A backup in the clear ends in a mark with the checksum of the whole file (`end-mark.ts`).
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
  /** Whether the key file is among the members. */
  key_included: "boolean",
  database_bytes: "number.integer >= 0",
  /** Files under uploads/, and those that the database speaks of and the folder lacked. */
  uploads: "number.integer >= 0",
  uploads_bytes: "number.integer >= 0",
  uploads_missing: "number.integer",
  /** Rows by table. */
  counts: { "[string]": "number.integer" },
});

export type Manifest = typeof manifestShape.infer;

/** Reads the manifest of a file that has been found to be a backup. Throws an OperatorError when it is from a newer version. */
export function parseManifest(text: string, file: string): Manifest {
  const read = readJson(text);
  const version = (read as { format_version?: unknown } | undefined)?.format_version;
  if (typeof version === "number" && version > FORMAT_VERSION)
    throw new OperatorError(
      `${file} was written by a newer version of Mainstay: it has format ${version}, this version knows ${FORMAT_VERSION}`,
      "Restore it with the newer executable.",
    );
  const manifest = manifestShape(read);
  if (manifest instanceof type.errors) throw damaged(file, `its ${MANIFEST} is not as it should be`);
  return manifest;
}

export function damaged(file: string, detail: string): OperatorError {
  return new OperatorError(
    `${file} is damaged, or no backup: ${detail}`,
    "Nothing was restored. Use another backup; `mainstay restore` checks one whole before it puts anything in place.",
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
