import type { LossClass, System } from "../../../src/domain/knowledge.ts";
import { LossBook } from "../../../src/domain/losses/loss-book.ts";
import type { LossPart } from "../../../src/domain/losses/loss-part.ts";
import type { Layer } from "../../../src/domain/losses/severity.ts";
import { loadKnowledge } from "../../../src/knowledge/load.ts";

const knowledge = loadKnowledge();
export const lossClassOf = (system: System) => knowledge.lossClass(system);

export const AMOUNTS = [10_000, 50_000, 100_000];

export function bookOf(
  parts: readonly LossPart[],
  layer: Layer = { deductible: 2500, limit: 50_000 },
  lossClass: (system: System) => LossClass = lossClassOf,
): LossBook {
  const book = new LossBook(lossClass, { layer, amounts: AMOUNTS });
  for (const part of parts) book.add(part);
  return book;
}

/** A part with a damage that happens at most once, with the mean and the frequency; none if its mean is 0. */
export function partOf(
  given: Partial<Omit<LossPart, "damage">> & {
    frequency?: number;
    damage?: number;
    isPoisson?: boolean;
  } = {},
): LossPart {
  const { frequency = 0, damage = 0, isPoisson = false, system = "plumbing", ...rest } = given;
  const variation = lossClassOf(system).damageVariation;
  return {
    failureProbability: 0.1,
    repair: 1000,
    system,
    state: "WA",
    division: "pacific",
    propertyId: "P_1",
    kind: "part",
    ...rest,
    damage:
      frequency > 0 ? { severity: { peril: "water", mean: damage, variation, isPoisson }, frequency } : null,
  };
}
