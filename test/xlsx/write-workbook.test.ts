import { expect, test } from "bun:test";
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
  const read = await readXlsx(await writeWorkbook(sheets), { readStyles: true });
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
  const [first, second] = [await writeWorkbook(sheets), await writeWorkbook(sheets)];
  expect(Buffer.compare(first, second)).toBe(0);
});
