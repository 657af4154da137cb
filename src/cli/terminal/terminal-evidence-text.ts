import {
  type ExplainedScore,
  formatTerminalNumber,
  formatTerminalPercent,
  terminalBlock,
  terminalExplainedLine,
} from "./terminal-block-text.ts";
import { type OutputWidths, terminalTable, wrapTerminalText } from "./terminal-table.ts";

/** Returns the evidence as a table, followed by the resulting hazard ratio. */
export function terminalEvidenceText(
  { evidence, hazard }: ExplainedScore,
  { columns, tableWidth }: OutputWidths,
): string {
  if (evidence.length === 0)
    return terminalBlock("Evidence", columns, [
      terminalExplainedLine("None", "", "the hazard follows from age alone"),
      terminalExplainedLine("Hazard ratio θ", "1", ""),
    ]);
  const rows = evidence.map((item) => [
    item.date ?? "",
    item.label,
    formatTerminalNumber(item.base_ratio),
    formatTerminalPercent(item.remaining),
    exponent(item),
    item.kind === "smart_event"
      ? `Λ ${formatTerminalNumber(item.acute_hazard)}`
      : `× ${formatTerminalNumber(item.factor)}`,
    item.ends_on ?? "-",
    item.source,
    item.ended_by ?? "",
  ]);
  const table = terminalTable(
    [
      { heading: "Date" },
      { heading: "Evidence", shrinks: true },
      { heading: "Ratio", align: "right" },
      { heading: "Remaining", align: "right" },
      { heading: "Exponent", align: "right", from: 100 },
      { heading: "Now", align: "right" },
      { heading: "Ends" },
      { heading: "Source", from: 100 },
      { heading: "Ended early by", from: 150, shrinks: true },
    ],
    rows,
    tableWidth - 2,
  );
  return [
    "Evidence",
    ...table.split("\n").map((row) => `  ${row}`),
    ...hazardRatioLines(hazard, evidence, columns),
  ].join("\n");
}

function exponent({ weight, strength, times }: ExplainedScore["evidence"][number]): string {
  const all = weight * strength * times;
  return all === 1 ? "" : formatTerminalNumber(all);
}

function hazardRatioLines(
  hazard: ExplainedScore["hazard"],
  evidence: ExplainedScore["evidence"],
  width: number,
): string[] {
  const isCascadeLimited = hazard.cascades < hazard.cascades_product;
  const isLimited = hazard.hazard_ratio !== hazard.product;
  const text = terminalBlock("", width, [
    hazard.strength_condition !== 1 &&
      terminalExplainedLine(
        "Strength of conditions",
        `^ ${formatTerminalNumber(hazard.strength_condition)}`,
        "calibrated",
      ),
    hazard.strength_repairs !== 1 &&
      terminalExplainedLine(
        "Strength of repairs",
        `^ ${formatTerminalNumber(hazard.strength_repairs)}`,
        "calibrated",
      ),
    isCascadeLimited &&
      terminalExplainedLine(
        "Cascades, limited",
        `× ${formatTerminalNumber(hazard.cascades)}`,
        `product ${formatTerminalNumber(hazard.cascades_product)} exceeds the limit`,
      ),
    isLimited &&
      terminalExplainedLine(
        "Product",
        formatTerminalNumber(hazard.product),
        `limited to ${hazard.lowest}–${hazard.highest}`,
      ),
    terminalExplainedLine(
      "Hazard ratio θ",
      `= ${formatTerminalNumber(hazard.hazard_ratio)}`,
      "multiplies the hazard at this age",
    ),
    hazard.acute_hazard > 0 &&
      terminalExplainedLine(
        "Acute hazard Λ",
        `= ${formatTerminalNumber(hazard.acute_hazard)}`,
        `added to the hazard, over ${hazard.acute_span_days} days`,
      ),
  ]);
  const isShared = evidence.some(({ weight }) => weight !== 1);
  const note =
    "The exponent reduces the ratio of an event that may concern any of several components, or of a fault that was " +
    "repaired.";
  return [...text.split("\n").slice(1), ...(isShared ? [wrapTerminalText(note, width, "  ")] : [])];
}
