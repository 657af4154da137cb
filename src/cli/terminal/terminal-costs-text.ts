import { unitLabel } from "../../domain/wording/currency-and-unit-wording.ts";
import {
  type ExplainedScore,
  formatTerminalAmount,
  formatTerminalNumber,
  formatTerminalPercent,
  terminalBlock,
  terminalExplainedLine,
} from "./terminal-block-text.ts";

const BASIS = {
  own: "own cost",
  own_history: "past replacements",
  scaled: "knowledge base, scaled to the size",
  reference: "knowledge base, at its reference size",
};

/** Returns what the component costs in its place, and what that follows from. */
export function terminalCostsText({ costs }: ExplainedScore, width: number): string {
  const { size, reference_size: reference, size_unit: unit, damage } = costs;
  const isOfBook = costs.cost_basis === "scaled" || costs.cost_basis === "reference";
  return terminalBlock("Costs", width, [
    terminalExplainedLine(
      "Planned replacement",
      formatTerminalAmount(costs.proactive_cost),
      BASIS[costs.cost_basis],
    ),
    terminalExplainedLine("After a failure", formatTerminalAmount(costs.emergency_cost), "without damage"),
    damage &&
      terminalExplainedLine(
        "Probable damage",
        `+ ${formatTerminalAmount(damage.expected * damage.cost)}`,
        `${damage.peril}: ${damage.expected > 1 ? `${formatTerminalNumber(damage.expected)} damages` : formatTerminalPercent(damage.expected)} of ${formatTerminalAmount(damage.cost)}`,
      ),
    size !== null &&
      terminalExplainedLine(
        "Size",
        `× ${formatTerminalNumber(costs.size_factor)}`,
        `${formatTerminalNumber(size)} ${unit === null ? "" : unitLabel(unit)}${reference === null ? "" : ` against ${formatTerminalNumber(reference)}`}`,
      ),
    isOfBook &&
      terminalExplainedLine(
        "Location",
        `× ${formatTerminalNumber(costs.location_factor)}`,
        costs.location_edition ?? "no factor is known",
      ),
    isOfBook &&
      terminalExplainedLine(
        "Price level",
        `× ${formatTerminalNumber(costs.price_level)}`,
        `since ${costs.costs_of_month}`,
      ),
  ]);
}
