import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScheduledBackup, takeScheduledBackup } from "../../src/backup/scheduled-backup.ts";
import { createLogger } from "../../src/logging/logger.ts";

const NOW = Date.UTC(2026, 0, 31, 4, 30);
const NEWEST = "mainstay-20260131T043000Z.backup";
const OLDER = ["mainstay-20260129T043000Z.backup", "mainstay-20260130T043000Z.backup"];
const never = new AbortController().signal;

let dir: string;
let lines: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mainstay-scheduled-"));
  lines = [];
  for (const name of OLDER) writeFileSync(join(dir, name), "");
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Writes the files that the commands would write. `failing` is the command that fails. */
function parts(failing?: "backup" | "restore"): ScheduledBackup {
  return {
    dataDir: "/data",
    dir,
    keep: 1,
    clock: () => NOW,
    log: createLogger({
      level: "info",
      format: "json",
      destination: { write: (line) => void lines.push(line) },
    }),
    runCommand: async ([command, file, , target]) => {
      if (command === failing) throw new Error(`no ${failing} today`);
      if (command === "backup") writeFileSync(file!, "12345");
      else mkdirSync(target!);
    },
  };
}

describe("a scheduled backup", () => {
  test("is tested, and then the oldest ones are deleted", async () => {
    const last = await takeScheduledBackup(parts(), never);
    expect(last).toEqual({
      at: "2026-01-31T04:30:00.000Z",
      ok: true,
      drill_ok: true,
      file: join(dir, NEWEST),
      bytes: 5,
      duration_ms: 0,
      error: null,
    });
    expect(readdirSync(dir)).toEqual([NEWEST]);
  });

  test("that cannot be restored is kept with the older ones, and is logged as an error", async () => {
    const last = await takeScheduledBackup(parts("restore"), never);
    expect(last).toMatchObject({ ok: true, drill_ok: false, bytes: 5, error: "no restore today" });
    expect(readdirSync(dir).toSorted()).toEqual([...OLDER, NEWEST]);
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: "error", reason: "no restore today" });
  });

  test("that fails deletes no older ones", async () => {
    const last = await takeScheduledBackup(parts("backup"), never);
    expect(last).toMatchObject({ ok: false, drill_ok: null, bytes: null, error: "no backup today" });
    expect(readdirSync(dir).toSorted()).toEqual(OLDER);
  });

  test("creates its folder", async () => {
    rmSync(dir, { recursive: true });
    expect((await takeScheduledBackup(parts(), never)).ok).toBe(true);
    expect(existsSync(join(dir, NEWEST))).toBe(true);
  });
});
