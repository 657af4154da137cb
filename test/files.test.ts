import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile } from "../src/files.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a file is written for its owner alone, in place of the one before, with nothing left beside it", async () => {
  const path = join(folder, "record.json");
  await replaceFile(path, "the first, which is longer");
  await replaceFile(path, new TextEncoder().encode("the second"));
  expect(readFileSync(path, "utf8")).toBe("the second");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["record.json"]);
});

test("what cannot take its name leaves nothing behind", async () => {
  const taken = join(folder, "taken");
  mkdirSync(join(taken, "by a folder"), { recursive: true });
  await expect(replaceFile(taken, "text")).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).not.toContain(".taken.part");
});
