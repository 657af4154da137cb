import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { Readable, pipeline as startPipeline } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import { createTarDecoder, createTarPacker } from "modern-tar";
import { OperatorError, UnreadableBackup } from "../domain/errors.ts";
import { notRegularFile } from "../files/durable-files.ts";
import { CHECKSUMS, damagedBackupError, MANIFEST } from "./backup-manifest.ts";
import type { PassphraseEncryption } from "./backup-passphrase-encryption.ts";
import { appendBackupChecksum, verifyBackupChecksum } from "./backup-trailing-checksum.ts";

/** A file to write to an archive: exactly `bytes` bytes of `content`. */
export type ArchiveMember = {
  name: string;
  bytes: number;
  content: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
};

/** A file read from an archive. Its content must be consumed completely before the next member. */
export type ReadMember = { name: string; bytes: number; content: AsyncIterable<Uint8Array> };

const CHUNK = 1 << 20;
/** The fastest level: higher levels gain little on a database, and the server shares the CPU. */
const COMPRESSION = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
const AGE_HEADER = "age-encryption.org/v1\n";
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Writes the members and then their checksums to a new file with mode 0600. Uses a few megabytes of memory. */
export async function writeBackupArchive(
  file: string,
  members: readonly ArchiveMember[],
  { lock, mtime }: { lock: PassphraseEncryption | undefined; mtime: Date },
): Promise<void> {
  const tar = createTarPacker();
  const zstd = createZstdCompress({ params: COMPRESSION });
  const compressing = pipeline(Readable.fromWeb(tar.readable as unknown as WebStream), zstd);
  // Its error reaches the reader through the stream; an unhandled rejection would end the process.
  compressing.catch(() => {});
  const packing = pack(tar.controller, members, mtime).catch((error) => {
    tar.controller.error(error);
    throw error;
  });
  const writing = writeOut(file, zstd, lock);
  // Rejects with the first error, which caused the others, after all have settled.
  await Promise.all([packing, writing]).finally(() => Promise.allSettled([packing, writing, compressing]));
}

async function writeOut(
  file: string,
  compressed: Readable,
  lock: PassphraseEncryption | undefined,
): Promise<void> {
  const target = createWriteStream(file, { flags: "wx", mode: 0o600, highWaterMark: CHUNK });
  if (lock === undefined) {
    await pipeline(compressed, target);
    return await appendBackupChecksum(file);
  }
  const encrypter = new Encrypter();
  encrypter.addRecipient(lock);
  const encrypted = await encrypter.encrypt(asWeb(compressed));
  await pipeline(Readable.fromWeb(encrypted as unknown as WebStream), target);
}

type TarController = ReturnType<typeof createTarPacker>["controller"];

async function pack(tar: TarController, members: readonly ArchiveMember[], mtime: Date): Promise<void> {
  let checksums = "";
  const add = async ({ name, bytes, content }: ArchiveMember) => {
    const writer = tar.add({ name, size: bytes, mode: 0o600, mtime, type: "file" }).getWriter();
    const hash = createHash("sha256");
    for await (const chunk of content()) {
      hash.update(chunk);
      await writer.write(chunk);
    }
    await writer.close();
    checksums += `${hash.digest("hex")}  ${name}\n`;
  };
  for (const member of members) await add(member);
  const lines = Buffer.from(checksums);
  await add({ name: CHECKSUMS, bytes: lines.length, content: () => [lines] });
  tar.finalize();
}

/** Returns the content of a file as the content of a member. */
export const backupMemberContentOfFile = (path: string) => () =>
  createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Uint8Array>;

/** The maximum size of the decompressed archive. May change while the archive is read. */
type Bound = { bytes: number };

/**
 * Yields the members of an archive in order, without the checksums, which it verifies.
 * @throws OperatorError if the file is not a backup, is encrypted with another passphrase, was altered, or exceeds the
 * bound when decompressed.
 */
export async function* readBackupArchive(
  file: string,
  lock: PassphraseEncryption | undefined,
  bound: Bound = { bytes: Number.POSITIVE_INFINITY },
): AsyncGenerator<ReadMember, void> {
  const plain = await decrypted(file, lock);
  // The reader throws an error of these streams; the pipeline listens on each, since an error without a listener would
  // end the process.
  const unpacked = startPipeline(plain, createZstdDecompress(), limitedTo(bound, file), () => {});
  const tar = asWeb(unpacked as unknown as Readable);
  const found: string[] = [];
  let checksums: string | undefined;
  try {
    for await (const { header, body } of asIterable(tar.pipeThrough(createTarDecoder({ strict: true })))) {
      if (checksums !== undefined || header.type !== "file")
        throw damagedBackupError(file, "it has unexpected members");
      const content = asIterable(body as unknown as ReadableStream<Uint8Array>);
      if (header.name === CHECKSUMS) {
        checksums = await readBackupArchiveText(content);
        continue;
      }
      const hash = createHash("sha256");
      yield { name: header.name, bytes: header.size, content: hashing(content, hash, file) };
      found.push(`${hash.digest("hex")}  ${header.name}\n`);
    }
  } catch (error) {
    throw asOperatorError(error, file);
  }
  if (checksums === undefined) throw damagedBackupError(file, "its end is missing");
  if (checksums !== found.join(""))
    throw damagedBackupError(file, "its content does not match its checksums");
}

async function decrypted(file: string, lock: PassphraseEncryption | undefined): Promise<Readable> {
  const head = await firstBytes(file);
  if (head.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC)) {
    const bytes = await verifyBackupChecksum(file);
    if (bytes === undefined)
      throw damagedBackupError(
        file,
        "its content does not match its trailing checksum, or its end is missing",
      );
    return createReadStream(file, { end: bytes - 1, highWaterMark: CHUNK });
  }
  if (!head.toString("latin1").startsWith(AGE_HEADER))
    throw new UnreadableBackup(
      `${file} is not a Mainstay backup`,
      "Specify a file that `mainstay backup` wrote.",
    );
  if (lock === undefined)
    throw new OperatorError(
      `${file} is encrypted`,
      "Specify the file with its passphrase with --passphrase-file.",
    );
  const decrypter = new Decrypter();
  decrypter.addIdentity(lock);
  try {
    const stream = await decrypter.decrypt(asWeb(createReadStream(file, { highWaterMark: CHUNK })));
    return Readable.from(decryptedChunks(asIterable(stream), file), { objectMode: false });
  } catch {
    throw new UnreadableBackup(
      `cannot decrypt ${file}: the passphrase is wrong or the file is damaged`,
      "Use the passphrase that was set when the backup was written, or another backup.",
    );
  }
}

/** Replaces the decrypter's errors, which are about a part of the file, such as "invalid tag". */
async function* decryptedChunks(stream: AsyncIterable<Uint8Array>, file: string) {
  try {
    yield* stream;
  } catch (error) {
    throw isSystemError(error)
      ? error
      : damagedBackupError(file, "its encrypted content was changed or cut off");
  }
}

/** Passes data through up to the bound, against decompression bombs. */
function limitedTo(bound: Bound, file: string) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > bound.bytes) throw damagedBackupError(file, `it is larger than its ${MANIFEST} states`);
      yield chunk;
    }
  };
}

async function firstBytes(file: string): Promise<Buffer> {
  const status = statSync(file, { throwIfNoEntry: false });
  if (!status) throw new OperatorError(`File not found: ${file}`, "Check the path.");
  // It is read several times.
  if (!status.isFile()) throw notRegularFile(file);
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Damage that is found while a member's content is read reaches its reader, not the loop over the members. */
async function* hashing(
  content: AsyncIterable<Uint8Array>,
  hash: { update(chunk: Uint8Array): unknown },
  file: string,
) {
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw asOperatorError(error, file);
  }
}

/** Converts a decoder's error into one about a damaged file. System errors, such as EIO, are returned unchanged. */
function asOperatorError(error: unknown, file: string): unknown {
  if (error instanceof OperatorError) return error;
  if (isSystemError(error)) return error;
  return damagedBackupError(file, error instanceof Error ? error.message : String(error));
}

function isSystemError(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall !== undefined && code !== undefined;
}

/** Reads a member of the archive to its end, and returns it as UTF-8 text. */
export async function readBackupArchiveText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Converts a Node stream to a web stream. A reader that fails cancels the web stream, which destroys the Node stream
 * with the reader's error; without a listener, that error would end the process although the reader throws it, too.
 */
function asWeb(stream: Readable): ReadableStream<Uint8Array> {
  stream.on("error", () => {});
  return Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>;
}

/** Casts a web stream to an async iterable, which the DOM types do not declare. */
const asIterable = <T>(stream: ReadableStream<T>) => stream as unknown as AsyncIterable<T>;
