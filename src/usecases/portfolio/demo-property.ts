import type { NewAppliance } from "../../domain/appliance.ts";
import type { Claim } from "../../domain/claim.ts";
import type { NewProperty } from "../../domain/property.ts";
import type { Condition, EventType } from "../../domain/service-event.ts";
import content from "../../knowledge/demo-property.json" with { type: "json" };

/** A visit, or a series of them that goes back from the newest. Costs are in USD. */
export type DemoVisit = {
  type: EventType;
  daysAgo: number;
  /** Days between the visits of a series, and how many there were. */
  every?: number;
  times?: number;
  /** The definition of the component that it speaks of; the whole appliance when absent. */
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
    /** Number of the unit that it stands in; absent when it serves the whole property. */
    unit?: number;
    /** The end of its warranty, in days from today. */
    warrantyDays?: number;
    visits: readonly DemoVisit[];
  };

/**
 * A walk-up of 24 apartments that got an elevator later, some of it well kept and some of it not. All dates count
 * back from today, so that it never goes stale.
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
