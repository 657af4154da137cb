import type { PlacedComponent } from "../domain/component.ts";
import type { CostBasis } from "../domain/costs/component-costs.ts";
import type { Property } from "../domain/property.ts";
import type { Steps } from "../domain/steps/computation-steps.ts";
import type { Instant } from "../domain/time.ts";

/** The time of a calculation, and the scoring model that it is based on. */
export type FigureContext = { now: Instant; modelVersion: string };

/**
 * The incremental calculation of a figure: `add` is called for each component of the property, oldest first, then
 * `write` once, whose last steps arrange what was added. It stores of a component no more than it writes.
 */
export type FigureSchemaAccumulator<Written> = {
  /** Returns the approximate number of bytes that it stores of the component: 0 if it only adds up. */
  add(component: PlacedComponent): number;
  write(property: Property, moment: FigureContext): Steps<Written>;
  /** Returns the amount in cents by where it comes from, for a figure that is not a sum over components. */
  costCents?: () => Readonly<Record<CostBasis, number>>;
};
