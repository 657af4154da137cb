import { expect, test } from "bun:test";
import { type ImportRun, importFile, type Mapping } from "../../src/web/app/import-file.ts";
import { ApiFailure } from "../../src/web/browser/api-failure.ts";

const none = { created: 0, unchanged: 0 };
const mapping: Mapping = { rows: "properties", fields: {}, equipment: [], scores: [] };
const file = (rows: number) => ({
  name: "a.csv",
  columns: ["Address", "Boilers"],
  rows: Array.from({ length: rows }, (_, at) => [`${at} Elm St`, "500"]),
});

/** Imports rows by an API that takes so many at once; returns the places and numbers of rows that it took. */
async function imported(rows: number, most: number) {
  const taken: [number, number][] = [];
  const api = {
    async write<T>(_method: string, _path: string, body: unknown): Promise<T> {
      const sent = body as { rows: string[][]; first_row: number };
      if (sent.rows.length > most) throw new ApiFailure("too_large", "The rows make more than 2000 records");
      taken.push([sent.first_row, sent.rows.length]);
      const kinds = { appliances: none, components: none, service_events: none, claims: none };
      return {
        ...kinds,
        properties: { created: sent.rows.length, unchanged: 0 },
        rejected: [],
        left_out: [],
      } as T;
    },
  };
  let last: ImportRun | undefined;
  await importFile(api, file(rows), { mapping, isDry: false }, (run) => {
    last = run;
  });
  return { taken, created: last?.counts.properties.created, isDone: last?.isDone };
}

// Rule: import-rows
test("rows that make too many records are sent fewer at a time, each once and in order", async () => {
  expect(await imported(450, 200)).toEqual({
    taken: [
      [2, 200],
      [202, 200],
      [402, 50],
    ],
    ...{ created: 450, isDone: true },
  });
  const { taken, created } = await imported(450, 60);
  expect(created).toBe(450);
  for (const [nth, [row]] of taken.entries())
    expect(row).toBe(2 + taken.slice(0, nth).reduce((sum, [, count]) => sum + count, 0));
  expect(Math.max(...taken.map(([, count]) => count))).toBe(50);
});

test("a row that makes too many by itself is reported", async () => {
  await expect(imported(3, 0)).rejects.toThrow("more than 2000 records");
});
