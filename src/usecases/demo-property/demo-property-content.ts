import type { NewAppliance } from "../../domain/appliance.ts";
import type { Claim } from "../../domain/claim.ts";
import type { NewProperty } from "../../domain/property.ts";
import type { Condition, EventType } from "../../domain/service-event.ts";
import content from "../../knowledge/demo-property.json" with { type: "json" };

/** A visit, or a series of visits that ends with the newest. Costs are in USD. */
export type DemoVisit = {
  type: EventType;
  daysAgo: number;
  /** Days between the visits of a series, and their number. */
  every?: number;
  times?: number;
  /** The component definition that it concerns; the whole appliance if absent. */
  on?: string;
  by?: string;
  parts?: number;
  labor?: number;
  condition?: Condition;
  notes?: string;
};

export type DemoAppliance = Pick<NewAppliance, "typeId"> &
  Partial<Pick<NewAppliance, "brand" | "model" | "serial" | "usageIntensity">> & {
    ageYears: number;
    /** The number of the unit that it is in; absent if it serves the whole property. */
    unit?: number;
    /** The end of its warranty, in days from today. */
    warrantyDays?: number;
    visits: readonly DemoVisit[];
  };

/**
 * A walk-up of 24 apartments with a later elevator, partly well kept. All dates count back from today, so that the
 * data never goes stale.
 */
export const DEMO_PROPERTY = content as {
  property: Pick<NewProperty, "name" | "address" | "city" | "state" | "zip" | "unitCount" | "notes"> & {
    ageYears: number;
    /** USD. */
    estimatedValue: number;
  };
  appliances: readonly DemoAppliance[];
  claim: Pick<Claim, "claimType" | "claimNumber" | "carrier" | "description" | "status"> & {
    daysAgo: number;
    /** USD. */
    amount: number;
  };
};
