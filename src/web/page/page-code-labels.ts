import type { InspectionJson } from "../../api-schemas/compliance-schema.ts";
import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { PlannedComponentJson } from "../../api-schemas/plan-schema.ts";
import type { HistoryEventJson } from "../../api-schemas/service-event-schema.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import { capitalizePageText } from "./page-format.ts";

type Flag = ComponentJson["flags"][number];

/* The words that pages show for the codes of the API. */

export const TIERS: readonly RiskTier[] = ["CRITICAL", "WARNING", "GOOD"];

export const TIER_LABELS: Readonly<Record<RiskTier, { name: string; meaning: string }>> = {
  CRITICAL: { name: "Critical", meaning: "high risk of failure" },
  WARNING: { name: "Warning", meaning: "elevated risk; plan the work within 6 months" },
  GOOD: { name: "Good", meaning: "routine monitoring" },
};

/** The sources of a visit, as pages name them. */
export const INSPECTION_BASIS_LABELS: Readonly<Record<InspectionJson["basis"], string>> = {
  named: "Named by the event",
  notes: "Notes",
  assumed: "Assumed from the type",
  none: "",
};

/** The actions for a known hazard. */
export const HAZARD_ACTION_LABELS: Readonly<Record<Flag["action"], string>> = {
  immediate_hazard: "Immediate",
  inspect: "Inspect",
  monitor: "Monitor",
};

/** Why an appliance is flagged. */
export const HAZARD_BASIS_LABELS: Readonly<Record<Flag["basis"], string>> = {
  stated: "Stated",
  brand: "Brand or model",
  notes: "Notes",
  era: "Years alone",
};

export const INSPECTION_STATUS_LABELS: Readonly<Record<InspectionJson["status"], string>> = {
  OVERDUE: "Overdue",
  DUE_SOON: "Due soon",
  UPCOMING: "Upcoming",
  OK: "Not due",
};

export const ACTION_LABELS: Readonly<Record<PlannedComponentJson["action"], string>> = {
  immediate_hazard: "Immediate hazard",
  replace_now: "Replace",
  inspect: "Inspect",
  replace_by: "Replace when due",
  monitor: "Monitor",
  run_to_failure: "Run to failure",
};

/** Where a cost comes from. */
export const COST_BASIS_LABELS: Readonly<Record<PlannedComponentJson["cost_basis"], string>> = {
  own: "own cost",
  own_history: "own past cost",
  scaled: "reference cost for this size",
  reference: "reference cost",
};

const SYSTEM_LABELS: Readonly<Record<string, string>> = {
  hvac: "Heating and cooling",
  plumbing: "Plumbing and hot water",
  electrical: "Electrical",
  structural: "Structure and site",
  appliance: "Appliances",
  life_safety: "Life safety",
  conveyance: "Elevators",
  amenity: "Amenities",
};

/** The codes of the building systems, in the order in which pages offer them. */
export const OFFERED_SYSTEMS: readonly string[] = Object.keys(SYSTEM_LABELS);

export const pageSystemLabel = (system: string) => SYSTEM_LABELS[system] ?? pageCodeLabel(system);

const ABBREVIATIONS = /\b(co|gfci|afci|hvac)\b/g;

/** Turns a code into words: `relief_valve_check` into `Relief valve check`. */
export function pageCodeLabel(code: string): string {
  const text = code.replaceAll("_", " ").replace(ABBREVIATIONS, (word) => word.toUpperCase());
  return capitalizePageText(text);
}

type FoundCondition = Pick<HistoryEventJson, "condition_after" | "condition_score" | "condition_scale">;

/** `Good`, or `Good (4 on a scale of 1 to 5)`. */
export function pageTextOfFoundCondition({
  condition_after,
  condition_score,
  condition_scale,
}: FoundCondition): string {
  if (condition_after === null) return "–";
  const label = pageCodeLabel(condition_after);
  if (condition_score === null || condition_scale === null) return label;
  return `${label} (${condition_score} on a scale of ${condition_scale.join(" to ")})`;
}
