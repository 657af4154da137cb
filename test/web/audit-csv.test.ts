import { expect, test } from "bun:test";
import { AUDIT_PAGE, fetchConsoleAuditCsv, MOST_IN_FILE } from "../../src/web/console/console-audit-csv.ts";

const DAY_MS = Date.parse("2026-11-21T00:00:00.000Z");

/** Calls of a log with an entry a second, newest first, to which `growth` are added before each page. */
function growing(size: number, growth: number) {
  let newest = size - growth;
  const matching = (query: URLSearchParams) => {
    newest += growth;
    const until = Date.parse(query.get("until") ?? "9999-12-31T00:00:00.000Z");
    const last = Math.min(newest, Math.ceil((until - DAY_MS) / 1000) - 1);
    return { last, from: last - Number(query.get("offset") ?? 0), limit: Number(query.get("limit")) };
  };
  return {
    page: async (query: URLSearchParams) => {
      const { last } = matching(query);
      const entries = last > 0 ? [{ at: new Date(DAY_MS + last * 1000).toISOString() }] : [];
      return { entries, total: last };
    },
    file: async (query: URLSearchParams) => {
      expect([query.get("format"), query.get("action")]).toEqual(["csv", "partner.create"]);
      const { from, limit } = matching(query);
      const rows = Array.from({ length: Math.max(0, Math.min(limit, from)) }, (_, at) => from - at);
      return `seq\r\n${rows.map((seq) => `${seq}\r\n`).join("")}`;
    },
  };
}

const filters = () => new URLSearchParams({ action: "partner.create", until: "2027-01-01T00:00:00.000Z" });
const seqsOf = (csv: string) => csv.trim().split("\r\n").slice(1).map(Number);

test.each([0, 1, 150, 199])(
  "the entries of a log that grows by %d while it is read are in the file once, to the oldest",
  async (growth) => {
    const read: number[] = [];
    const csv = await fetchConsoleAuditCsv(filters(), growing(1000, growth), (count) => read.push(count));
    expect(csv).toStartWith("seq\r\n1000\r\n999\r\n");
    expect(seqsOf(csv)).toEqual(Array.from({ length: 1000 }, (_, at) => 1000 - at));
    expect(read).toEqual([0, 200, 400, 600, 800, 1000]);
  },
);

test("a file has the newest entries up to its limit", async () => {
  const seqs = seqsOf(
    await fetchConsoleAuditCsv(filters(), growing(MOST_IN_FILE + AUDIT_PAGE / 2, 3), () => {}),
  );
  expect(seqs).toHaveLength(MOST_IN_FILE);
  expect(seqs[0]).toBe(MOST_IN_FILE + AUDIT_PAGE / 2);
});

test("a log without entries makes a file with its heading", async () => {
  expect(await fetchConsoleAuditCsv(filters(), growing(0, 0), () => {})).toBe("seq\r\n");
});
