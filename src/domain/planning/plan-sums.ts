import { COST_BASES, type CostBasis } from "../costs/component-costs.ts";
import type { Property } from "../property.ts";
import {
  addYearlyCosts,
  type CostSchedule,
  emptyYearlyCosts,
  YEARLY_COST_ROWS,
  type YearlyCosts,
} from "./cost-schedule.ts";
import {
  addVarianceOfScheduledCosts,
  emptyVarianceSums,
  type VarianceSums,
  yearPairCount,
} from "./cost-variance.ts";
import { MAX_PLAN_YEARS } from "./horizon.ts";
import type { DueNow, PlannedAppliance } from "./planned-appliance.ts";
import { addFullyFundedReserve, fundedItemOfPart } from "./reserve-accrual.ts";

/** Work due now, in whole cents. */
type DueCost = { count: number; cents: number };

/** The work due now: units as a whole, and parts of types that are not replaced as a whole. */
export type DueSums = {
  units: number;
  components: number;
  cents: number;
  /** The net cost of a 12-month delay. */
  waitingCents: number;
  /** The work that cannot wait (docs/model/planning.md#due-now). */
  immediate: DueCost;
  shortTerm: DueCost;
  /** Minor parts of units that stay: repairs. */
  repairs: DueCost;
};

/** The rows by year of a plan as stored: whole cents, and squares in whole square dollars. */
type StoredYears = Record<keyof YearlyCosts, number[]> & {
  /** Needs by the basis of their costs: planned and failures. */
  needs: Record<CostBasis, number[]>;
  /** The balance of a fully funded reserve at the end of each year; index 0 is today. */
  accrued: number[];
  /** `VarianceSums`. */
  squares: number[];
  products: number[];
};

/** The sum of the plans of a property's or portfolio's appliances, in whole cents. */
export type PlanSums = {
  /** Units of the properties that have any. */
  unitCount: number;
  /** Properties with components but without a number of units, or without an area. */
  withoutUnits: number;
  withoutArea: number;
  areaSqft: number;
  due: DueSums;
  /** The share of `due` by the basis of its costs. */
  dueByBasis: Record<CostBasis, number>;
  /** The years of the longest plan. */
  years: StoredYears;
};

/** The sums of a plan but for the products of years, which only deposits need. */
export type PlanRowSums = Omit<PlanSums, "years"> & { years: Omit<StoredYears, "products"> };

/** Returns the shares of what the reserve pays in the first `years` by the basis of its costs; null if it pays nothing. */
export function reserveShareByCostBasis(
  { years: { needs } }: PlanRowSums,
  years: number,
): Record<CostBasis, number> | null {
  const cents = byBasis(() => 0);
  let sum = 0;
  for (const basis of COST_BASES)
    for (const need of needs[basis].slice(0, years)) {
      cents[basis] += need;
      sum += need;
    }
  if (sum === 0) return null;
  for (const basis of COST_BASES) cents[basis] /= sum;
  return cents;
}

const SQUARE_CENTS = 10_000;
const zeros = (length: number) => new Array<number>(length).fill(0);
const byBasis = <T>(value: () => T): Record<CostBasis, T> => ({
  own: value(),
  own_history: value(),
  scaled: value(),
  reference: value(),
});

/**
 * Returns what plans are listed by: the cost of delay of what is due, which is negative where waiting is cheaper. A plan with
 * nothing due is below all others.
 */
export const delayRankCents = ({ due }: Pick<PlanSums, "due">): number =>
  due.cents === 0 ? Number.MIN_SAFE_INTEGER : due.waitingCents;

export const emptyDueSums = (): DueSums => ({
  units: 0,
  components: 0,
  cents: 0,
  waitingCents: 0,
  immediate: { count: 0, cents: 0 },
  shortTerm: { count: 0, cents: 0 },
  repairs: { count: 0, cents: 0 },
});

export const emptyPlanSums = (): PlanSums => ({
  unitCount: 0,
  withoutUnits: 0,
  withoutArea: 0,
  areaSqft: 0,
  due: emptyDueSums(),
  dueByBasis: byBasis(() => 0),
  years: {
    planned: zeros(MAX_PLAN_YEARS),
    failures: zeros(MAX_PLAN_YEARS),
    repairs: zeros(MAX_PLAN_YEARS),
    runToFailure: zeros(MAX_PLAN_YEARS),
    needs: byBasis(() => zeros(MAX_PLAN_YEARS)),
    accrued: zeros(MAX_PLAN_YEARS + 1),
    squares: zeros(MAX_PLAN_YEARS),
    products: zeros(yearPairCount(MAX_PLAN_YEARS)),
  },
});

/** The size of a property, by which figures are divided. */
/** Returns the size of a property, by which the figures of a plan are divided. */
export const propertySizeOfPlan = ({
  unitCount,
  grossAreaSqft,
}: Pick<Property, "unitCount" | "grossAreaSqft">): PropertySize => ({
  unitCount,
  areaSqft: grossAreaSqft,
});

type PropertySize = { unitCount: number; areaSqft: number | null };

/** Sums up a property's plan, appliance by appliance. */
export class PlanSumsAccumulator {
  readonly #years: YearlyCosts;
  readonly #variance: VarianceSums;
  readonly #accrued: Float64Array;
  readonly #needs: Record<CostBasis, Float64Array>;
  readonly #due = emptyDueSums();
  readonly #dueByBasis = byBasis(() => 0);
  #isEmpty = true;

  constructor(yearCount: number = MAX_PLAN_YEARS) {
    this.#years = emptyYearlyCosts(yearCount);
    this.#variance = emptyVarianceSums(yearCount);
    this.#accrued = new Float64Array(yearCount + 1);
    this.#needs = byBasis(() => new Float64Array(yearCount));
  }

  add<C>({ unit, components }: PlannedAppliance<C>): void {
    this.#isEmpty = false;
    if (unit) {
      this.#addSchedule(unit.schedule, unit.price.basis);
      const months = unit.dueInMonths;
      addFullyFundedReserve(this.#accrued, {
        cents: unit.price.plannedCents,
        lifeYears: unit.bestAgeMonths / 12,
        remainingYears: (months ?? unit.bestAgeMonths) / 12,
      });
      if (unit.dueNow) {
        this.#due.units++;
        this.#addDue(unit.price, unit.waitingCents, unit.dueNow);
      }
      for (const component of components) {
        if (!component.dueNow) continue;
        this.#due.repairs.count++;
        this.#due.repairs.cents += component.price.plannedCents;
      }
      return;
    }
    for (const component of components) {
      this.#addSchedule(component.schedule!, component.price.basis);
      addFullyFundedReserve(this.#accrued, fundedItemOfPart(component.part, component));
      if (!component.dueNow) continue;
      this.#due.components++;
      this.#addDue(component.price, component.waitingCents, component.dueNow);
    }
  }

  #addSchedule(schedule: CostSchedule, basis: CostBasis): void {
    addYearlyCosts(this.#years, schedule);
    addVarianceOfScheduledCosts(this.#variance, schedule);
    const needs = this.#needs[basis];
    for (let year = 0; year < needs.length; year++)
      needs[year]! += schedule.planned[year]! + schedule.failures[year]!;
  }

  #addDue(
    { plannedCents, basis }: { plannedCents: number; basis: CostBasis },
    waitingCents: number,
    dueNow: DueNow,
  ): void {
    this.#due.cents += plannedCents;
    this.#due.waitingCents += Math.round(waitingCents);
    this.#dueByBasis[basis] += plannedCents;
    const part = dueNow === "immediate" ? this.#due.immediate : this.#due.shortTerm;
    part.count++;
    part.cents += plannedCents;
  }

  /** The cost of what is due now. */
  get dueCents(): number {
    return this.#due.cents;
  }

  /** Rounds the sums. Every figure shown is computed from the result, so that figures add up. */
  sums({ unitCount, areaSqft }: PropertySize): PlanSums {
    const { planned, failures, repairs, runToFailure } = this.#years;
    return {
      unitCount: Math.max(unitCount, 0),
      withoutUnits: !this.#isEmpty && unitCount < 1 ? 1 : 0,
      withoutArea: !this.#isEmpty && areaSqft === null ? 1 : 0,
      areaSqft: areaSqft ?? 0,
      due: this.#due,
      dueByBasis: this.#dueByBasis,
      years: {
        planned: whole(planned),
        failures: whole(failures),
        repairs: whole(repairs),
        runToFailure: whole(runToFailure),
        needs: {
          own: whole(this.#needs.own),
          own_history: whole(this.#needs.own_history),
          scaled: whole(this.#needs.scaled),
          reference: whole(this.#needs.reference),
        },
        accrued: whole(this.#accrued),
        squares: whole(this.#variance.squares, SQUARE_CENTS),
        products: whole(this.#variance.products, SQUARE_CENTS),
      },
    };
  }
}

const whole = (row: Float64Array, unit = 1) => Array.from(row, (value) => Math.round(value / unit) + 0); // no -0

/** The number of square cents in the unit of stored squares. */
export const STORED_SQUARE = SQUARE_CENTS;

/** Adds `other` to `to` (`sign` 1) or subtracts it (-1), in place. */
export function addPlanSums(to: PlanSums, other: PlanSums, sign: 1 | -1): void {
  for (const field of ["unitCount", "withoutUnits", "withoutArea", "areaSqft"] as const)
    to[field] += sign * other[field];
  for (const field of ["units", "components", "cents", "waitingCents"] as const)
    to.due[field] += sign * other.due[field];
  for (const field of ["immediate", "shortTerm", "repairs"] as const) {
    to.due[field].count += sign * other.due[field].count;
    to.due[field].cents += sign * other.due[field].cents;
  }
  for (const row of [...YEARLY_COST_ROWS, "accrued", "squares", "products"] as const)
    addRow(to.years[row], other.years[row], sign);
  for (const basis of COST_BASES) {
    to.dueByBasis[basis] += sign * other.dueByBasis[basis];
    addRow(to.years.needs[basis], other.years.needs[basis], sign);
  }
}

function addRow(to: number[], other: readonly number[], sign: 1 | -1): void {
  for (let index = 0; index < to.length; index++) to[index]! += sign * other[index]!;
}
