import type { Knowledge } from "../domain/knowledge.ts";
import type { Loss, LossPart } from "../domain/losses/loss-part.ts";
import { round, usdFromCents } from "./schema/units.ts";

/* The components that a property's losses add up from, as a workbook lists them (docs/model/losses.md#follow-a-figure). */

type PartLosses = {
  componentId: string;
  part: LossPart;
  yearFactorVariance: number;
  expected: Readonly<Record<Loss, number>>;
};

type ListedParts = {
  listed: readonly PartLosses[];
  others: { components: number; expected: Readonly<Record<Loss, number>> };
};

/** Probabilities and numbers of damages keep the digits from which a reader finds the cents. */
const DIGITS = 12;
const exactUsd = (cents: number) => round(usdFromCents(cents), DIGITS);
const usdOf = ({ total, damage, insured }: Readonly<Record<Loss, number>>) => ({
  total: exactUsd(total),
  damage: exactUsd(damage),
  insured: exactUsd(insured),
});

export type LossPartsJson = ReturnType<typeof lossPartsView>;

export const lossPartsView = (knowledge: Knowledge, { listed, others }: ListedParts) => ({
  listed: listed.map(({ componentId, part, yearFactorVariance, expected }) => ({
    component_id: componentId,
    name: knowledge.component(part.kind).name,
    system: part.system,
    division: part.division,
    year_factor_variance: yearFactorVariance,
    failure_probability: round(part.failureProbability, DIGITS),
    emergency_cost: usdFromCents(part.repair),
    damages: part.damage && {
      peril: part.damage.severity.peril,
      expected: round(part.damage.frequency, DIGITS),
      may_be_several: part.damage.severity.isPoisson,
      cost: usdFromCents(part.damage.severity.mean),
      variation: part.damage.severity.variation,
    },
    expected: usdOf(expected),
  })),
  others: { components: others.components, expected: usdOf(others.expected) },
});
