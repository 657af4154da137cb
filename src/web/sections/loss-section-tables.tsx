import type { LossesJson } from "../../api-schemas/losses-schema.ts";
import { probabilityText } from "../../domain/wording/us-english-wording.ts";
import { LossCurveChart } from "../charts/loss-curve-chart.tsx";
import { pageCodeLabel, pageSystemLabel } from "../page/page-code-labels.ts";
import { formatPageMoney } from "../page/page-format.ts";
import { SectionTable } from "./section.tsx";

const usd = (amount: number | undefined) => (amount === undefined ? "" : formatPageMoney(Math.round(amount)));
const percent = (value: number) => `${Math.round(value * 100)}%`;

type YearRow = { year: string; total: number; withError?: number; damage: number; insured: number };

/** The exceedance curve of a year's losses, with its numbers in a table. `height`: that of the chart, in pixels. */
export function LossExceedanceSectionTable({ losses, height }: { losses: LossesJson; height?: number }) {
  const { total, damage, insured } = losses;
  const rows: YearRow[] = [
    { year: "Expected", total: total.expected, damage: damage.expected, insured: insured.expected },
    ...total.exceedance.map((point, at) => ({
      year: `Once in ${point.return_period_years} years`,
      total: point.amount,
      withError: point.with_model_error,
      damage: damage.exceedance[at]!.amount,
      insured: insured.exceedance[at]!.amount,
    })),
    {
      year: "Worst 1%, mean",
      total: total.tail_value_at_risk_99.amount,
      withError: total.tail_value_at_risk_99.with_model_error,
      damage: damage.tail_value_at_risk_99.amount,
      insured: insured.tail_value_at_risk_99.amount,
    },
  ];
  return (
    <>
      <LossCurveChart losses={losses} {...(height !== undefined && { height })} />
      <p class="small muted">Loss of a year by return period. Lines: with model error.</p>
      <SectionTable
        caption="Losses of the coming year"
        columns={[
          { heading: "Year", cell: ({ year }) => year },
          { heading: "All costs", isNumber: true, cell: (row) => usd(row.total) },
          { heading: "With error", isNumber: true, cell: (row) => usd(row.withError) },
          { heading: "Damage", isNumber: true, cell: (row) => usd(row.damage) },
          { heading: "Insured", isNumber: true, cell: (row) => usd(row.insured) },
        ]}
        rows={rows}
      />
    </>
  );
}

/** Keeps the digits of small probabilities, which differ in nothing else. */
function rareText(probability: number): string {
  if (probability >= 0.01) return probabilityText(probability);
  return probability < 0.0001 ? "under 0.01%" : `${(probability * 100).toFixed(2)}%`;
}

/** The probabilities that the largest single damage of the year exceeds amounts. */
export function LargestDamageSectionTable({ losses }: { losses: LossesJson }) {
  return (
    <SectionTable
      caption="Largest damage of the coming year"
      columns={[
        { heading: "Largest damage above", cell: ({ amount }) => usd(amount) },
        { heading: "Probability", isNumber: true, cell: ({ probability }) => rareText(probability) },
      ]}
      rows={losses.largest_damage}
    />
  );
}

/** Keys that are no codes. */
const KEY_LABELS: Readonly<Record<string, string>> = { repair: "Emergency repairs", others: "All others" };

/** The IDs of properties and the abbreviations of states stay as they are. */
const keyLabel = (by: DriverKind, key: string) =>
  by === "property" || by === "state" ? key : by === "system" ? pageSystemLabel(key) : pageCodeLabel(key);

type DriverKind = LossesJson["drivers"][number]["by"];

/** The largest shares of one kind of driver. */
export function LossDriversSection(props: {
  losses: LossesJson;
  by: DriverKind;
  heading: string;
  most?: number;
}) {
  const { losses, by, heading, most = 5 } = props;
  return (
    <SectionTable
      caption={`Losses by ${heading.toLowerCase()}`}
      columns={[
        { heading, cell: ({ key, name }) => name ?? KEY_LABELS[key] ?? keyLabel(by, key) },
        { heading: "Expected", isNumber: true, cell: ({ expected }) => usd(expected) },
        { heading: "Share", isNumber: true, cell: (driver) => percent(driver.share_of_expected) },
        { heading: "Of variance", isNumber: true, cell: (driver) => percent(driver.share_of_variance) },
      ]}
      rows={losses.drivers.filter((driver) => driver.by === by).slice(0, most)}
    />
  );
}
