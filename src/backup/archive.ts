import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import { createTarDecoder, createTarPacker } from "modern-tar";
import { OperatorError } from "../domain/errors.ts";
import { bytesBeforeMark, markEnd } from "./end-mark.ts";
import { CHECKSUMS, damaged, MANIFEST } from "./manifest.ts";
import type { PassphraseLock } from "./passphrase-lock.ts";

/** A member to put into an archive: exactly `bytes` of `content`. */
export type Member = {
  name: string;
  bytes: number;
  content: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
};

/** A member as it is read: its content must be taken whole before the next one. */
export type ReadMember = { name: string; bytes: number; content: AsyncIterable<Uint8Array> };

const CHUNK = 1 << 20;
/** The fastest: higher levels gain little on a database, and the machine is serving meanwhile. */
const COMPRESSION = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
const AGE_HEADER = "age-encryption.org/v1\n";
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Writes the members and, last, their checksums to a new file at mode 0600. Holds a few megabytes at a time. */
export async function writeArchive(
  file: string,
  members: readonly Member[],
  { lock, mtime }: { lock: PassphraseLock | undefined; mtime: Date },
): Promise<void> {
  const tar = createTarPacker();
  const zstd = createZstdCompress({ params: COMPRESSION });
  const compressing = pipeline(Readable.fromWeb(tar.readable as unknown as WebStream), zstd);
  // Its failure is the failure of what reads from it; on its own it must not end the process.
  compressing.catch(() => {});
  const packing = pack(tar.controller, members, mtime).catch((error) => {
    tar.controller.error(error);
    throw error;
  });
  const writing = writeOut(file, zstd, lock);
  // The first to fail is the cause; the others only fail with it.
  await Promise.all([packing, writing]).finally(() => Promise.allSettled([packing, writing, compressing]));
}

async function writeOut(file: string, compressed: Readable, lock: PassphraseLock | undefined): Promise<void> {
  const target = createWriteStream(file, { flags: "wx", mode: 0o600, highWaterMark: CHUNK });
  if (lock === undefined) {
    await pipeline(compressed, target);
    return await markEnd(file);
  }
  const encrypter = new Encrypter();
  encrypter.addRecipient(lock);
  const encrypted = await encrypter.encrypt(asWeb(compressed));
  await pipeline(Readable.fromWeb(encrypted as unknown as WebStream), target);
}

type TarController = ReturnType<typeof createTarPacker>["controller"];

async function pack(tar: TarController, members: readonly Member[], mtime: Date): Promise<void> {
  let checksums = "";
  const add = async ({ name, bytes, content }: Member) => {
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

/** The content of a file, for a member. */
export const contentOf = (path: string) => () =>
  createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Uint8Array>;

/** How many bytes an archive may come to when it is decompressed; may be changed while it is read. */
export type Bound = { bytes: number };

/**
 * The members of an archive in order, the checksums left out after they were compared. Throws an OperatorError when
 * the file is none, is encrypted with another passphrase, differs in a byte from what was written, or comes to more
 * than the bound.
 */
export async function* readArchive(
  file: string,
  lock: PassphraseLock | undefined,
  bound: Bound = { bytes: Number.POSITIVE_INFINITY },
): AsyncGenerator<ReadMember, void> {
  const plain = await decrypted(file, lock);
  const unpacked = plain.compose(createZstdDecompress()).compose(within(bound, file));
  const tar = Readable.toWeb(unpacked as Readable) as unknown as ReadableStream<Uint8Array>;
  const found: string[] = [];
  let checksums: string | undefined;
  try {
    for await (const { header, body } of asIterable(tar.pipeThrough(createTarDecoder({ strict: true })))) {
      if (checksums !== undefined || header.type !== "file") throw damaged(file, "it has members of no kind");
      const content = asIterable(body as unknown as ReadableStream<Uint8Array>);
      if (header.name === CHECKSUMS) {
        checksums = await asText(content);
        continue;
      }
      const hash = createHash("sha256");
      yield { name: header.name, bytes: header.size, content: hashing(content, hash) };
      found.push(`${hash.digest("hex")}  ${header.name}\n`);
    }
  } catch (error) {
    throw asOperatorError(error, file);
  }
  if (checksums === undefined) throw damaged(file, "its end is missing");
  if (checksums !== found.join("")) throw damaged(file, "its content is not what its checksums say");
}

async function decrypted(file: string, lock: PassphraseLock | undefined): Promise<Readable> {
  const head = await firstBytes(file);
  if (head.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC)) {
    const bytes = await bytesBeforeMark(file);
    if (bytes === undefined)
      throw damaged(file, "its content is not what its end says, or its end is missing");
    return createReadStream(file, { end: bytes - 1, highWaterMark: CHUNK });
  }
  if (!head.toString("latin1").startsWith(AGE_HEADER))
    throw new OperatorError(`${file} is no backup of Mainstay`, "Name a file that `mainstay backup` wrote.");
  if (lock === undefined)
    throw new OperatorError(
      `${file} is encrypted`,
      "Name the file that holds its passphrase with --passphrase-file.",
    );
  const decrypter = new Decrypter();
  decrypter.addIdentity(lock);
  try {
    const stream = await decrypter.decrypt(asWeb(createReadStream(file, { highWaterMark: CHUNK })));
    return Readable.fromWeb(stream as unknown as WebStream);
  } catch {
    throw new OperatorError(
      `${file} can't be opened: the passphrase is not the one that it was encrypted with, or the file is damaged`,
      "Give the passphrase that was in force when it was made.",
    );
  }
}

/** Lets so many bytes pass and no more: a few kilobytes may be made to come to gigabytes. */
function within(bound: Bound, file: string) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > bound.bytes) throw damaged(file, `it comes to more than its ${MANIFEST} says`);
      yield chunk;
    }
  };
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new OperatorError(`there is no file ${file}`, "Check the path.");
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function* hashing(content: AsyncIterable<Uint8Array>, hash: { update(chunk: Uint8Array): unknown }) {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** What a decoder says of bytes that were altered or cut. Errors of the machine, such as EIO, stay what they are. */
function asOperatorError(error: unknown, file: string): unknown {
  if (error instanceof OperatorError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && code !== undefined) return error;
  return damaged(file, error instanceof Error ? error.message : String(error));
}

export async function asText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

const asWeb = (stream: Readable) => Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>;

/** Web streams can be iterated over, which the DOM's types don't know. */
const asIterable = <T>(stream: ReadableStream<T>) => stream as unknown as AsyncIterable<T>;
