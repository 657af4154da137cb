import { asText, type ReadMember, readArchive } from "./archive.ts";
import { DATABASE, damaged, KEY, MANIFEST, type Manifest, parseManifest } from "./manifest.ts";
import type { PassphraseLock } from "./passphrase-lock.ts";

const UPLOAD_NAME = /^uploads\/[\dA-Za-z][\w.-]*$/;
/** More than any manifest, and more than any key file. */
const MANIFEST_BYTES = 1 << 20;
const KEY_BYTES = 1024;
/** A header, the filling of the last block, and the line of the checksums. */
const AROUND_A_MEMBER = 2048;

/** Whether a member beside the manifest may have that name, which becomes a path. */
export function isMemberName(name: string): boolean {
  return name === DATABASE || name === KEY || UPLOAD_NAME.test(name);
}

/**
 * Reads a backup to its end and puts nothing on the disk: every member is there and as long as the manifest says, and
 * every byte is the one that was written. Returns the manifest; throws an OperatorError.
 */
export async function inspectBackup(file: string, lock: PassphraseLock | undefined): Promise<Manifest> {
  let tally: Tally | undefined;
  const bound = { bytes: MANIFEST_BYTES };
  for await (const member of readArchive(file, lock, bound)) {
    if (tally) {
      tally.add(member);
      for await (const _ of member.content);
      continue;
    }
    if (member.name !== MANIFEST) throw damaged(file, `it does not begin with ${MANIFEST}`);
    const manifest = parseManifest(await asText(member.content), file);
    tally = new Tally(manifest, file);
    const content = manifest.database_bytes + manifest.uploads_bytes + KEY_BYTES + MANIFEST_BYTES;
    bound.bytes = content + (manifest.uploads + 8) * AROUND_A_MEMBER;
  }
  if (!tally) throw damaged(file, "it is empty");
  tally.end();
  return tally.manifest;
}

/** Whether the members are those of the manifest, by their names and sizes before a byte of them is read. */
class Tally {
  #hasDatabase = false;
  #hasKey = false;
  #uploads = 0;
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
    this.#uploads++;
    this.#bytes += bytes;
    const fits = this.#uploads <= this.manifest.uploads && this.#bytes <= this.manifest.uploads_bytes;
    if (!UPLOAD_NAME.test(name) || !fits)
      throw damaged(
        this.file,
        `it has a member ${JSON.stringify(name)} of ${bytes} bytes, which its ${MANIFEST} does not say`,
      );
  }

  end(): void {
    const { uploads, uploads_bytes, key_included } = this.manifest;
    if (!this.#hasDatabase) throw damaged(this.file, "it has no database");
    if (this.#uploads !== uploads || this.#bytes !== uploads_bytes || this.#hasKey !== key_included)
      throw damaged(this.file, `it has other members than its ${MANIFEST} says`);
  }
}
