import fc from "fast-check";
import {
  type AppliancePlan,
  planAppliance,
  scheduleAppliance,
  type WholeAppliance,
} from "../../../src/domain/planning/appliance-plan.ts";
import type { PartInPlace } from "../../../src/domain/planning/part-in-place.ts";
import { anyPart, noCaches } from "./parts.ts";

/** Lives short enough for several within ten years, and much longer than a month. */
const shortLived = anyPart.map((part): PartInPlace => ({ ...part, scaleYears: 2 + (part.scaleYears % 12) }));

/** Minor parts: cheap beside the unit. */
const minorPart = shortLived.map(
  (part): PartInPlace => ({
    ...part,
    plannedCents: 5_000 + (part.plannedCents % 40_000),
    failureCents: 8_000 + (part.failureCents % 120_000),
  }),
);

export type DrawnUnit = { parts: PartInPlace[]; whole: WholeAppliance };

/** Units with a principal part and up to four minor ones. */
export const anyUnit: fc.Arbitrary<DrawnUnit> = fc
  .tuple(
    shortLived,
    fc.array(minorPart, { minLength: 0, maxLength: 4 }),
    fc.integer({ min: 20_000, max: 800_000 }),
    fc.double({ min: 1, max: 1.6, noNaN: true }),
  )
  .map(([principal, minors, priceCents, factor]) => ({
    parts: [principal, ...minors],
    whole: {
      priceCents,
      failedPriceCents: priceCents * factor,
      principal: 0,
      lifeYears: null,
      calendarAgeYears: principal.ageYears,
    },
  }));

export const planOfUnit = ({ parts, whole }: DrawnUnit): AppliancePlan & { unit: object } => {
  const plan = planAppliance(parts, whole, noCaches());
  return { ...plan, unit: plan.unit! };
};

export const scheduleOfUnit = (unit: DrawnUnit, years: number) => {
  const plan = planOfUnit(unit);
  return { plan, schedule: scheduleAppliance(plan, years).unit! };
};
