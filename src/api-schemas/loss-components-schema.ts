import type { Knowledge } from "../domain/domain-knowledge.ts";
import type { LossComponent, LossKind } from "../domain/losses/loss-component.ts";
import { jsonUsdFromCents, roundJsonNumber } from "./definition/json-unit-conversion.ts";

/* The components that a property's losses add up from, as a workbook lists them (docs/model/losses.md#follow-a-figure). */

type ListedComponent = {
  componentId: string;
  component: LossComponent;
  yearFactorVariance: number;
  expected: Readonly<Record<LossKind, number>>;
};

type ListedComponents = {
  listed: readonly ListedComponent[];
  others: { components: number; expected: Readonly<Record<LossKind, number>> };
};

/** Probabilities and numbers of damages keep the digits from which a reader finds the cents. */
const DIGITS = 12;
const exactUsd = (cents: number) => roundJsonNumber(jsonUsdFromCents(cents), DIGITS);
const usdOf = ({ total, damage, insured }: Readonly<Record<LossKind, number>>) => ({
  total: exactUsd(total),
  damage: exactUsd(damage),
  insured: exactUsd(insured),
});

export type LossComponentsJson = ReturnType<typeof serializeLossComponents>;

export const serializeLossComponents = (knowledge: Knowledge, { listed, others }: ListedComponents) => ({
  listed: listed.map(({ componentId, component, yearFactorVariance, expected }) => ({
    component_id: componentId,
    name: knowledge.component(component.kind).name,
    system: component.system,
    division: component.division,
    year_factor_variance: yearFactorVariance,
    failure_probability: roundJsonNumber(component.failureProbability, DIGITS),
    emergency_cost: jsonUsdFromCents(component.repair),
    damages: component.damage && {
      peril: component.damage.severity.peril,
      expected: roundJsonNumber(component.damage.frequency, DIGITS),
      may_be_several: component.damage.severity.isPoisson,
      cost: jsonUsdFromCents(component.damage.severity.mean),
      variation: component.damage.severity.variation,
    },
    expected: usdOf(expected),
  })),
  others: { components: others.components, expected: usdOf(others.expected) },
});
