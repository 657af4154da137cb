import type { LossComponentsJson } from "../../api-schemas/loss-components-schema.ts";
import type { LossesJson } from "../../api-schemas/losses-schema.ts";
import { currencyCode } from "../../domain/wording/currency-and-unit-wording.ts";
import { yieldToEventLoop } from "../../event-loop/event-loop.ts";
import { AMOUNT, type SheetCell, type WorkbookSheet, writeWorkbook } from "../../xlsx/write-workbook.ts";

const USD = AMOUNT;
const SHARE = "0.00%";

const heading = (...names: string[]): SheetCell[] => names.map((value) => ({ value, isBold: true }));

/**
 * Returns losses as a workbook: the summary, the exceedance curves, the largest damages, the drivers, and for a property the
 * components that its expected losses add up from.
 */
export async function lossWorkbook(
  json: LossesJson,
  components?: LossComponentsJson,
): Promise<Uint8Array<ArrayBuffer>> {
  const sheets = [
    summary(json),
    exceedance(json),
    largestDamage(json),
    drivers(json),
    ...(components ? [componentList(components)] : []),
    assumptions(json),
  ];
  return await writeWorkbook(sheets, yieldToEventLoop);
}

function summary(json: LossesJson): WorkbookSheet {
  const { total, damage, insured } = json;
  const columns = [{ width: 34 }, ...[1, 2, 3].map(() => ({ width: 18, format: USD }))];
  return {
    name: "Summary",
    columns,
    frozenRows: 1,
    rows: [
      heading(`${currencyCode()} a year`, "Total", "Damage", "Insured"),
      ["Expected", total.expected, damage.expected, insured.expected],
      ["Standard deviation", total.standard_deviation, damage.standard_deviation, insured.standard_deviation],
      [
        "Mean of the worst hundredth of years",
        ...[total, damage, insured].map((loss) => loss.tail_value_at_risk_99.amount),
      ],
      [
        "The same with model error",
        ...[total, damage, insured].map((loss) => loss.tail_value_at_risk_99.with_model_error),
      ],
      ["Technical premium", null, null, insured.technical_premium],
      ["Standard deviation in the premium", null, null, insured.premium_deviation],
      [],
      ...damage.by_peril.map(({ peril, expected }): SheetCell[] => [`Damage by ${peril}`, null, expected]),
      [],
      ["As of", json.as_of],
      ["Scoring model", json.model_version],
      ["Properties", { value: json.properties, format: "#,##0" }],
      ["Components", { value: json.components, format: "#,##0" }],
      ["Deductible", json.deductible],
      ["Limit", json.limit],
    ],
  };
}

function exceedance(json: LossesJson): WorkbookSheet {
  const rows: SheetCell[][] = [
    heading("Loss", "Once in years", "Amount", "With model error", "Standard error"),
  ];
  for (const loss of ["total", "damage", "insured"] as const)
    for (const point of json[loss].exceedance)
      rows.push([
        loss,
        { value: point.return_period_years, format: "0" },
        point.amount,
        point.with_model_error,
        point.standard_error,
      ]);
  return {
    name: "Exceedance",
    columns: [{ width: 12 }, { width: 14 }, ...[1, 2, 3].map(() => ({ width: 18, format: USD }))],
    frozenRows: 1,
    rows,
  };
}

const largestDamage = (json: LossesJson): WorkbookSheet => ({
  name: "Largest damage",
  columns: [
    { width: 24, format: USD },
    { width: 16, format: SHARE },
  ],
  frozenRows: 1,
  rows: [
    heading("Largest damage exceeds", "Probability"),
    ...json.largest_damage.map(({ amount, probability }) => [amount, probability]),
  ],
});

/** The sums below each division are formulas, so that a reader sees what adds up. */
function drivers(json: LossesJson): WorkbookSheet {
  const rows: SheetCell[][] = [heading("By", "Key", "Expected", "Share of expected", "Share of variance")];
  for (const by of new Set(json.drivers.map((driver) => driver.by))) {
    const some = json.drivers.filter((driver) => driver.by === by);
    const first = rows.length + 1;
    for (const driver of some)
      rows.push([by, driver.key, driver.expected, driver.share_of_expected, driver.share_of_variance]);
    const sum = (
      column: string,
      pick: (driver: (typeof some)[number]) => number,
      format: string,
    ): SheetCell => ({
      value: some.reduce((total, driver) => total + pick(driver), 0),
      formula: `SUM(${column}${first}:${column}${rows.length})`,
      format,
      isBold: true,
    });
    rows.push([
      { value: by, isBold: true },
      { value: "sum", isBold: true },
      sum("C", (driver) => driver.expected, USD),
      sum("D", (driver) => driver.share_of_expected, SHARE),
      sum("E", (driver) => driver.share_of_variance, SHARE),
    ]);
  }
  return {
    name: "Drivers",
    columns: [
      { width: 12 },
      { width: 34 },
      { width: 18, format: USD },
      { width: 18, format: SHARE },
      { width: 18, format: SHARE },
    ],
    frozenRows: 1,
    rows,
  };
}

const COMPONENT_COLUMNS: readonly { name: string; width: number; format?: string }[] = [
  { name: "Component", width: 16 },
  { name: "Name", width: 34 },
  { name: "Class", width: 14 },
  { name: "Division", width: 20 },
  { name: "Variance v", width: 11 },
  { name: "Failure probability q", width: 20 },
  { name: "Emergency repair e", width: 18, format: USD },
  { name: "Peril", width: 14 },
  { name: "Damages of a failure", width: 20 },
  { name: "Number of damages", width: 18 },
  { name: "Mean damage D", width: 16, format: USD },
  { name: "Variation cv", width: 12 },
  { name: "Expected total", width: 18, format: USD },
  { name: "Expected damage", width: 18, format: USD },
  { name: "Expected insured", width: 18, format: USD },
];
const SUMS = ["M", "N", "O"] as const;

/** Total and damage are formulas over the columns that they follow from; the insured amount takes a distribution. */
function componentList({ listed, others }: LossComponentsJson): WorkbookSheet {
  const rows: SheetCell[][] = [heading(...COMPONENT_COLUMNS.map(({ name }) => name))];
  for (const { damages, expected, ...component } of listed) {
    const row = rows.length + 1;
    rows.push([
      ...[
        component.component_id,
        component.name,
        component.system,
        component.division,
        component.year_factor_variance,
      ],
      ...[
        component.failure_probability,
        component.emergency_cost,
        damages?.peril ?? null,
        damages?.expected ?? 0,
      ],
      damages && (damages.may_be_several ? "Poisson" : "at most one"),
      ...[damages?.cost ?? 0, damages?.variation ?? null],
      { value: expected.total, formula: `F${row}*(G${row}+I${row}*K${row})`, format: USD },
      { value: expected.damage, formula: `F${row}*I${row}*K${row}`, format: USD },
      expected.insured,
    ]);
  }
  const before = Array<null>(COMPONENT_COLUMNS.length - SUMS.length - 1).fill(null);
  if (others.components > 0) {
    const { total, damage, insured } = others.expected;
    rows.push([`${others.components} others`, ...before, total, damage, insured]);
  }
  const all = [...listed, others];
  const sums = (["total", "damage", "insured"] as const).map(
    (loss, at): SheetCell => ({
      value: all.reduce((sum, { expected }) => sum + expected[loss], 0),
      // Without components the sum would include its own cell.
      ...(rows.length > 1 && { formula: `SUM(${SUMS[at]}2:${SUMS[at]}${rows.length})` }),
      format: USD,
      isBold: true,
    }),
  );
  rows.push([{ value: "Sum", isBold: true }, ...before, ...sums]);
  return { name: "Components", columns: COMPONENT_COLUMNS, frozenRows: 1, isLandscape: true, rows };
}

const assumptions = (json: LossesJson): WorkbookSheet => ({
  name: "Assumptions",
  columns: [{ width: 110 }],
  rows: [...json.notes, json.assumptions.statement].map((sentence) => [sentence]),
});
