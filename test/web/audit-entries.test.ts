import { expect, test } from "bun:test";
import { AUDIT_PAGE, allEntries, MOST_IN_FILE } from "../../src/web/console/audit-entries.ts";

/** Returns pages of a log of entries, newest first, to which `growth` are added before each page. */
function growing(entries: number, growth: number) {
  let newest = entries - growth;
  return async (offset: number) => {
    newest += growth;
    const first = newest - offset;
    const size = Math.max(Math.min(AUDIT_PAGE, first), 0);
    return Array.from({ length: size }, (_, at) => ({ seq: first - at }));
  };
}

test.each([0, 1, 150, 199])(
  "the entries of a log that grows by %d while it is read are returned once, to the oldest",
  async (growth) => {
    const read: number[] = [];
    const rows = await allEntries(growing(1000, growth), (count) => read.push(count));
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 1000 }, (_, at) => 1000 - at));
    expect(read.at(-1)).toBe(1000);
  },
);

test("a file has the newest entries up to its limit", async () => {
  const rows = await allEntries(growing(MOST_IN_FILE + 500, 3), () => {});
  expect(rows).toHaveLength(MOST_IN_FILE);
  expect(rows[0]!.seq).toBe(MOST_IN_FILE + 500);
});
