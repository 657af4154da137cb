import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { type WriteSheet, writeXlsx } from "hucre/xlsx";
import { readWorkbook } from "../../src/xlsx/read-workbook.ts";

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

/** Returns a ZIP archive of stored files, or of compressed ones that claim to expand to a size. */
function archive(files: Readonly<Record<string, string>>, claimed?: number): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const whole = Buffer.from(text);
    const data = claimed === undefined ? whole : deflateRawSync(whole);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(claimed === undefined ? 0 : 8, 8);
    header.writeUInt32LE(Bun.hash.crc32(whole), 14);
    header.writeUInt32LE(data.length, 18);
    header.writeUInt32LE(claimed ?? data.length, 22);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    header.copy(entry, 6, 4, 28);
    entry.writeUInt16LE(20, 4);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(header, Buffer.from(name), data);
    directory.push(entry, Buffer.from(name));
    at += header.length + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const TYPES = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`;
const RELATIONS = (target: string, kind: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/></Relationships>`;
const withSheet = (sheet: string, claimed?: number) =>
  archive(
    {
      "[Content_Types].xml": TYPES,
      "_rels/.rels": RELATIONS("xl/workbook.xml", "officeDocument"),
      "xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": RELATIONS("worksheets/sheet1.xml", "worksheet"),
      "xl/worksheets/sheet1.xml": sheet,
    },
    claimed,
  );
const sheetOf = (cells: string) =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row><row r="2">${cells}</row></sheetData></worksheet>`;

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
    const stored = save(withSheet(sheetOf('<c r="A2"><f>1+1</f><v>2</v></c>')));
    expect((await readWorkbook(stored))[0]!.rows[1]!.cells).toEqual(["2"]);
  });

  test("with a formula that was never computed is refused with its cell", async () => {
    const path = save(withSheet(sheetOf('<c r="A2"><f>1+1</f></c>')));
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
    const bomb = `<!DOCTYPE x [<!ENTITY e0 "${"x".repeat(100)}">${nested}]>${sheetOf('<c r="A2" t="inlineStr"><is><t>&e30;</t></is></c>')}`;
    const read = await readWorkbook(save(withSheet(bomb))).catch((error: Error) => error);
    if (read instanceof Error) expect(read.message).toContain("cannot be read as a workbook");
    else expect(JSON.stringify(read).length).toBeLessThan(1_000);
  });

  test.each([
    ["no archive", "tag,cost\n1,2\n"],
    ["an archive without a workbook", archive({ "a.txt": "x" })],
  ])("that is %s is refused", async (_, bytes) => {
    await expect(readWorkbook(save(bytes))).rejects.toThrow("cannot be read as a workbook");
  });

  test("that claims to expand to too many bytes, or does not say to how many, is refused unread", async () => {
    const sheet = sheetOf('<c r="A2"><v>2</v></c>').padEnd(40_000);
    expect((await readWorkbook(save(withSheet(sheet, sheet.length))))[0]!.rows[1]!.cells).toEqual(["2"]);
    for (const claimed of [60_000_000, 0])
      await expect(readWorkbook(save(withSheet(sheet, claimed)))).rejects.toThrow(
        "is too large: it expands to more than 256 MiB",
      );
    // The reader holds a file to what it claims.
    await expect(readWorkbook(save(withSheet(sheet, 20_000)))).rejects.toThrow("exceeds limit");
  });

  test("with more text in its cells than their columns can take is refused with its place", async () => {
    const most = "x".repeat(32_767);
    await expect(readWorkbook(save(withSheet(sheetOf(inline(`${most}x`)))))).rejects.toThrow(
      "sheet S, cell A2 has 32768 characters",
    );
    expect(await readWorkbook(save(withSheet(sheetOf(inline(most)))))).toHaveLength(1);
    const rows = Array.from({ length: 8_200 }, () => [most]);
    await expect(readWorkbook(await workbook({ name: "S", rows }))).rejects.toThrow(
      "the cells of sheet S have more than 256 MiB",
    );
  });

  test("with too many rows is refused with the remedy", async () => {
    const rows = Array.from({ length: 52 }, (_, i) => [i]);
    const error = await readWorkbook(await workbook({ name: "S", rows }), 50).catch((thrown) => thrown);
    expect(error.message).toContain("sheet S has more than 50 rows");
    expect(error.hint).toContain("CSV");
    expect(await readWorkbook(await workbook({ name: "S", rows }), 51)).toHaveLength(1);
  });
});
