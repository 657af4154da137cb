import type { PlacedComponent } from "../component.ts";
import { COST_BASES, type CostBasis } from "../costs/component-costs.ts";
import { type PriceBasis, priceBasisOf } from "../costs/price-basis.ts";
import type { Knowledge } from "../knowledge.ts";
import { isPastUnknown } from "../scoring/aged-life.ts";
import type { Confidence } from "../scoring/types.ts";
import { type Day, dayNumber } from "../time.ts";

/** The basis of figures: counts of components, and their planned costs in cents by where these come from. */
export type Assumptions = PriceBasis & {
  components: number;
  confidence: Readonly<Record<Confidence, number>>;
  costCents: Readonly<Record<CostBasis, number>>;
  /** Components of appliances that have the building's year for lack of their own. */
  buildingYears: number;
  /** Components older than the service record, which may have been replaced before it. */
  unknownPasts: number;
  /** Components in places of unknown climate and cost level: scored at the mean climate, priced at location factor 1. */
  unknownPlaces: number;
};

/** The fields of a component that assumptions count. */
type CountedComponent = Pick<
  PlacedComponent,
  | "defId"
  | "state"
  | "confidence"
  | "installYear"
  | "lastReplaced"
  | "past"
  | "installYearBasis"
  | "recordsSince"
>;

/** Counts what the figures of some components rest on. It keeps nothing of a component. */
export class AssumptionsAccumulator {
  readonly #confidence = { HIGH: 0, MEDIUM: 0, LOW: 0 };
  readonly #costCents = Object.fromEntries(COST_BASES.map((basis) => [basis, 0])) as Record<
    CostBasis,
    number
  >;
  #components = 0;
  #buildingYears = 0;
  #unknownPasts = 0;
  #unknownPlaces = 0;
  /** The start of the record of the latest component, since those of a property have the same. */
  #record: { day: Day; number: number } | undefined;

  constructor(private readonly knowledge: Knowledge) {}

  /** `cost`: its planned cost, and where that comes from. */
  add(
    component: CountedComponent,
    { plannedCents, basis }: { plannedCents: number; basis: CostBasis },
  ): void {
    const { defId, confidence, installYearBasis, recordsSince } = component;
    this.#components++;
    this.#confidence[confidence]++;
    this.#costCents[basis] += plannedCents;
    if (installYearBasis === "year_built") this.#buildingYears++;
    if (!this.knowledge.knowsClimate(component.state)) this.#unknownPlaces++;
    if (this.#record?.day !== recordsSince)
      this.#record = { day: recordsSince, number: dayNumber(recordsSince) };
    const def = this.knowledge.component(defId);
    if (component.lastReplaced === null && isPastUnknown(def, component, this.#record.number))
      this.#unknownPasts++;
  }

  get assumptions(): Assumptions {
    return {
      components: this.#components,
      confidence: this.#confidence,
      costCents: this.#costCents,
      ...priceBasisOf(this.knowledge),
      buildingYears: this.#buildingYears,
      unknownPasts: this.#unknownPasts,
      unknownPlaces: this.#unknownPlaces,
    };
  }
}
