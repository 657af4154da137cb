import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

/*
 * The trailing checksum of an unencrypted backup: a skippable Zstandard frame (RFC 8878 §3.1.2) with the SHA-256 of all
 * bytes before it. A decompressor alone does not detect every truncation. An encrypted backup needs no checksum: every
 * chunk of the age format is authenticated, and the last one is marked as such.
 */
const SKIPPABLE_FRAME_OF_32 = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const CHECKSUM_BYTES = SKIPPABLE_FRAME_OF_32.length + 32;

/** Appends the checksum to an otherwise complete file. */
export async function appendBackupChecksum(file: string): Promise<void> {
  const digest = await digestOf(file, Number.POSITIVE_INFINITY);
  const handle = await open(file, "a");
  try {
    await handle.writeFile(Buffer.concat([SKIPPABLE_FRAME_OF_32, digest]));
  } finally {
    await handle.close();
  }
}

/** Returns the number of bytes before the checksum; undefined if it is missing or does not match. */
export async function verifyBackupChecksum(file: string): Promise<number | undefined> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    if (size <= CHECKSUM_BYTES) return undefined;
    const { buffer } = await handle.read(
      Buffer.alloc(CHECKSUM_BYTES),
      0,
      CHECKSUM_BYTES,
      size - CHECKSUM_BYTES,
    );
    const expected = Buffer.concat([SKIPPABLE_FRAME_OF_32, await digestOf(file, size - CHECKSUM_BYTES)]);
    return buffer.equals(expected) ? size - CHECKSUM_BYTES : undefined;
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
