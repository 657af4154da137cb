import type { LossClass, System } from "../../../src/domain/domain-knowledge.ts";
import { LossBook } from "../../../src/domain/losses/loss-book.ts";
import type { LossComponent } from "../../../src/domain/losses/loss-component.ts";
import type { InsuredLayer } from "../../../src/domain/losses/loss-severity.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";

const knowledge = embeddedKnowledge();
export const lossClassOf = (system: System) => knowledge.lossClass(system);

export const AMOUNTS = [10_000, 50_000, 100_000];

export function bookOf(
  components: readonly LossComponent[],
  layer: InsuredLayer = { deductible: 2500, limit: 50_000 },
  lossClass: (system: System) => LossClass = lossClassOf,
): LossBook {
  const book = new LossBook(lossClass, { layer, amounts: AMOUNTS });
  for (const component of components) book.add(component);
  return book;
}

/** A component with a damage that happens at most once, with the mean and the frequency; none if its mean is 0. */
export function componentOf(
  given: Partial<Omit<LossComponent, "damage">> & {
    frequency?: number;
    damage?: number;
    isPoisson?: boolean;
  } = {},
): LossComponent {
  const { frequency = 0, damage = 0, isPoisson = false, system = "plumbing", ...rest } = given;
  const variation = lossClassOf(system).damageVariation;
  return {
    failureProbability: 0.1,
    repair: 1000,
    system,
    state: "WA",
    division: "pacific",
    propertyId: "P_1",
    kind: "component",
    ...rest,
    damage:
      frequency > 0 ? { severity: { peril: "water", mean: damage, variation, isPoisson }, frequency } : null,
  };
}
