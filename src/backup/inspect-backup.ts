import { type ReadMember, readBackupArchive, readBackupArchiveText } from "./backup-archive.ts";
import {
  DATABASE,
  damagedBackupError,
  KEY,
  MANIFEST,
  type Manifest,
  parseBackupManifest,
} from "./backup-manifest.ts";
import type { PassphraseEncryption } from "./backup-passphrase-encryption.ts";

const UPLOAD_NAME = /^uploads\/[\dA-Za-z][\w.-]*$/;
/** Upper bounds of the sizes of a manifest and a key file. */
const MANIFEST_BYTES = 1 << 20;
const KEY_BYTES = 1024;
/** The overhead of a member: its header, the padding of its last block, and its checksum line. */
const MEMBER_OVERHEAD = 2048;

/** Returns true if a member other than the manifest may have this name, which becomes a path. */
export function isBackupMemberName(name: string): boolean {
  return name === DATABASE || name === KEY || UPLOAD_NAME.test(name);
}

/**
 * Verifies a whole backup without writing to the disk: members, sizes and checksums. Returns the manifest.
 * @throws OperatorError if the backup is damaged.
 */
export async function inspectBackup(file: string, lock: PassphraseEncryption | undefined): Promise<Manifest> {
  let counts: Counts | undefined;
  const bound = { bytes: MANIFEST_BYTES };
  for await (const member of readBackupArchive(file, lock, bound)) {
    if (counts) {
      counts.add(member);
      for await (const _ of member.content);
      continue;
    }
    if (member.name !== MANIFEST) throw damagedBackupError(file, `it does not start with ${MANIFEST}`);
    const manifest = parseBackupManifest(await readBackupArchiveText(member.content), file);
    counts = new Counts(manifest, file);
    const content = manifest.database_bytes + manifest.uploads_bytes + KEY_BYTES + MANIFEST_BYTES;
    bound.bytes = content + (manifest.uploads + 8) * MEMBER_OVERHEAD;
  }
  if (!counts) throw damagedBackupError(file, "it is empty");
  counts.end();
  return counts.manifest;
}

/** Compares the names and sizes of members with the manifest, before their content is read. */
class Counts {
  #hasDatabase = false;
  #hasKey = false;
  readonly #uploads = new Set<string>();
  #bytes = 0;

  constructor(
    readonly manifest: Manifest,
    private readonly file: string,
  ) {}

  add({ name, bytes }: ReadMember): void {
    if (name === DATABASE && !this.#hasDatabase && bytes === this.manifest.database_bytes) {
      this.#hasDatabase = true;
      return;
    }
    if (name === KEY && !this.#hasKey && this.manifest.key_included && bytes <= KEY_BYTES) {
      this.#hasKey = true;
      return;
    }
    const isKnown = this.#uploads.has(name);
    this.#uploads.add(name);
    this.#bytes += bytes;
    const fits = this.#uploads.size <= this.manifest.uploads && this.#bytes <= this.manifest.uploads_bytes;
    if (!UPLOAD_NAME.test(name) || isKnown || !fits)
      throw damagedBackupError(
        this.file,
        `it has an unexpected member ${JSON.stringify(name)} of ${bytes} bytes`,
      );
  }

  end(): void {
    const { uploads, uploads_bytes, key_included } = this.manifest;
    if (!this.#hasDatabase) throw damagedBackupError(this.file, "it has no database");
    if (this.#uploads.size !== uploads || this.#bytes !== uploads_bytes || this.#hasKey !== key_included)
      throw damagedBackupError(this.file, `its members differ from its ${MANIFEST}`);
  }
}
