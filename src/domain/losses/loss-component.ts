import type { System } from "../domain-knowledge.ts";
import type { DamageSeverity } from "./loss-severity.ts";

/**
 * A component as the losses of a book see it (docs/model/losses.md): it fails at most once in the coming year, and a failure
 * costs its emergency repair and the damages that it does.
 */
export type LossComponent = {
  /** The probability of failing within 365 days, not rounded. */
  failureProbability: number;
  /** The cost of an emergency repair, in cents. */
  repair: number;
  /** Null for a component whose failure damages nothing else. `frequency`: the expected damages of a failure. */
  damage: { severity: DamageSeverity; frequency: number } | null;
  system: System;
  state: string;
  division: string;
  propertyId: string;
  /** The ID of the component definition. */
  kind: string;
};

/** The sums of a year's losses that are kept apart: all costs, the damage in them, and the insured part of the damage. */
export const LOSSES = ["total", "damage", "insured"] as const;
export type LossKind = (typeof LOSSES)[number];
