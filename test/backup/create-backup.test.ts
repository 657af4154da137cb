import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backUpDeletedPhoto } from "../../src/backup/backup-deleted-photos.ts";
import { createBackup } from "../../src/backup/create-backup.ts";
import { inspectBackup } from "../../src/backup/inspect-backup.ts";
import { type KeptPhotos, runBackupWithDeletedPhotos } from "../../src/backup/photos-kept-during-backup.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

/* Photos that are deleted while a backup is written, as by a purge. */

const NOW = Date.UTC(2026, 0, 31, 4, 30);
const HOUR = 3_600_000;
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
const start = () => {
  const databaseFile = join(dataDir, "mainstay.db");
  const options = { passphrase: undefined, includeKey: false, productVersion: "0.1.0", now: NOW };
  return createBackup({ dataDir, databaseFile, file, ...options });
};
const hiddenFiles = () => readdirSync(dataDir).filter((name) => name.startsWith("."));
/** Deletes a photo as the server does. */
const deletePhoto = async (name: string) => {
  await backUpDeletedPhoto(dataDir, name);
  rmSync(photo(name));
};

// Rule: backup-photos
test("a photo that is deleted while the backup is written is in it", async () => {
  const writing = start();
  for (const name of PHOTOS) await deletePhoto(name);
  const { manifest } = await writing;
  expect(manifest).toMatchObject({ uploads: 3, uploads_bytes: 15, uploads_missing: 0 });
  expect(await inspectBackup(file, undefined)).toEqual(manifest);
  expect(hiddenFiles()).toEqual([]);
});

describe("a photo that is deleted during a backup", () => {
  const contentOf = async (photos: KeptPhotos, name: string) =>
    Buffer.concat(await Array.fromAsync(photos.contentOf(name))).toString();

  test("can be read until it ends, also one uploaded since it began", async () => {
    const added = `${"d".repeat(32)}.jpg`;
    await runBackupWithDeletedPhotos(dataDir, NOW, async (photos) => {
      writeFileSync(photo(added), "added");
      for (const name of [...PHOTOS, added]) await deletePhoto(name);
      expect([...PHOTOS, added].map(photos.bytesOf)).toEqual([5, 5, 5, 5]);
      expect(await contentOf(photos, PHOTOS[0]!)).toBe("photo");
      expect(await contentOf(photos, added)).toBe("added");
    });
    expect(hiddenFiles()).toEqual([]);
  });

  test("can be read by another that is written at the same time", async () => {
    await runBackupWithDeletedPhotos(dataDir, NOW, (one) =>
      runBackupWithDeletedPhotos(dataDir, NOW, async (other) => {
        await deletePhoto(PHOTOS[0]!);
        for (const photos of [one, other]) expect(await contentOf(photos, PHOTOS[0]!)).toBe("photo");
      }),
    );
  });

  test("is copied where hard links are not possible", async () => {
    const refuseLink = () => Promise.reject(Object.assign(new Error("not permitted"), { code: "EPERM" }));
    await runBackupWithDeletedPhotos(dataDir, NOW, async (photos) => {
      await backUpDeletedPhoto(dataDir, PHOTOS[0]!, refuseLink);
      rmSync(photo(PHOTOS[0]!));
      expect(await contentOf(photos, PHOTOS[0]!)).toBe("photo");
    });
  });
});

describe("the folder of a backup that was killed", () => {
  const leave = () => {
    const path = join(dataDir, `.uploads.${"0".repeat(32)}.backup`);
    mkdirSync(path);
    new Database(join(path, "lock")).close();
    writeFileSync(join(path, PHOTOS[0]!), "photo");
  };

  test("is removed when the next photo is deleted, which it does not keep", async () => {
    leave();
    await deletePhoto(PHOTOS[1]!);
    expect(hiddenFiles()).toEqual([]);
  });

  test("is removed by the next backup", async () => {
    leave();
    await start();
    expect(hiddenFiles()).toEqual([]);
  });

  test.each(["", ".unused"])("without a lock is removed a day later, as .backup%s", async (suffix) => {
    const [recent, old] = ["0", "1"].map((digit) => `.uploads.${digit.repeat(32)}.backup${suffix}`);
    for (const [name, hours] of [
      [recent!, 23],
      [old!, 25],
    ] as const) {
      mkdirSync(join(dataDir, name));
      utimesSync(join(dataDir, name), (NOW - hours * HOUR) / 1000, (NOW - hours * HOUR) / 1000);
    }
    await start();
    expect(hiddenFiles()).toEqual([recent!]);
  });
});

describe("if the server cannot keep photos", () => {
  test("a photo that is deleted while the backup is written is missing in it, and the backup is complete", async () => {
    const writing = start();
    // The members are collected before the first of them is written.
    rmSync(photo(PHOTOS[1]!));
    const { manifest } = await writing;
    expect(manifest).toMatchObject({ uploads: 2, uploads_bytes: 10, uploads_missing: 1 });
    expect(await inspectBackup(file, undefined)).toEqual(manifest);
    expect(hiddenFiles()).toEqual([]);
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
});
