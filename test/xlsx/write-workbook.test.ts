import { expect, test } from "bun:test";
import { inflateRawSync } from "node:zlib";
import { readXlsx } from "hucre/xlsx";
import { writeWorkbook } from "../../src/xlsx/write-workbook.ts";

const sheets = [
  {
    name: "Schedule",
    columns: [{ width: 20 }, { width: 12, format: "#,##0.00" }],
    rows: [
      [
        { value: "Item", isBold: true },
        { value: "Cost", isBold: true },
      ],
      ["=HYPERLINK(1)", 1234.5],
      ["Sum", { value: 1234.5, formula: "SUM(B2:B2)" }],
    ],
    frozenRows: 1,
  },
];

test("a workbook has its values, formulas, formats and frozen rows", async () => {
  const read = await readXlsx(await writeWorkbook(sheets, async () => {}), { readStyles: true });
  const [sheet] = read.sheets;
  expect(sheet!.name).toBe("Schedule");
  // Text that looks like a formula remains text.
  expect(sheet!.rows[1]).toEqual(["=HYPERLINK(1)", 1234.5]);
  expect(sheet!.cells!.get("1,0")?.formula).toBeUndefined();
  expect(sheet!.cells!.get("2,1")).toMatchObject({ formula: "SUM(B2:B2)" });
  expect(sheet!.cells!.get("1,1")?.style?.numFmt).toBe("#,##0.00");
  expect(sheet!.cells!.get("0,0")?.style?.font?.bold).toBe(true);
  expect(sheet!.freezePane).toMatchObject({ rows: 1 });
});

test("the same contents have the same bytes", async () => {
  const [first, second] = [
    await writeWorkbook(sheets, async () => {}),
    await writeWorkbook(sheets, async () => {}),
  ];
  expect(Buffer.compare(first, second)).toBe(0);
});

test("other work runs between the sheets", async () => {
  // The first workbook of a process is rehearsed.
  await writeWorkbook(sheets, async () => {});
  let yields = 0;
  await writeWorkbook([sheets[0]!, { ...sheets[0]!, name: "Other" }], async () => void yields++);
  expect(yields).toBe(2);
});

test("text with characters that XML lacks, or with an escape of spreadsheets, leaves the file readable", async () => {
  const unusual = ["a\ufffeb", "\uffff", "\ud83d", "\u0007", "Elm \u{1f3e0}"];
  const columns = [{ width: 20 }];
  const rows = [...unusual, "_x003D_1+1"].map((text) => [{ value: text, isBold: true }, text]);
  const bytes = await writeWorkbook([{ name: "Names", columns, rows }], async () => {});
  const files = unpacked(bytes);
  for (const [name, text] of files)
    if (name.endsWith(".xml")) expect(name + INVALID_IN_XML.exec(text)).toBe(`${name}null`);
  // Spreadsheets show `_x003D_` for it, instead of the equals sign that it stands for.
  expect([...files.values()].join()).toContain("_x005F_x003D_1+1");
  const [sheet] = (await readXlsx(bytes)).sheets;
  expect(sheet!.rows.slice(0, unusual.length).map(([text]) => text)).toEqual([
    ...["a\ufffdb", "\ufffd", "\ufffd", "\ufffd", "Elm \u{1f3e0}"],
  ]);
});

/** The characters that no XML document has. */
const INVALID_IN_XML = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/u;

/** Returns the texts of the files in the archive by their names. */
function unpacked(bytes: Uint8Array): Map<string, string> {
  const archive = Buffer.from(bytes);
  const files = new Map<string, string>();
  for (let at = 0; archive.readUInt32LE(at) === LOCAL_HEADER; ) {
    const [method, size] = [archive.readUInt16LE(at + 8), archive.readUInt32LE(at + 18)];
    const [nameLength, extraLength] = [archive.readUInt16LE(at + 26), archive.readUInt16LE(at + 28)];
    const content = at + 30 + nameLength + extraLength;
    const packed = archive.subarray(content, content + size);
    const text = (method === 0 ? packed : inflateRawSync(packed)).toString();
    files.set(archive.toString("utf8", at + 30, at + 30 + nameLength), text);
    at = content + size;
  }
  return files;
}

const LOCAL_HEADER = 0x04034b50;
