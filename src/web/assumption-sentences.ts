import { priceText } from "../domain/costs/price-basis.ts";
import { priceListMoney } from "../domain/display.ts";
import type { AssumptionsJson } from "../wire/assumptions.ts";

const percent = (share: number) => `${Math.round(share * 100)}%`;
const counted = (value: number, one: string) =>
  `${value.toLocaleString("en-US")} ${value === 1 ? one : `${one}s`}`;

/** Returns what figures rest on, in sentences for their reader. */
export function assumptionSentences(assumptions: AssumptionsJson): string[] {
  const { components, confidence_shares: confidence, cost_shares: costs } = assumptions;
  const { install_year_of_building: buildings, unknown_past: unknown } = assumptions;
  const prices = priceText({
    priceLevel: assumptions.price_level,
    priceMonth: assumptions.price_month,
    priceFollowsState: assumptions.price_location === "state",
  });
  const calibrated = assumptions.calibrated ? "calibrated" : "not calibrated";
  return [
    `Scoring model ${assumptions.model_version}, ${calibrated} to the operator's own records.`,
    `Costs are in ${priceListMoney()} ${prices} unless they are the owner's own.`,
    ...(components === 0
      ? []
      : [
          `Planned costs: ${percent(costs.own + costs.own_history)} the owner's own, ${percent(costs.scaled)} reference ` +
            `costs scaled to the size, ${percent(costs.reference)} reference costs.`,
          `Scores of ${counted(components, "component")}: ${percent(confidence.HIGH)} with high confidence, ` +
            `${percent(confidence.MEDIUM)} medium, ${percent(confidence.LOW)} low.`,
        ]),
    ...(buildings > 0
      ? [
          `Without an install year of their own: ${counted(buildings, "component")}, which have the building's year.`,
        ]
      : []),
    ...(unknown > 0
      ? [
          `Older than the service record: ${counted(unknown, "component")}, which may have been replaced before it began.`,
        ]
      : []),
    ...(assumptions.unknown_places > 0
      ? [
          `Outside the US states: ${counted(assumptions.unknown_places, "component")}, scored at a mean climate and ` +
            `priced at US averages unless costs are the owner's own.`,
        ]
      : []),
    assumptions.statement,
  ];
}
