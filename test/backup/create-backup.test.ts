import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackup } from "../../src/backup/create-backup.ts";
import { inspectBackup } from "../../src/backup/inspect-backup.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

/* Photos that are deleted while a backup is written, as by a purge. */

const NOW = Date.UTC(2026, 0, 31, 4, 30);
const PHOTOS = ["a", "b", "c"].map((letter) => `${letter.repeat(32)}.jpg`);

let dataDir: string;
let file: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "mainstay-backup-"));
  file = join(dataDir, "mine.backup");
  const databaseFile = join(dataDir, "mainstay.db");
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  await openSqliteStore(databaseFile, { clock: () => NOW, random }).close();
  const db = new Database(databaseFile);
  db.run("PRAGMA foreign_keys = OFF");
  for (const name of PHOTOS)
    db.run(
      `INSERT INTO photos (id, partner_id, appliance_id, filename, original_name, media_type, bytes, sha256, uploaded_at)
       VALUES (?, 'P', 'A', ?, 'x.jpg', 'image/jpeg', 5, '', 0)`,
      [`PH_${name}`, name],
    );
  db.close();
  mkdirSync(join(dataDir, "uploads"));
  for (const name of PHOTOS) writeFileSync(photo(name), "photo");
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const photo = (name: string) => join(dataDir, "uploads", name);
const start = () =>
  createBackup({
    dataDir,
    databaseFile: join(dataDir, "mainstay.db"),
    file,
    passphrase: undefined,
    includeKey: false,
    productVersion: "0.1.0",
    now: NOW,
  });

test("a photo that is deleted while the backup is written is missing in it, and the backup is complete", async () => {
  const writing = start();
  // The members are collected before the first of them is written.
  rmSync(photo(PHOTOS[1]!));
  const { manifest } = await writing;
  expect(manifest).toMatchObject({ uploads: 2, uploads_bytes: 10, uploads_missing: 1 });
  expect(await inspectBackup(file, undefined)).toEqual(manifest);
  expect(readdirSync(dataDir).filter((name) => name.startsWith("."))).toEqual([]);
});

test("a backup in which everything is deleted is complete, too", async () => {
  const writing = start();
  for (const name of PHOTOS) rmSync(photo(name));
  expect((await writing).manifest).toMatchObject({ uploads: 0, uploads_missing: 3 });
});

test("any other error ends it, and leaves no files", async () => {
  const writing = start();
  rmSync(photo(PHOTOS[0]!));
  mkdirSync(photo(PHOTOS[0]!));
  expect(await writing.catch((error: Error) => error)).toBeInstanceOf(Error);
  expect(existsSync(file)).toBe(false);
});
