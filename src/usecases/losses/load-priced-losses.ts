import { type LossesJson, serializeLosses } from "../../api-schemas/losses-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { type PremiumTerms, technicalPremium } from "../../domain/losses/technical-premium.ts";
import type { LossRequest, SelectedLosses } from "./load-loss-books.ts";

/** `deviation`: the standard deviation that a premium is loaded with, in cents; computed for a premium alone. */
type PremiumRequest = { terms: PremiumTerms | undefined; deviation: () => Promise<number> };

/** Serializes losses, with a technical premium if terms are given. */
export async function loadPricedLosses(
  knowledge: Knowledge,
  selected: SelectedLosses,
  { layer }: LossRequest,
  { terms, deviation }: PremiumRequest,
): Promise<LossesJson> {
  const { expected } = selected.losses.insured;
  // The deviation of a property takes the whole book.
  const loaded = terms && terms.riskLoad > 0 ? await deviation() : null;
  return serializeLosses(knowledge, {
    ...selected,
    isCalibrated: selected.modelVersion !== knowledge.modelVersion,
    layer,
    premium: terms ? { amount: technicalPremium(expected, loaded ?? 0, terms), deviation: loaded } : null,
  });
}
