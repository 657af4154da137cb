import type { RandomVariates } from "../statistics/random-variates.ts";
import type { Steps } from "../steps/computation-steps.ts";
import type { LossKind } from "./loss-component.ts";
import { type DamageSeverity, type InsuredLayer, logNormalParameters } from "./loss-severity.ts";
import type { SimulatedYearLosses } from "./simulated-year-losses.ts";

/** Above this hazard it is cheaper to draw for every year than for every event. */
const FREQUENT = 0.7;
/** The events of one step, about. */
const EVENTS_PER_STEP = 8192;

/** A component that is simulated by itself, for its total cost or for its damage or for both. */
export type SingleComponent = {
  hazard: number;
  repair: number;
  frequency: number;
  severity: DamageSeverity;
  inTotal: boolean;
  inDamage: boolean;
};

/** The factors of a group by year, as the forecast is and with its error. */
export type SimulatedYearFactors = { plain: Float64Array; withError: Float64Array };

type SimulatedLosses = Record<LossKind, SimulatedYearLosses>;

type Simulation = {
  random: RandomVariates;
  layer: InsuredLayer;
  factors: SimulatedYearFactors;
  /** The sums by year, to which losses are added. */
  losses: SimulatedLosses;
};

/** Simulates components of one group that fail one by one. */
export function* simulateComponents(
  components: readonly SingleComponent[],
  simulation: Simulation,
): Steps<void> {
  const years = simulation.factors.plain.length;
  const rare = components.filter(({ hazard }) => hazard <= FREQUENT && hazard > 0);
  if (rare.length > 0) {
    const together = new RareComponents(rare, simulation);
    const yearsPerStep = Math.max(1, Math.floor(EVENTS_PER_STEP / (1 + together.rate)));
    for (let year = 0; year < years; year += yearsPerStep) {
      together.simulate(year, Math.min(year + yearsPerStep, years));
      yield;
    }
  }
  for (const component of components)
    if (component.hazard > FREQUENT) {
      simulateFrequent(component, simulation);
      yield;
    }
}

/** Simulates a component that fails in most years: by the time of its first failure in each of them. */
function simulateFrequent(component: SingleComponent, simulation: Simulation): void {
  const { random } = simulation;
  const { plain, withError } = simulation.factors;
  const costs = new FailureCosts([component], simulation);
  const mean = 1 / component.hazard;
  for (let year = 0; year < plain.length; year++) {
    const time = random.exponential() * mean;
    const isPlain = time < plain[year]!;
    const isWithError = time < withError[year]!;
    if (isPlain || isWithError) costs.add(0, year, isPlain, isWithError);
  }
}

/**
 * Simulates components that fail in few years, together. In an operational time in which a year lasts as long as the
 * larger of its two factors, the events of a component are a Poisson process with its hazard as rate, and a component
 * fails at the first of a year. The events of all components are one such process with the sum of the rates, each event
 * of a component in proportion to its own.
 */
class RareComponents {
  /** The sum of the hazards. */
  readonly rate: number;
  readonly #choice: WeightedChoice;
  readonly #costs: FailureCosts;
  /** The latest year in which each component failed. */
  readonly #lastPlain: Int32Array;
  readonly #lastWithError: Int32Array;
  /** The operational time from the beginning of the next year to the next event. */
  #next: number;

  constructor(
    components: readonly SingleComponent[],
    private readonly simulation: Simulation,
  ) {
    this.#choice = new WeightedChoice(components.map(({ hazard }) => hazard));
    this.rate = this.#choice.total;
    this.#costs = new FailureCosts(components, simulation);
    this.#lastPlain = new Int32Array(components.length).fill(-1);
    this.#lastWithError = new Int32Array(components.length).fill(-1);
    this.#next = simulation.random.exponential() / this.rate;
  }

  simulate(from: number, to: number): void {
    const { random, factors } = this.simulation;
    const { plain, withError } = factors;
    const [choice, costs, lastPlain, lastWithError] = [
      this.#choice,
      this.#costs,
      this.#lastPlain,
      this.#lastWithError,
    ];
    const mean = 1 / this.rate;
    let time = this.#next;
    for (let year = from; year < to; year++) {
      const endOfPlain = plain[year]!;
      const endWithError = withError[year]!;
      const end = Math.max(endOfPlain, endWithError);
      for (; time < end; time += random.exponential() * mean) {
        const component = choice.draw(random);
        const isPlain = time < endOfPlain && lastPlain[component] !== year;
        const isWithError = time < endWithError && lastWithError[component] !== year;
        if (isPlain) lastPlain[component] = year;
        if (isWithError) lastWithError[component] = year;
        if (isPlain || isWithError) costs.add(component, year, isPlain, isWithError);
      }
      time -= end;
    }
    this.#next = time;
  }
}

/** Chooses indexes in proportion to weights in constant time (the alias method: A. J. Walker, ACM TOMS 3, 1977). */
class WeightedChoice {
  readonly total: number;
  /** Each index keeps its cell up to this share; the rest is another's. */
  readonly #kept: Float64Array;
  readonly #others: Uint32Array;

  constructor(weights: readonly number[]) {
    const count = weights.length;
    this.total = weights.reduce((sum, weight) => sum + weight, 0);
    this.#kept = Float64Array.from(weights, (weight) => (weight * count) / this.total);
    this.#others = new Uint32Array(count);
    const small: number[] = [];
    const large: number[] = [];
    for (let index = 0; index < count; index++) (this.#kept[index]! < 1 ? small : large).push(index);
    while (small.length > 0 && large.length > 0) {
      const [less, more] = [small.pop()!, large.at(-1)!];
      this.#others[less] = more;
      this.#kept[more]! -= 1 - this.#kept[less]!;
      if (this.#kept[more]! < 1) small.push(large.pop()!);
    }
    // The shares that remain are 1 but for rounding.
    for (const index of [...small, ...large]) this.#kept[index] = 1;
  }

  draw(random: RandomVariates): number {
    const scaled = (1 - random.uniform()) * this.#kept.length;
    const index = scaled | 0;
    return scaled - index < this.#kept[index]! ? index : this.#others[index]!;
  }
}

/** Draws what the failures of components cost, and adds it to the years. */
class FailureCosts {
  /** By component, in columns, for millions of failures. The repairs of components that are not in the total are 0. */
  readonly #repair: Float64Array;
  /** The probability that a failure does no damage, and minus its logarithm. */
  readonly #harmless: Float64Array;
  readonly #logHarm: Float64Array;
  /** The failures without damage until the next one with damage. */
  readonly #harmlessLeft: Float64Array;
  readonly #mus: Float64Array;
  readonly #sigmas: Float64Array;
  readonly #isPoisson: Uint8Array;
  readonly #inTotal: Uint8Array;
  readonly #inDamage: Uint8Array;
  readonly #deductible: number;
  readonly #top: number;
  readonly #random: RandomVariates;
  readonly #losses: SimulatedLosses;

  constructor(components: readonly SingleComponent[], { random, layer, losses }: Simulation) {
    const column = (value: (component: SingleComponent) => number) => Float64Array.from(components, value);
    const flags = (value: (component: SingleComponent) => boolean) =>
      Uint8Array.from(components, (component) => +value(component));
    this.#repair = column(({ inTotal, repair }) => (inTotal ? repair : 0));
    this.#logHarm = column(({ frequency, severity }) =>
      severity.isPoisson ? frequency : -Math.log1p(-Math.min(frequency, 1)),
    );
    this.#harmless = this.#logHarm.map((logHarm) => Math.exp(-logHarm));
    this.#mus = column(({ frequency, severity }) => (frequency > 0 ? logNormalParameters(severity).mu : 0));
    this.#sigmas = column(({ frequency, severity }) =>
      frequency > 0 ? logNormalParameters(severity).sigma : 0,
    );
    this.#isPoisson = flags(({ severity }) => severity.isPoisson);
    this.#inTotal = flags(({ inTotal }) => inTotal);
    this.#inDamage = flags(({ inDamage }) => inDamage);
    this.#deductible = layer.deductible;
    this.#top = layer.limit ?? Number.POSITIVE_INFINITY;
    this.#random = random;
    this.#losses = losses;
    this.#harmlessLeft = this.#logHarm.map((logHarm) => this.#harmlessFailures(logHarm));
  }

  /** Draws how many failures do no damage before one that does: cheaper than a number for each failure. */
  #harmlessFailures(logHarm: number): number {
    return logHarm > 0 ? Math.floor(this.#random.exponential() / logHarm) : Number.POSITIVE_INFINITY;
  }

  add(at: number, year: number, isPlain: boolean, isWithError: boolean): void {
    const repair = this.#repair[at]!;
    const { plain, withError } = this.#losses.total;
    if (isPlain) plain[year]! += repair;
    if (isWithError) withError[year]! += repair;
    if (--this.#harmlessLeft[at]! < 0) this.#addDamages(at, year, isPlain, isWithError);
  }

  /** Adds the damages of a failure that does some: one, or a Poisson number above 0. */
  #addDamages(at: number, year: number, isPlain: boolean, isWithError: boolean): void {
    const random = this.#random;
    const harmless = this.#harmless[at]!;
    this.#harmlessLeft[at] = this.#harmlessFailures(this.#logHarm[at]!);
    const [mu, sigma, isPoisson] = [this.#mus[at]!, this.#sigmas[at]!, this.#isPoisson[at] === 1];
    const [deductible, top] = [this.#deductible, this.#top];
    let [sum, insuredSum] = [0, 0];
    // The product of uniform numbers falls below exp(−κ) after a Poisson number of factors.
    let product = isPoisson ? harmless + (1 - harmless) * random.uniform() : 0;
    do {
      const amount = Math.exp(mu + sigma * random.normal());
      sum += amount;
      insuredSum += Math.min(Math.max(amount - deductible, 0), top);
      product *= isPoisson ? random.uniform() : 0;
    } while (product > harmless);
    const { total, damage, insured } = this.#losses;
    if (this.#inTotal[at] === 1) addTo(total, sum, year, isPlain, isWithError);
    if (this.#inDamage[at] === 0) return;
    addTo(damage, sum, year, isPlain, isWithError);
    if (insured !== damage) addTo(insured, insuredSum, year, isPlain, isWithError);
  }
}

function addTo(
  loss: SimulatedYearLosses,
  amount: number,
  year: number,
  isPlain: boolean,
  isWithError: boolean,
): void {
  if (isPlain) loss.plain[year]! += amount;
  if (isWithError) loss.withError[year]! += amount;
}
