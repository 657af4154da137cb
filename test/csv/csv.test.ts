import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { CsvSource } from "../../src/csv/csv-source.ts";
import { type CsvRow, MAX_ROW_BYTES, readCsv } from "../../src/csv/read-csv.ts";
import { CsvFile, csvLine, spreadsheetCsvLine } from "../../src/csv/write-csv.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mainstay-csv-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function readAll(source: CsvSource): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const row of readCsv(source)) rows.push(row);
  return rows;
}
const read = (text: string) => readAll({ name: "t.csv", text });

function file(bytes: Uint8Array | string): CsvSource {
  const path = join(folder, `${crypto.randomUUID()}.csv`);
  writeFileSync(path, bytes);
  return { path };
}

describe("reading CSV", () => {
  test("returns the line number of each row, with any line endings before it", async () => {
    expect(await read('a,b\r\n1,"x\r\ny"\r\n\r\n2,\n3,"4\r5"\r6,7')).toEqual([
      { line: 1, cells: ["a", "b"] },
      { line: 2, cells: ["1", "x\r\ny"] },
      { line: 5, cells: ["2", ""] },
      { line: 6, cells: ["3", "4\r5"] },
      { line: 8, cells: ["6", "7"] },
    ]);
  });

  test("ignores a byte-order mark and blank rows", async () => {
    const rows = await read("\ufeffa,b\n , \n,\n1,2\n");
    expect(rows).toEqual([
      { line: 1, cells: ["a", "b"] },
      { line: 4, cells: ["1", "2"] },
    ]);
  });

  test("takes less processor time for blank lines than for as many rows, and counts them", async () => {
    const LINES = 50_000;
    const lastOf = async (line: string) => {
      const before = process.cpuUsage();
      const last = (await read(`a,b\n${line.repeat(LINES)}5,6\n`)).at(-1);
      const { user, system } = process.cpuUsage(before);
      return { last, used: user + system };
    };
    const rows = await lastOf("1,2\n");
    for (const blank of ["\r\n", " \t\n"]) {
      const { last, used } = await lastOf(blank);
      expect(last).toEqual(rows.last!);
      expect(last).toEqual({ line: LINES + 2, cells: ["5", "6"] });
      expect(used, JSON.stringify(blank)).toBeLessThan(rows.used);
    }
  });

  test("counts a line of white space between a carriage return and a line feed", async () => {
    expect((await read("a,b\r \n1,2\n")).at(-1)).toEqual({ line: 3, cells: ["1", "2"] });
  });

  test("keeps lines of white space in quotes", async () => {
    const cells = ["1", `x${"\n  ".repeat(40_000)}\n"y`];
    expect((await read(`a,b\n  \n${csvLine(cells)}  \n2,3\n`)).slice(1)).toEqual([
      { line: 3, cells },
      { line: 40_006, cells: ["2", "3"] },
    ]);
  });

  test("returns every row that was written, in any number of chunks", async () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", " ", ",", '"', "\n", "\r", ";", "é", "漢", "\t", "'", "="),
    });
    const row = fc.array(cell, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 8 }), async (rows) => {
        const kept = rows.filter((cells) => cells.some((text) => text.trim() !== ""));
        for (const source of [
          file(rows.map(spreadsheetCsvLine).join("")),
          { ...file(rows.map(csvLine).join("")), isPrepared: true as const },
        ])
          expect((await readAll(source)).map(({ cells }) => cells)).toEqual(kept);
      }),
      { numRuns: 200 },
    );
    const long = Array.from({ length: 30_000 }, (_, i) => [String(i), `"é",\n${i}`]);
    const rows = await readAll(file(long.map(csvLine).join("")));
    expect(rows.map(({ cells }) => cells)).toEqual(long);
    expect(rows.at(-1)!.line).toBe(2 * 29_999 + 1);
  });

  test.each([
    ["never closed", 'a,b\n1,2\n3,"x\ny\n', "t.csv line 3: the row starting here has an unclosed quote"],
    ["never closed, after empty lines", 'a,b\n\n\n3,"x\n\ny\n', "t.csv line 4: the row starting here has an"],
    ["within a cell", 'a,b\n1,2\n3,12" pipe\n4,5\n', "t.csv line 3: the row starting here has a quote"],
    ["followed by text", 'a,b\n1,2\n3,"x"y\n4,5\n', "t.csv line 3: the row starting here has a quote"],
  ])("reports the line of a quote that is %s", async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  test("rejects a row that is too long without buffering it", async () => {
    for (const cells of ["x".repeat(10 * MAX_ROW_BYTES), '"\n",,'.repeat(MAX_ROW_BYTES / 2)])
      await expect(readAll(file(`a,b\n\n1,${cells}\n3,4\n`))).rejects.toThrow(
        "line 3: the row starting here is longer than 1 MiB",
      );
    const cells = '"\n",,'.repeat(MAX_ROW_BYTES / 10);
    expect(await readAll(file(`a\n1,${cells}\n2,${cells}\n`))).toHaveLength(3);
  });

  test("reports the line of invalid UTF-8 and of a truncated character", async () => {
    const latin1 = Buffer.from("a,b\n1,2\ncaf\xe9,3\n", "latin1");
    await expect(readAll(file(latin1))).rejects.toThrow("line 3: invalid UTF-8");
    await expect(readAll(file(Buffer.from("a,b\n1,é").subarray(0, -1)))).rejects.toThrow(
      "line 2: invalid UTF-8",
    );
  });
});

describe("a CSV file that is written", () => {
  test("is created with its first row, and never replaces an existing file", () => {
    const target = join(folder, "rejects");
    const write = (cell: string) => {
      const csv = new CsvFile(target, "rows", ["a"], ".counts");
      csv.append([]);
      expect(csv.path).toBeUndefined();
      csv.append([[cell]]);
      csv.append([["more"]]);
      csv.close();
      return readFileSync(csv.path!, "utf8");
    };
    expect(write("1")).toBe("a\n1\nmore\n");
    expect(write("2")).toBe("a\n2\nmore\n");
    expect(readFileSync(join(target, "rows.csv"), "utf8")).toBe("a\n1\nmore\n");
    expect(readFileSync(join(target, "rows-2.csv"), "utf8")).toBe("a\n2\nmore\n");
  });
});
