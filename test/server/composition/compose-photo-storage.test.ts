import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  composeOpenPhotoStorage,
  composePhotoStorage,
} from "../../../src/server/composition/compose-photo-storage.ts";
import type { Store } from "../../../src/store/store.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-photos-"));
afterAll(() => rmSync(folder, { recursive: true }));

const NAME = `${"a".repeat(32)}.png`;

test("a file whose record was not written is removed, and one that cannot be removed is no fault", async () => {
  const files = composePhotoStorage({ isShared: false } as Store, folder);
  await files.write(NAME, Buffer.from("image"));
  expect(readdirSync(join(folder, "uploads"))).toEqual([NAME]);
  await files.discard(NAME);
  expect(readdirSync(join(folder, "uploads"))).toEqual([]);
  await files.discard("missing/of/all.png");
});

test("bytes in the database stay after an upload that failed: its transaction may be committed yet", async () => {
  let writes = 0;
  const write = async () => void writes++;
  await composePhotoStorage({ isShared: true, write } as unknown as Store, folder).discard(NAME);
  expect(writes).toBe(0);
});

test("a server that starts without the folder of stored photos warns once and creates it", async () => {
  const limits = { minFreeBytes: 0, maxDatabaseBytes: 0 };
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  const start = async (name: string, any: boolean) => {
    const store = { isShared: false, read: { photos: { any: async () => any } } } as unknown as Store;
    await composeOpenPhotoStorage(store, join(folder, name), limits, log as never);
  };
  await start("new", false);
  expect(warnings).toEqual([]);
  await start("incomplete", true);
  await start("incomplete", true);
  expect(warnings).toEqual([expect.stringContaining("photo files was missing and is created again")]);
  expect(readdirSync(join(folder, "incomplete"))).toEqual(["uploads"]);
});
