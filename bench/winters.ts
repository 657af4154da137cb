import type { Knowledge } from "../src/domain/domain-knowledge.ts";
import { annualBookLosses } from "../src/domain/losses/book-losses.ts";
import { exceedanceCurve, RETURN_PERIODS, sortSimulatedYears } from "../src/domain/losses/exceedance.ts";
import { LossBook } from "../src/domain/losses/loss-book.ts";
import { LOSSES, type LossComponent, type LossKind } from "../src/domain/losses/loss-component.ts";
import { type InsuredLayer, logNormalParameters } from "../src/domain/losses/loss-severity.ts";
import { hazardFromYearProbability } from "../src/domain/losses/yearly-hazard-factor.ts";
import { RandomVariates } from "../src/domain/statistics/random-variates.ts";
import { runSteps } from "../src/domain/steps/computation-steps.ts";
import type { Figure } from "./figure.ts";

const STATES = ["NY", "TX", "FL", "CA", "CO", "MN"];
export const LAYER: InsuredLayer = { deductible: 250_000, limit: 5_000_000 };

/** Components of the fleet, and its years. */
const COMPONENTS = 54_000;
const YEARS = 20_000;
/** The largest differences from the curve, of the years up to 100 and of the 200. */
const TARGETS = { upTo100: 0.02, of200: 0.03 };
/** Components of a block, which have similar hazards. */
const BLOCK = 128;

/** Returns the components of a fleet by number: of all kinds, in six states, failing with probabilities of up to 0.2. */
export function fleetOf(knowledge: Knowledge): (n: number) => LossComponent {
  const defs = [...knowledge.components.values()];
  return (n) => {
    const { id, system, damage, emergencyCents } = defs[n % defs.length]!;
    const state = STATES[n % STATES.length]!;
    const variation = knowledge.lossClass(system).damageVariation;
    return {
      failureProbability: 0.005 + 0.2 * (((n * 7919) % 1000) / 1000),
      repair: emergencyCents,
      damage: damage && {
        severity: { peril: damage.peril, mean: damage.cents, variation, isPoisson: false },
        frequency: damage.probability,
      },
      system,
      state,
      division: knowledge.division(state),
      propertyId: `P_${n % 10_000}`,
      kind: id,
    };
  };
}

/**
 * Compares the curve of a large fleet with years in which every component fails or not by itself, given the winter that the
 * components of its class and division share.
 */
export function winters(knowledge: Knowledge): Figure {
  const book = new LossBook((system) => knowledge.lossClass(system), { layer: LAYER, amounts: [] });
  const componentOf = fleetOf(knowledge);
  const components = Array.from({ length: COMPONENTS }, (_, n) => componentOf(n));
  for (const component of components) book.add(component);
  const answer = runSteps(
    annualBookLosses(book, { years: YEARS, modelError: knowledge.lossModelError.book }),
  );
  const years = {
    total: new Float64Array(YEARS),
    damage: new Float64Array(YEARS),
    insured: new Float64Array(YEARS),
  };
  const random = new RandomVariates(77);
  for (const group of Map.groupBy(components, ({ division, system }) => `${division} ${system}`).values())
    addWinters(random, group, knowledge.lossClass(group[0]!.system).yearFactorVariance, years);
  let [upTo100, of200] = [0, 0];
  for (const loss of LOSSES) {
    const simulated = exceedanceCurve(
      runSteps(sortSimulatedYears({ plain: years[loss], withError: years[loss] })),
    );
    for (const [at, period] of RETURN_PERIODS.entries()) {
      const difference = Math.abs(answer[loss].exceedance[at]!.amount / simulated[at]!.amount - 1);
      if (period > 100) of200 = Math.max(of200, difference);
      else upTo100 = Math.max(upTo100, difference);
    }
  }
  const percent = (share: number) => `${(100 * share).toFixed(2)}%`;
  return {
    what: `The curve of ${COMPONENTS.toLocaleString("en-US")} components beside ${YEARS.toLocaleString("en-US")} years of a fleet with winters, each component by itself`,
    target: `within ${percent(TARGETS.upTo100)} up to once in 100 years, ${percent(TARGETS.of200)} once in 200`,
    measured: `within ${percent(upTo100)} and ${percent(of200)}, of all costs, damage and insured damage`,
    holds: upTo100 <= TARGETS.upTo100 && of200 <= TARGETS.of200,
  };
}

/**
 * Adds the losses of one group to each year. Failures are found by skipping: components in descending order of hazard fail at
 * most as often as the first of their block, and a failure at that rate counts with the ratio of the two rates.
 */
function addWinters(
  random: RandomVariates,
  group: readonly LossComponent[],
  variance: number,
  years: Record<LossKind, Float64Array>,
): void {
  const sorted = group.toSorted((a, b) => b.failureProbability - a.failureProbability);
  const hazards = Float64Array.from(sorted, (component) =>
    hazardFromYearProbability(component.failureProbability, variance),
  );
  for (let year = 0; year < YEARS; year++) {
    const winter = random.gamma(1 / variance) * variance;
    for (let first = 0; first < sorted.length; first += BLOCK) {
      const end = Math.min(first + BLOCK, sorted.length);
      const most = -Math.expm1(-hazards[first]! * winter);
      // The logarithm of a uniform number over that of staying whole is the number of components skipped.
      for (let at = first - 1; ; ) {
        at += 1 + Math.floor(random.exponential() / (hazards[first]! * winter));
        if (at >= end) break;
        if (random.uniform() * most > -Math.expm1(-hazards[at]! * winter)) continue;
        addFailure(random, sorted[at]!, years, year);
      }
    }
  }
}

function addFailure(
  random: RandomVariates,
  { repair, damage }: LossComponent,
  years: Record<LossKind, Float64Array>,
  year: number,
): void {
  years.total[year]! += repair;
  if (!damage || random.uniform() > damage.frequency) return;
  const { mu, sigma } = logNormalParameters(damage.severity);
  const amount = Math.exp(mu + sigma * random.normal());
  years.total[year]! += amount;
  years.damage[year]! += amount;
  years.insured[year]! += Math.min(Math.max(amount - LAYER.deductible, 0), LAYER.limit ?? amount);
}
