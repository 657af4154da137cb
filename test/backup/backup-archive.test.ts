import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { readBackupArchive, writeBackupArchive } from "../../src/backup/backup-archive.ts";
import { PassphraseEncryption } from "../../src/backup/backup-passphrase-encryption.ts";
import { appendBackupChecksum } from "../../src/backup/backup-trailing-checksum.ts";
import { OperatorError } from "../../src/domain/errors.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-archive-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Derives keys without the cost of a passphrase. */
const lock = new PassphraseEncryption("passphrase", async (passphrase, salt) =>
  createHash("sha256").update(passphrase).update(salt).digest(),
);
/** The age format authenticates the content in parts of this size, each with a tag of 16 bytes. */
const PART = 65_536 + 16;

let encrypted: Buffer;
/** The position of the first encrypted part: after the header and a nonce of 16 bytes. */
let content: number;
beforeAll(async () => {
  const file = join(folder, "whole.backup");
  const members = [
    { name: "manifest.json", bytes: 2, content: () => [Buffer.from("{}")] },
    { name: "mainstay.db", bytes: 400_000, content: () => [randomBytes(400_000)] },
  ];
  await writeBackupArchive(file, members, { lock, mtime: new Date(0) });
  encrypted = readFileSync(file);
  content = encrypted.indexOf("\n", encrypted.indexOf("\n---") + 1) + 1 + 16;
});

/** Reads all members of an archive, as a restore does, and returns their names. */
async function read(bytes: Buffer): Promise<string[]> {
  const file = join(folder, "read.backup");
  writeFileSync(file, bytes);
  const names: string[] = [];
  for await (const member of readBackupArchive(file, lock)) {
    for await (const _ of member.content);
    names.push(member.name);
  }
  return names;
}

test("an encrypted archive of many parts is read", async () => {
  expect(await read(encrypted)).toEqual(["manifest.json", "mainstay.db"]);
});

const parts = Array.from({ length: 7 }, (_, part) => part);
const flipped = (at: number) => {
  const bytes = Buffer.from(encrypted);
  bytes[at]! ^= 1;
  return bytes;
};

describe("an encrypted archive is reported as damaged, not as a bug,", () => {
  test.each(parts)("with a changed byte in part %i", async (part) => {
    const error = await read(flipped(Math.min(content + part * PART + 10, encrypted.length - 1))).catch(
      (e) => e,
    );
    expect(error).toBeInstanceOf(OperatorError);
    expect(error.message).toEndWith(
      "is damaged or not a backup: its encrypted content was changed or cut off",
    );
    expect(error.hint).toBe("Nothing was restored. Use another backup.");
  });

  test.each(parts.flatMap((part) => [0, 5, 1000].map((more) => [part, more])))(
    "cut off after %i parts and %i bytes",
    async (part, more) => {
      const error = await read(encrypted.subarray(0, content + part * PART + more)).catch((e) => e);
      expect(error).toBeInstanceOf(OperatorError);
      expect(error.message).toContain(
        "is damaged or not a backup: its encrypted content was changed or cut off",
      );
    },
  );

  test("with bytes after its end", async () => {
    const error = await read(Buffer.concat([encrypted, Buffer.from("more")])).catch((e) => e);
    expect(error).toBeInstanceOf(OperatorError);
  });
});

test("an archive without valid members is refused, and no stream's error is left without a listener", async () => {
  const file = join(folder, "not-a-tar.backup");
  writeFileSync(file, zstdCompressSync(Buffer.alloc(512, 7)));
  await appendBackupChecksum(file);
  // Without listeners, the error of a stream that is destroyed reaches the process in some of these runs.
  for (let run = 0; run < 100; run++) {
    const error = await readBackupArchive(file, undefined)
      .next()
      .catch((e) => e);
    expect(error).toBeInstanceOf(OperatorError);
    await new Promise(setImmediate);
  }
});
