import { type PlacedComponent, partYearBasis } from "../component.ts";
import { COST_BASES, type CostBasis } from "../costs/component-costs.ts";
import { type PriceBasis, priceBasisOf } from "../costs/price-basis.ts";
import type { Knowledge } from "../domain-knowledge.ts";
import { hasUnknownPast } from "../scoring/aged-life.ts";
import { type Confidence, SCORE_CONFIDENCES } from "../scoring/scoring-types.ts";
import { type Day, dayNumber } from "../time.ts";

/** Counts of the components that figures rest on, and their planned costs in cents by where these come from. */
export type AssumptionCounts = {
  components: number;
  confidence: Record<Confidence, number>;
  costCents: Record<CostBasis, number>;
  /** Components of appliances that have the building's year for lack of their own. */
  buildingYears: number;
  /** Components older than the service record, which may have been replaced before it. */
  unknownPasts: number;
  /** Components in places of unknown climate and cost level: scored at the mean climate, priced at location factor 1. */
  unknownPlaces: number;
};

/** The basis of figures: what is counted of the components, and the prices of the knowledge base. */
export type Assumptions = PriceBasis & AssumptionCounts;

export const emptyAssumptionCounts = (): AssumptionCounts => ({
  components: 0,
  confidence: { HIGH: 0, MEDIUM: 0, LOW: 0 },
  costCents: { own: 0, own_history: 0, scaled: 0, reference: 0 },
  buildingYears: 0,
  unknownPasts: 0,
  unknownPlaces: 0,
});

/** Adds the counts of other components (`sign` 1) or subtracts them (-1), in place. */
export function addAssumptionCountsOfComponents(
  counts: AssumptionCounts,
  other: AssumptionCounts,
  sign: 1 | -1,
): void {
  for (const name of ["components", "buildingYears", "unknownPasts", "unknownPlaces"] as const)
    counts[name] += sign * other[name];
  for (const level of SCORE_CONFIDENCES) counts.confidence[level] += sign * other.confidence[level];
  for (const basis of COST_BASES) counts.costCents[basis] += sign * other.costCents[basis];
}

/** The fields of a component that assumptions count. */
type CountedComponent = Pick<
  PlacedComponent,
  | "defId"
  | "state"
  | "confidence"
  | "installYear"
  | "installYearGiven"
  | "lastReplaced"
  | "past"
  | "installYearBasis"
  | "recordsSince"
>;

/** Counts what the figures of some components rest on. It keeps nothing of a component. */
export class AssumptionsAccumulator {
  readonly counts = emptyAssumptionCounts();
  /** The start of the record of the latest component, since those of a property have the same. */
  #record: { day: Day; number: number } | undefined;

  constructor(private readonly knowledge: Knowledge) {}

  /** `cost`: its planned cost, and where that comes from. */
  add(
    component: CountedComponent,
    { plannedCents, basis }: { plannedCents: number; basis: CostBasis },
  ): void {
    const { defId, confidence, recordsSince } = component;
    this.counts.components++;
    this.counts.confidence[confidence]++;
    this.counts.costCents[basis] += plannedCents;
    if (partYearBasis(component) === "year_built") this.counts.buildingYears++;
    if (!this.knowledge.knowsClimate(component.state)) this.counts.unknownPlaces++;
    if (this.#record?.day !== recordsSince)
      this.#record = { day: recordsSince, number: dayNumber(recordsSince) };
    const def = this.knowledge.component(defId);
    if (component.lastReplaced === null && hasUnknownPast(def, component, this.#record.number))
      this.counts.unknownPasts++;
  }

  get assumptions(): Assumptions {
    return { ...this.counts, ...priceBasisOf(this.knowledge) };
  }
}
