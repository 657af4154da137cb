import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  type linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
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
const start = (link?: typeof linkSync) => {
  const databaseFile = join(dataDir, "mainstay.db");
  const options = { passphrase: undefined, includeKey: false, productVersion: "0.1.0", now: NOW };
  return createBackup({ dataDir, databaseFile, file, ...options }, link);
};
/** The answer of a file system without hard links. */
const refuseLink = () => {
  throw Object.assign(new Error("operation not permitted"), { code: "EPERM" });
};
const hiddenFiles = () => readdirSync(dataDir).filter((name) => name.startsWith("."));

// Rule: backup-photos
test("a photo that is deleted while the backup is written is in it", async () => {
  const writing = start();
  for (const name of PHOTOS) rmSync(photo(name));
  const { manifest } = await writing;
  expect(manifest).toMatchObject({ uploads: 3, uploads_bytes: 15, uploads_missing: 0 });
  expect(await inspectBackup(file, undefined)).toEqual(manifest);
  expect(hiddenFiles()).toEqual([]);
});

test("the links of a backup that was killed are removed a day later by another", async () => {
  const [recent, old] = ["0", "1"].map((digit) => `.uploads.${digit.repeat(32)}.backup`);
  for (const name of [recent!, old!]) mkdirSync(join(dataDir, name));
  const at = (hoursAgo: number) => NOW / 1000 - hoursAgo * 3600;
  utimesSync(join(dataDir, recent!), at(23), at(23));
  utimesSync(join(dataDir, old!), at(25), at(25));
  await start();
  expect(hiddenFiles()).toEqual([recent!]);
});

describe("without hard links", () => {
  test("a photo that is deleted while the backup is written is missing in it, and the backup is complete", async () => {
    const writing = start(refuseLink);
    // The members are collected before the first of them is written.
    rmSync(photo(PHOTOS[1]!));
    const { manifest } = await writing;
    expect(manifest).toMatchObject({ uploads: 2, uploads_bytes: 10, uploads_missing: 1 });
    expect(await inspectBackup(file, undefined)).toEqual(manifest);
    expect(hiddenFiles()).toEqual([]);
  });

  test("a backup in which everything is deleted is complete, too", async () => {
    const writing = start(refuseLink);
    for (const name of PHOTOS) rmSync(photo(name));
    expect((await writing).manifest).toMatchObject({ uploads: 0, uploads_missing: 3 });
  });

  test("any other error ends it, and leaves no files", async () => {
    const writing = start(refuseLink);
    rmSync(photo(PHOTOS[0]!));
    mkdirSync(photo(PHOTOS[0]!));
    expect(await writing.catch((error: Error) => error)).toBeInstanceOf(Error);
    expect(existsSync(file)).toBe(false);
  });
});
