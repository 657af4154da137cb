import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composePhotoStorage } from "../../../src/server/composition/compose-photo-storage.ts";
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
