import { expect, test } from "bun:test";
import { diagnoseBackup } from "../../src/doctor/diagnose-backups.ts";

test.each([
  ["30 4 * * *", "2026-03-03T04:31:00Z", "2026-03-05T04:30:00Z"],
  ["30 4 * * 1", "2026-03-02T04:31:00Z", "2026-03-10T04:30:00Z"],
  ["30 4 1 * *", "2026-03-01T04:31:00Z", "2026-04-02T04:30:00Z"],
  ["", "2026-03-02T04:30:00Z", "2026-03-10T04:30:00Z"],
])("a backup on the schedule %p is missing a day after it was due", (schedule, lastAt, missingAt) => {
  const last = {
    file: "a.backup",
    at: lastAt,
    bytes: 1,
    duration_ms: 1,
    ok: true,
    drill_ok: true,
    error: null,
  };
  const status = (at: number) => diagnoseBackup(schedule, last, at).status;
  expect([status(Date.parse(missingAt)), status(Date.parse(missingAt) + 1)]).toEqual(["ok", "warn"]);
});
