import type { LossesJson } from "../../api-schemas/losses-schema.ts";
import { currencyCode, wholeMoney } from "../../domain/wording/currency-and-unit-wording.ts";
import { type OutputWidths, type TerminalColumn, terminalTable, wrapTerminalText } from "./terminal-table.ts";

/* Losses for the terminal: expected and worst years, the largest damage, drivers and assumptions. */

const usd = (amount: number | null) => (amount === null ? "" : Math.round(amount).toLocaleString("en-US"));
const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
/** Keeps the digits of small probabilities, which differ in nothing else. */
const probability = (share: number) => `${(share * 100).toFixed(share < 0.01 ? 4 : 1)}%`;

const curveColumns = (): TerminalColumn[] => [
  { heading: `${currencyCode()} A YEAR` },
  { heading: "TOTAL", align: "right" },
  { heading: "WITH MODEL ERROR", align: "right" },
  { heading: "DAMAGE", align: "right" },
  { heading: "INSURED", align: "right" },
];
const DRIVERS: TerminalColumn[] = [
  { heading: "BY" },
  { heading: "KEY" },
  { heading: "EXPECTED", align: "right" },
  { heading: "SHARE", align: "right" },
  { heading: "OF VARIANCE", align: "right" },
];
const LARGEST: TerminalColumn[] = [
  { heading: "LARGEST DAMAGE EXCEEDS", align: "right" },
  { heading: "PROBABILITY", align: "right" },
];

/** Drivers of each kind that a table shows. */
const SHOWN_DRIVERS = 5;

/** Returns expected losses and worst years as text for a terminal; `name` heads them. */
export function terminalLossesText(
  losses: LossesJson,
  name: string,
  { columns, tableWidth }: OutputWidths,
): string {
  const { total, damage, insured } = losses;
  const curve = [
    ["Expected", usd(total.expected), "", usd(damage.expected), usd(insured.expected)],
    [
      "Standard deviation",
      ...[usd(total.standard_deviation), "", usd(damage.standard_deviation)],
      usd(insured.standard_deviation),
    ],
    ...total.exceedance.map((point, at) => [
      `Exceeded once in ${point.return_period_years} years`,
      ...[usd(point.amount), usd(point.with_model_error), usd(damage.exceedance[at]!.amount)],
      usd(insured.exceedance[at]!.amount),
    ]),
    [
      "Mean of the worst 1%",
      ...[usd(total.tail_value_at_risk_99.amount), usd(total.tail_value_at_risk_99.with_model_error)],
      ...[usd(damage.tail_value_at_risk_99.amount), usd(insured.tail_value_at_risk_99.amount)],
    ],
  ];
  const kinds = [...new Set(losses.drivers.map(({ by }) => by))];
  const drivers = kinds.flatMap((by) =>
    losses.drivers
      .filter((driver) => driver.by === by)
      .slice(0, SHOWN_DRIVERS)
      .map((driver) => [
        ...[driver.by, driver.key, usd(driver.expected)],
        ...[percent(driver.share_of_expected), percent(driver.share_of_variance)],
      ]),
  );
  const largest = losses.largest_damage.map((one) => [usd(one.amount), probability(one.probability)]);
  const layer = `deductible ${wholeMoney(losses.deductible)}, ${losses.limit === null ? "no limit" : `limit ${wholeMoney(losses.limit)}`}`;
  return [
    wrapTerminalText(
      `${name}: ${losses.components.toLocaleString("en-US")} components in ${losses.properties.toLocaleString("en-US")} properties as of ${losses.as_of}; insured with ${layer}.`,
      columns,
    ),
    terminalTable(curveColumns(), curve, tableWidth),
    terminalTable(LARGEST, largest, tableWidth),
    ...(drivers.length > 0 ? [terminalTable(DRIVERS, drivers, tableWidth)] : []),
    ...[...losses.notes, losses.assumptions.statement].map((sentence) => wrapTerminalText(sentence, columns)),
  ].join("\n\n");
}
