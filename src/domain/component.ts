import type { PricedComponent, PriceList } from "./costs/price-list.ts";
import type { Knowledge } from "./domain-knowledge.ts";
import { conflict } from "./errors.ts";
import type { UnitTiming } from "./planning/unit-advice.ts";
import type {
  BrandTier,
  ComponentPast,
  Confidence,
  InstallYearBasis,
  RiskTier,
  ScoreState,
} from "./scoring/scoring-types.ts";
import { type Day, type Instant, yearOf } from "./time.ts";

/** A component as stored, with its latest score. */
export type Component = ScoreState & {
  id: string;
  partnerId: string;
  propertyId: string;
  applianceId: string;
  seq: number;
  defId: string;
  installYear: number;
  /** True if the year is the part's own; false if it follows that of the appliance. */
  installYearGiven: boolean;
  lastReplaced: Day | null;
  lastServiced: Day | null;
  /** Years; overrides the median life of the knowledge base. */
  overrideLifespan: number | null;
  /** The owner's cost of replacing it as planned; null without one. */
  ownPlannedCents: number | null;
  /** The owner's cost of its failure; null without one. */
  ownFailedCents: number | null;
  /** An inspector's finding about its past; null without one. */
  past: ComponentPast | null;
  /** Hundredths, 0 to 99. */
  riskScore: number;
  riskTier: RiskTier;
  confidence: Confidence;
  /** The expected cost of a failure within 12 months (`expectedFailureCostForSorting`), by which alerts are sorted; 0 below WARNING. */
  expectedCostCents: number;
  /** The tier last announced to the partner. */
  announcedTier: RiskTier;
  scoredOn: Day;
  /** The score of the newest trend point; null before the first snapshot. */
  trendScore: number | null;
  /** The time of the latest score; null if it is the latest snapshot's. */
  rescoredAt: Instant | null;
  createdAt: Instant;
};

/** A component as the input of a new score: without the fields that the score replaces, unless the new ones are compared with them. */
export type ComponentToScore = Omit<Component, "acuteHazard" | "confidence">;

/** The lowest scores of the tiers, in hundredths, as stored. */
export const WARNING_FROM = 52;
export const CRITICAL_FROM = 78;

/** Returns the tier of a score in hundredths. */
export function tierOfHundredths(riskScore: number): RiskTier {
  return riskScore >= CRITICAL_FROM ? "CRITICAL" : riskScore >= WARNING_FROM ? "WARNING" : "GOOD";
}

/** The findings of an inspector and the numbers of the owner about a component, as they hold now. */
export type StatedComponentFields = Pick<Component, "overrideLifespan"> & {
  /** The year in which the present part was installed. */
  installYear: number;
  /** The costs that hold; as a change, null goes back to the price list. */
  plannedCents: number | null;
  failedCents: number | null;
  isOriginal: boolean;
  isPastUnknown: boolean;
};

/** The change of a component by a partner. Null clears an own year, and a cost. */
export type ComponentChange = Partial<
  Omit<StatedComponentFields, "installYear"> & { installYear: number | null }
>;

/** Returns the year in which the present part was installed: that of the last Replacement, if there is one. */
export function installYearOfPresentPart({
  installYear,
  lastReplaced,
}: Pick<Component, "installYear" | "lastReplaced">): number {
  return lastReplaced === null ? installYear : yearOf(lastReplaced);
}

export const PART_YEAR_BASES = ["replacement", "given", "appliance", "year_built"] as const;

/** Returns what the year of `installYearOfPresentPart` rests on. */
export function partYearBasis({
  installYearGiven,
  installYearBasis,
  lastReplaced,
}: Pick<
  PlacedComponent,
  "installYearGiven" | "installYearBasis" | "lastReplaced"
>): (typeof PART_YEAR_BASES)[number] {
  if (lastReplaced !== null) return "replacement";
  if (installYearGiven) return "given";
  return installYearBasis === "year_built" ? "year_built" : "appliance";
}

/** Returns what is stated of a component, with the costs that hold for it. */
export function statedFieldsOfComponent(
  component: PlacedComponent,
  prices: PriceList,
): StatedComponentFields {
  const costs = prices.ofComponent(component);
  return {
    overrideLifespan: component.overrideLifespan,
    installYear: installYearOfPresentPart(component),
    plannedCents: costs.plannedCents,
    failedCents: costs.failedCents,
    isOriginal: component.past === "original",
    isPastUnknown: component.past === "unknown",
  };
}

/**
 * Returns a component with changes, of which the parts that only repeat what holds change nothing. Throws a conflict for a
 * statement about the past of a part whose installation is on record.
 */
export function componentAfterChange(
  component: PlacedComponent,
  change: ComponentChange,
  { prices, applianceYear }: { prices: PriceList; applianceYear: number },
): PlacedComponent {
  const stated = statedFieldsOfComponent(component, prices);
  const after = { ...component };
  const changes = <K extends keyof StatedComponentFields>(field: K) =>
    change[field] !== undefined && change[field] !== stated[field];
  if (changes("overrideLifespan")) after.overrideLifespan = change.overrideLifespan!;
  if (changes("plannedCents")) after.ownPlannedCents = change.plannedCents!;
  // Without an own number, each of the two costs follows the other.
  const { failedCents } = prices.ofComponent(after);
  if (change.failedCents !== undefined && change.failedCents !== failedCents)
    after.ownFailedCents = change.failedCents;
  const { plannedCents } = prices.ofComponent(after);
  if (change.plannedCents !== undefined && change.plannedCents !== plannedCents)
    after.ownPlannedCents = change.plannedCents;
  const year = change.installYear;
  if (year === null) {
    // The year of a replaced part is that of its Replacement. The one before holds again if that event is voided.
    if (component.lastReplaced === null)
      Object.assign(after, { installYear: applianceYear, installYearGiven: false });
  } else if (changes("installYear")) Object.assign(after, { installYear: year, installYearGiven: true });
  if (changes("isOriginal")) after.past = change.isOriginal ? "original" : null;
  if (changes("isPastUnknown") && (change.isPastUnknown || after.past === "unknown"))
    after.past = change.isPastUnknown ? "unknown" : null;
  const isAboutPast =
    (year !== null && changes("installYear")) || (after.past !== component.past && after.past !== null);
  if (isAboutPast && component.lastReplaced !== null)
    throw conflict(
      `Component ${component.id} was replaced on ${component.lastReplaced}, so that its age is on record: ` +
        "correct or void that service event instead",
    );
  return after;
}

/** A component with fields of its appliance and property. */
export type PlacedComponent = PricedComponent &
  Component & {
    brand: string | null;
    brandTier: BrandTier;
    /** The flags of its appliance, as stored (`hazardFlagsOfNotation`). */
    flags: string;
    /** The inspections of its appliance with an open deficiency. */
    deficiencies: number;
    /** When its appliance is due as a whole, as stored. */
    unitTiming: UnitTiming | null;
    installYearBasis: InstallYearBasis;
    propertyName: string;
    propertyAddress: string;
    /** The day from which the property's service record is complete. */
    recordsSince: Day;
  };

/** Returns whether a component belongs to a type; those of an appliance's former type stay retired. */
export const isComponentOfType = (
  knowledge: Knowledge,
  { defId }: Pick<Component, "defId">,
  typeId: string,
) => knowledge.type(typeId).components.some(({ id }) => id === defId);
