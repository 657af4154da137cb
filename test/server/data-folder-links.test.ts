import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openServerDailyCallReservationFile } from "../../src/server/server-daily-call-reservation-file.ts";
import { lockServerDataFolder } from "../../src/server/server-instance-lock.ts";

// Commands may run as root on a folder that belongs to the service's user.
const folder = mkdtempSync(join(tmpdir(), "mainstay-links-"));
afterAll(() => rmSync(folder, { recursive: true }));

let dataDir: string;
let elsewhere: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, "data-"));
  elsewhere = join(mkdtempSync(join(folder, "elsewhere-")), "file");
});

describe("a planted link in the data folder", () => {
  test("is not followed for the call reservations", () => {
    writeFileSync(elsewhere, "untouched\n");
    symlinkSync(elsewhere, join(dataDir, "budgets.ahead"));
    expect(() => openServerDailyCallReservationFile(dataDir)).toThrow("is a symbolic link");
    expect(readFileSync(elsewhere, "utf8")).toBe("untouched\n");
  });

  test("is not followed for the lock", () => {
    symlinkSync(elsewhere, join(dataDir, "mainstay.lock"));
    expect(() => lockServerDataFolder(dataDir)).toThrow("is a symbolic link");
    expect(existsSync(elsewhere)).toBe(false);
  });
});

test("a data folder behind a link can be locked", () => {
  const link = join(folder, "link");
  symlinkSync(dataDir, link);
  const lock = lockServerDataFolder(link);
  expect(() => lockServerDataFolder(dataDir)).toThrow("already running");
  lock.release();
});
