import { expect, test } from "bun:test";
import { expectNoLeak } from "./leaks.ts";

test.each([
  "Error: x\n    at write (/srv/app/store.js:12:3)",
  "at /$bunfs/root/mainstay:12:3",
  "at async run (src/http/request-pipeline.ts:3:4)",
  "SQLITE_CONSTRAINT",
  'near "SELECT id FROM partners"',
  "ENOENT: no such file, open '/home/mainstay/data/mainstay.key'",
  "TypeError: undefined is not an object",
])("the server's insides are found in %s", (text) => {
  expect(() => expectNoLeak(text)).toThrow("insides");
});

test("a secret is found, and a response without one passes", () => {
  const answer =
    '{"error":"model must be at most 500 characters","details":["such as 2026-01-31T15:04:05Z"]}';
  expectNoLeak(answer, ["svc_live_1"]);
  expect(() => expectNoLeak(`${answer} svc_live_1`, ["svc_live_1"])).toThrow("a secret");
});
