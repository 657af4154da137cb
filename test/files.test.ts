import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile } from "../src/files.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("replaceFile writes at mode 0600, replaces the file, and leaves no other file", async () => {
  const path = join(folder, "record.json");
  await replaceFile(path, "the first, which is longer");
  await replaceFile(path, new TextEncoder().encode("the second"));
  expect(readFileSync(path, "utf8")).toBe("the second");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["record.json"]);
});

test("replaceFile leaves nothing behind when it fails", async () => {
  const taken = join(folder, "taken");
  mkdirSync(join(taken, "by a folder"), { recursive: true });
  await expect(replaceFile(taken, "text")).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).not.toContain(".taken.part");
});
