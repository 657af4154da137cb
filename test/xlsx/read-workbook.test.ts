import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type WriteSheet, writeXlsx } from "hucre/xlsx";
import { readWorkbook } from "../../src/xlsx/read-workbook.ts";
import { sheetXml, workbookFiles, zipArchive } from "../support/zip-archive.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mainstay-workbook-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
function save(bytes: Uint8Array | string): string {
  const path = join(folder, `${made++}.xlsx`);
  writeFileSync(path, bytes);
  return path;
}
const workbook = async (...sheets: WriteSheet[]) => save(await writeXlsx({ sheets }));

const withSheet = (sheet: string, claimed?: number) => zipArchive(workbookFiles(sheet), { claimed });
const inline = (text: string) => `<c r="A2" t="inlineStr"><is><t>${text}</t></is></c>`;

// Rule: import-workbooks
describe("a workbook", () => {
  test("is read as texts: dates as days, formulas as their results, merged ranges as their first cell", async () => {
    const path = await workbook(
      {
        name: "Assets",
        rows: [
          ["tag", "installed", "cost"],
          ["A-1", new Date("2019-03-04T00:00:00Z"), 1200.5],
          [null, null, null],
          ["A-2", null, 7],
        ],
        merges: [{ startRow: 1, startCol: 0, endRow: 2, endCol: 0 }],
      },
      { name: "Empty", rows: [] },
    );
    const [sheet, ...others] = await readWorkbook(path);
    expect(others).toEqual([]);
    expect(sheet).toEqual({
      sheet: "Assets",
      rows: [
        { row: 1, cells: ["tag", "installed", "cost"] },
        { row: 2, cells: ["A-1", "2019-03-04", "1200.5"] },
        { row: 4, cells: ["A-2", "", "7"] },
      ],
      notes: ["sheet Assets: of 1 merged ranges only the first cell is read"],
    });
    const stored = save(withSheet(sheetXml('<c r="A2"><f>1+1</f><v>2</v></c>')));
    expect((await readWorkbook(stored))[0]!.rows[1]!.cells).toEqual(["2"]);
  });

  test("with numbers that their format pads with zeros is read with these zeros", async () => {
    const cells = [
      [42, "00000"],
      [-42, "00000"],
      [1.5, "000"],
      [123_456, "000"],
      [7, "0"],
      [7, '"S-"000'],
    ] as const;
    const path = await workbook({
      name: "S",
      columns: cells.map(([, numFmt], at) => ({ key: `c${at}`, header: `c${at}`, numFmt })),
      data: [Object.fromEntries(cells.map(([value], at) => [`c${at}`, value]))],
    });
    const read = ["00042", "-42", "1.5", "123456", "7", "7"];
    expect((await readWorkbook(path))[0]).toMatchObject({ rows: { 1: { cells: read } }, notes: [] });
    const [large] = await readWorkbook(path, { maxStyledCells: 11 });
    expect(large!.rows[1]!.cells[0]).toBe("42");
    expect(large!.notes).toEqual([expect.stringMatching(/^sheet S: .* without the zeros of formats/)]);
  });

  test("with a formula that was never computed is refused with its cell", async () => {
    const path = save(withSheet(sheetXml('<c r="A2"><f>1+1</f></c>')));
    await expect(readWorkbook(path)).rejects.toThrow("sheet S, cell A2: the formula has no stored result");
  });

  test("with a password is refused", async () => {
    const bytes = await writeXlsx({
      sheets: [{ name: "S", rows: [["a"]] }],
      encryption: { password: "x", spinCount: 1 },
    });
    await expect(readWorkbook(save(bytes))).rejects.toThrow("is protected by a password");
  });

  test("that expands entities is refused, or reads none", async () => {
    const nested = Array.from({ length: 30 }, (_, i) => `<!ENTITY e${i + 1} "&e${i};&e${i};">`).join("");
    const bomb = `<!DOCTYPE x [<!ENTITY e0 "${"x".repeat(100)}">${nested}]>${sheetXml('<c r="A2" t="inlineStr"><is><t>&e30;</t></is></c>')}`;
    const read = await readWorkbook(save(withSheet(bomb))).catch((error: Error) => error);
    if (read instanceof Error) expect(read.message).toContain("cannot be read as a workbook");
    else expect(JSON.stringify(read).length).toBeLessThan(1_000);
  });

  test.each([
    ["no archive", "tag,cost\n1,2\n"],
    ["an archive without a workbook", zipArchive({ "a.txt": "x" })],
  ])("that is %s is refused", async (_, bytes) => {
    await expect(readWorkbook(save(bytes))).rejects.toThrow("cannot be read as a workbook");
  });

  test("that claims to expand to too many bytes, or does not say to how many, is refused unread", async () => {
    const sheet = sheetXml('<c r="A2"><v>2</v></c>').padEnd(40_000);
    expect((await readWorkbook(save(withSheet(sheet, sheet.length))))[0]!.rows[1]!.cells).toEqual(["2"]);
    for (const claimed of [60_000_000, 0])
      await expect(readWorkbook(save(withSheet(sheet, claimed)))).rejects.toThrow(
        "is too large: it expands to more than 256 MiB",
      );
    // The reader holds a file to what it claims.
    await expect(readWorkbook(save(withSheet(sheet, 20_000)))).rejects.toThrow("exceeds limit");
  });

  test("that names one sheet again and again is refused once the copies expand to too much", async () => {
    const sheet = sheetXml('<c r="A2"><v>2</v></c>').padEnd(10_000);
    const files = workbookFiles(sheet);
    const named = (times: number) =>
      Array.from({ length: times }, (_, i) => `<sheet name="S${i}" sheetId="${i + 1}" r:id="rId1"/>`).join(
        "",
      );
    const naming = (times: number) =>
      save(
        zipArchive({
          ...files,
          "xl/workbook.xml": files["xl/workbook.xml"]!.replace(/<sheet .*\/>/, named(times)),
        }),
      );
    const limits = { maxExpandedBytes: 200_000 };
    expect(await readWorkbook(naming(10), limits)).toHaveLength(10);
    await expect(readWorkbook(naming(30), limits)).rejects.toThrow("is too large: it expands to more than");
  });

  test("that would be read again and again, or for hours, is refused first", async () => {
    const files = workbookFiles(sheetXml('<c r="A2"><v>2</v></c>'));
    const padding = { "padding.bin": "x".repeat(100_000) };
    const archive = zipArchive({ ...files, ...padding });
    const limits = { maxExpandedBytes: 150_000 };
    expect(await readWorkbook(save(archive), limits)).toHaveLength(1);
    // The directory says that the file expands to nothing, and that the first one is as long as all.
    const size = archive.lastIndexOf(Object.keys(padding)[0]!) - 46 + 24;
    archive.writeUInt32LE(0, size);
    archive.writeUInt32LE(100_000, archive.lastIndexOf("[Content_Types].xml") - 46 + 20);
    await expect(readWorkbook(save(archive), limits)).rejects.toThrow(
      "is too large: it expands to more than",
    );

    const name = (at: number) => `<sheet name="S${at}" sheetId="${at + 1}" r:id="rId1"/>`;
    const named = Array.from({ length: 1_001 }, (_, at) => name(at)).join("");
    const listing = files["xl/workbook.xml"]!.replace(/<sheet .*\/>/, named);
    await expect(readWorkbook(save(zipArchive({ ...files, "xl/workbook.xml": listing })))).rejects.toThrow(
      "is too large: it has more than 1000 sheets",
    );

    const widths = (times: number, last: string) =>
      sheetXml('<c r="A2"><v>2</v></c>').replace(
        "<sheetData>",
        `<cols>${`<col min="1" max="${last}" width="9"/>`.repeat(times)}</cols><sheetData>`,
      );
    expect(await readWorkbook(save(withSheet(widths(2_000, "100"))))).toHaveLength(1);
    for (const last of ["16384", "1e9", "&#49;"])
      await expect(readWorkbook(save(withSheet(widths(2_000, last))))).rejects.toThrow(
        "is too large: its sheets set the widths of more than 20000000 columns",
      );
  });

  test("with more text in its cells than their columns can take is refused with its place", async () => {
    const most = "x".repeat(32_767);
    await expect(readWorkbook(save(withSheet(sheetXml(inline(`${most}x`)))))).rejects.toThrow(
      "sheet S, cell A2 has 32768 characters",
    );
    expect(await readWorkbook(save(withSheet(sheetXml(inline(most)))))).toHaveLength(1);
    const sheet = (name: string) => ({ name, rows: Array.from({ length: 4_100 }, () => [most]) });
    expect(await readWorkbook(await workbook(sheet("S")))).toHaveLength(1);
    await expect(readWorkbook(await workbook(sheet("S"), sheet("T")))).rejects.toThrow(
      "its cells have more than 256 MiB of text",
    );
  });

  test("whose cells are far from each other is refused before its rows are filled up", async () => {
    const sheet = (cells: string) =>
      `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${cells}</sheetData></worksheet>`;
    const reaching = (rows: number, column: string) =>
      sheet(
        Array.from({ length: rows }, (_, at) => `<row><c r="${column}${at + 1}"><v>1</v></c></row>`).join(""),
      );
    const message = "is too large: its sheets span more than 20000000 cells";
    await expect(readWorkbook(save(withSheet(reaching(1_300, "XFD"))))).rejects.toThrow(message);
    await expect(
      readWorkbook(save(withSheet(sheet('<row><c r="&#88;FD1"><v>1</v></c></row>')))),
    ).rejects.toThrow(message);
    const [near] = await readWorkbook(save(withSheet(reaching(2, "AB"))));
    expect(near!.rows.map(({ cells }) => [cells.length, cells.at(-1)])).toEqual([
      [28, "1"],
      [28, "1"],
    ]);
    const implied = sheet('<row><c><v>1</v></c><c><v>2</v></c></row><row r="9"><c><v>3</v></c></row>');
    expect((await readWorkbook(save(withSheet(implied))))[0]!.rows).toEqual([
      { row: 1, cells: ["1", "2"] },
      { row: 9, cells: ["3", ""] },
    ]);
    const files = workbookFiles(reaching(1_100, "MZZ"));
    const twice = files["xl/workbook.xml"]!.replace(/<sheet .*\/>/, (one) => one + one.replace('"S"', '"T"'));
    await expect(readWorkbook(save(zipArchive({ ...files, "xl/workbook.xml": twice })))).rejects.toThrow(
      message,
    );
  });

  test("with too many rows is refused with the remedy", async () => {
    const rows = Array.from({ length: 52 }, (_, i) => [i]);
    const error = await readWorkbook(await workbook({ name: "S", rows }), { maxRows: 50 }).catch(
      (thrown) => thrown,
    );
    expect(error.message).toContain("sheet S has more than 50 rows");
    expect(error.hint).toContain("CSV");
    expect(await readWorkbook(await workbook({ name: "S", rows }), { maxRows: 51 })).toHaveLength(1);
  });
});
