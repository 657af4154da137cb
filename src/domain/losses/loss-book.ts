import type { LossClass, System } from "../domain-knowledge.ts";
import type { LossComponent } from "./loss-component.ts";
import {
  CHUNK_SIZE,
  ComponentChunk,
  ComponentNumbering,
  LargestComponents,
  NO_SEVERITY,
} from "./loss-component-arrays.ts";
import {
  type DamageSeverity,
  damageMoments,
  exceedanceProbability,
  type InsuredLayer,
  insuredMoments,
  type Moments,
  setMomentsOfFailure,
} from "./loss-severity.ts";
import { hazardFromYearProbability } from "./yearly-hazard-factor.ts";

/** The components that are simulated one by one. */
const LARGEST_COMPONENTS = 1000;

/** The components that share a year factor: one class in one census division. */
type LossGroup = { system: System; division: string; variance: number };

/** A severity with what the book needs of it. */
type SeverityEntry = {
  severity: DamageSeverity;
  damage: Moments;
  insured: Moments;
  /** The probability that a damage exceeds each of the book's amounts. */
  exceedance: Float64Array;
};

/** The terms of the insured losses, and the amounts whose exceedance by the largest damage is asked; in cents. */
type LossTerms = { layer: InsuredLayer; amounts: readonly number[] };

const NO_DAMAGE: SeverityEntry = {
  severity: { peril: "water", mean: 0, variation: 0, isPoisson: false },
  damage: { mean: 0, square: 0 },
  insured: { mean: 0, square: 0 },
  exceedance: new Float64Array(0),
};

/** Collects the components of a book. Their losses follow from `annualBookLosses`. */
export class LossBook {
  readonly chunks: ComponentChunk[] = [];
  readonly groups: LossGroup[] = [];
  readonly severities: SeverityEntry[] = [NO_DAMAGE];
  readonly properties = new ComponentNumbering<string>();
  readonly kinds = new ComponentNumbering<string>();
  /** By the index of the property, and by that of the kind. */
  readonly stateOf: string[] = [];
  readonly #groupIndexes = new Map<string, Map<System, number>>();
  readonly #severityIndexes = new Map<string, Map<number, number>>();
  readonly #largest = {
    total: new LargestComponents(LARGEST_COMPONENTS),
    damage: new LargestComponents(LARGEST_COMPONENTS),
  };
  #count = 0;

  constructor(
    private readonly lossClassOf: (system: System) => LossClass,
    readonly terms: LossTerms,
  ) {}

  get count(): number {
    return this.#count;
  }

  add(component: LossComponent): void {
    const chunk = this.#chunkWithRoom();
    const at = chunk.count++;
    const group = this.#groupOf(component);
    chunk.group[at] = group;
    chunk.probability[at] = component.failureProbability;
    chunk.hazard[at] = hazardFromYearProbability(component.failureProbability, this.groups[group]!.variance);
    chunk.repair[at] = component.repair;
    chunk.frequency[at] = component.damage?.frequency ?? 0;
    chunk.severity[at] = component.damage ? this.#severityOf(component.damage.severity) : NO_SEVERITY;
    const property = this.properties.indexOf(component.propertyId);
    this.stateOf[property] = component.state;
    chunk.property[at] = property;
    chunk.kind[at] = this.kinds.indexOf(component.kind);
    const [total, damage] = failureLossMoments(this, chunk, at);
    const place = this.#count++;
    this.#largest.total.offer(component.failureProbability * total.square, place);
    if (damage.square > 0) this.#largest.damage.offer(component.failureProbability * damage.square, place);
  }

  /** Returns the places of the components with the largest mean square loss of the year, in ascending order. */
  largest(): { total: number[]; damage: number[] } {
    return { total: this.#largest.total.places(), damage: this.#largest.damage.places() };
  }

  #chunkWithRoom(): ComponentChunk {
    const last = this.chunks.at(-1);
    if (last && last.count < CHUNK_SIZE) return last;
    const chunk = new ComponentChunk();
    this.chunks.push(chunk);
    return chunk;
  }

  #groupOf({ system, division }: LossComponent): number {
    const ofDivision = this.#groupIndexes.get(division) ?? new Map<System, number>();
    this.#groupIndexes.set(division, ofDivision);
    const known = ofDivision.get(system);
    if (known !== undefined) return known;
    const index =
      this.groups.push({ system, division, variance: this.lossClassOf(system).yearFactorVariance }) - 1;
    ofDivision.set(system, index);
    return index;
  }

  #severityOf(severity: DamageSeverity): number {
    const { peril, mean, variation, isPoisson } = severity;
    const key = `${peril} ${variation} ${isPoisson}`;
    const byMean = this.#severityIndexes.get(key) ?? new Map<number, number>();
    this.#severityIndexes.set(key, byMean);
    const known = byMean.get(mean);
    if (known !== undefined) return known;
    const { layer, amounts } = this.terms;
    const index =
      this.severities.push({
        severity,
        damage: damageMoments(severity),
        insured: insuredMoments(severity, layer),
        exceedance: Float64Array.from(amounts, (amount) => exceedanceProbability(severity, amount)),
      }) - 1;
    byMean.set(mean, index);
    return index;
  }
}

/** The moments of each loss of a failure, in the order of `LOSSES`. */
type FailureMoments = readonly [total: Moments, damage: Moments, insured: Moments];

/** Returns the moments of each loss of a failure of the component. The next call changes them. */
export function failureLossMoments(book: LossBook, chunk: ComponentChunk, at: number): FailureMoments {
  const { severity, damage, insured } = book.severities[chunk.severity[at]!]!;
  const repair = chunk.repair[at]!;
  const frequency = chunk.frequency[at]!;
  setMomentsOfFailure(ofDamage, frequency, damage, severity.isPoisson);
  setMomentsOfFailure(ofInsured, frequency, insured, severity.isPoisson);
  ofTotal.mean = repair + ofDamage.mean;
  ofTotal.square = repair * repair + 2 * repair * ofDamage.mean + ofDamage.square;
  return MOMENTS;
}

const ofTotal: Moments = { mean: 0, square: 0 };
const ofDamage: Moments = { mean: 0, square: 0 };
const ofInsured: Moments = { mean: 0, square: 0 };
const MOMENTS: FailureMoments = [ofTotal, ofDamage, ofInsured];
