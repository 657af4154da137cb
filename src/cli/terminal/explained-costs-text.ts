import { unitLabel } from "../../domain/display.ts";
import { amount, type Explained, headedBlock, line, number, percent } from "./explained-lines.ts";

const BASIS = {
  own: "own cost",
  own_history: "past replacements",
  scaled: "knowledge base, scaled to the size",
  reference: "knowledge base, at its reference size",
};

/** Returns what the component costs in its place, and what that follows from. */
export function explainedCostsText({ costs }: Explained, width: number): string {
  const { size, reference_size: reference, size_unit: unit, damage } = costs;
  const isOfBook = costs.cost_basis === "scaled" || costs.cost_basis === "reference";
  return headedBlock("Costs", width, [
    line("Planned replacement", amount(costs.proactive_cost), BASIS[costs.cost_basis]),
    line("After a failure", amount(costs.emergency_cost), "without damage"),
    damage &&
      line(
        "Probable damage",
        `+ ${amount(damage.expected * damage.cost)}`,
        `${damage.peril}: ${damage.expected > 1 ? `${number(damage.expected)} damages` : percent(damage.expected)} of ${amount(damage.cost)}`,
      ),
    size !== null &&
      line(
        "Size",
        `× ${number(costs.size_factor)}`,
        `${number(size)} ${unit === null ? "" : unitLabel(unit)}${reference === null ? "" : ` against ${number(reference)}`}`,
      ),
    isOfBook &&
      line("Location", `× ${number(costs.location_factor)}`, costs.location_edition ?? "no factor is known"),
    isOfBook && line("Price level", `× ${number(costs.price_level)}`, `since ${costs.costs_of_month}`),
  ]);
}
