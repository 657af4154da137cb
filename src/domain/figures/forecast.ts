import type { Knowledge } from "../knowledge.ts";
import { agedScore, failureWithin } from "../projections.ts";
import { tierOf } from "../scoring/tier.ts";
import type { AssessedComponent } from "./assessment.ts";

/** The windows, in days from the latest scoring, that a forecast looks at. */
export const FORECAST_DAYS = [30, 60, 90] as const;

/** A component as likely as this to fail within a window belongs to it, whatever its tier. */
const LIKELY_FAILURE = 0.25;

export type ForecastItem<C> = {
  component: C;
  /** The probability of failing within the window, given that it works now: 0 to 1. */
  failureProbability: number;
};

export type ForecastWindow<C> = {
  items: ForecastItem<C>[];
  /** Replacing them as planned work. */
  proactiveCents: number;
  /** Letting them fail first. */
  reactiveCents: number;
};

/**
 * What is going to need work within `days`: components that are CRITICAL or will be by then through ageing alone, and
 * any as likely as a quarter to fail until then (`scoring.md` §6). A longer window holds all of a shorter one. The
 * highest score first, then the likeliest to fail.
 */
export function forecastWithin<C extends AssessedComponent>(
  knowledge: Knowledge,
  components: readonly C[],
  days: number,
): ForecastWindow<C> {
  const items: ForecastItem<C>[] = [];
  let proactiveCents = 0;
  let reactiveCents = 0;
  for (const component of components) {
    const failureProbability = failureWithin(knowledge, component, component.brandTier, days);
    if (failureProbability < LIKELY_FAILURE && !isCriticalBy(knowledge, component, days)) continue;
    const def = knowledge.component(component.defId);
    proactiveCents += def.proactiveCents;
    reactiveCents += def.reactiveCents;
    items.push({ component, failureProbability });
  }
  items.sort(
    (a, b) => b.component.riskScore - a.component.riskScore || b.failureProbability - a.failureProbability,
  );
  return { items, proactiveCents, reactiveCents };
}

function isCriticalBy(knowledge: Knowledge, component: AssessedComponent, days: number): boolean {
  if (component.riskTier === "CRITICAL") return true;
  return tierOf(agedScore(knowledge, component, component.brandTier, days)) === "CRITICAL";
}
