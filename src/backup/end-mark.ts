import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

/*
 * The end of a backup in the clear: a frame that Zstandard's tools pass over (RFC 8878 §3.1.2), with the SHA-256 of
 * all bytes before it. A decompressor alone doesn't miss the last bytes of a file that was cut short. An encrypted
 * backup needs none: every chunk of the age format is authenticated, and the last one is marked as such.
 */
const SKIPPABLE_FRAME_OF_32 = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const MARK_BYTES = SKIPPABLE_FRAME_OF_32.length + 32;

/** Appends the mark to a file that is complete but for it. */
export async function markEnd(file: string): Promise<void> {
  const digest = await digestOf(file, Number.POSITIVE_INFINITY);
  const handle = await open(file, "a");
  try {
    await handle.writeFile(Buffer.concat([SKIPPABLE_FRAME_OF_32, digest]));
  } finally {
    await handle.close();
  }
}

/** How many bytes stand before the mark; undefined when there is none, or one of other bytes. */
export async function bytesBeforeMark(file: string): Promise<number | undefined> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    if (size <= MARK_BYTES) return undefined;
    const { buffer } = await handle.read(Buffer.alloc(MARK_BYTES), 0, MARK_BYTES, size - MARK_BYTES);
    const expected = Buffer.concat([SKIPPABLE_FRAME_OF_32, await digestOf(file, size - MARK_BYTES)]);
    return buffer.equals(expected) ? size - MARK_BYTES : undefined;
  } finally {
    await handle.close();
  }
}

async function digestOf(file: string, bytes: number): Promise<Buffer> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { end: bytes - 1, highWaterMark: 1 << 20 }))
    hash.update(chunk);
  return hash.digest();
}
