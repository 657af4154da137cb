import type { ComponentChildren } from "preact";
import type { PropertyPlanJson, ScheduledPlanJson } from "../../api-schemas/plan-schema.ts";
import type { PlanSummaryJson } from "../../api-schemas/plan-summary-schema.ts";
import type { PropertyJson } from "../../api-schemas/property-schema.ts";
import { postalAddressLine } from "../../domain/places/postal-address.ts";
import { usDollars } from "../../domain/wording/currency-and-unit-wording.ts";
import {
  formatPageCount,
  formatPageDate,
  formatPageMoney,
  formatPageWholeNumber,
} from "../page/page-format.ts";
import { sumPageItems } from "../page/page-grouping.ts";
import {
  type CostShare,
  pageLargestScheduleCosts,
  type ReserveSchedule,
  type ScheduleSums,
  USUAL_RESERVE,
} from "../page/page-reserve-schedule.ts";
import { pageSectionDueNowCountText } from "./plan-section.tsx";
import { ReserveDepositSectionSentence } from "./reserve-deposit-section.tsx";
import { ScheduleSectionAverages, ScheduleSectionTables } from "./schedule-section-table.tsx";
import { pageSectionUnitWordOf, UnitNameContext } from "./section-unit-word.ts";

export const OFFERED_YEARS = [5, 10, 12, 15, 20, 30];

/** The replacement reserve schedule of a property. `controls` select its terms and are not printed. */
export function ReserveScheduleSections(props: {
  property: PropertyJson;
  plan: ScheduledPlanJson;
  schedule: ReserveSchedule;
  /** The address of the property's page. */
  back: string;
  controls: ComponentChildren;
}) {
  const { property, plan, schedule, back, controls } = props;
  const { name, unit_count, year_built } = property;
  return (
    <UnitNameContext.Provider value={pageSectionUnitWordOf(property)}>
      <ReserveScheduleHeadingSection plan={plan} isLong={name.length > 60}>
        <a href={back}>
          <bdi>{name}</bdi>
        </a>
        {" · "}
        <bdi>{postalAddressLine(property)}</bdi>
        {year_built === null ? "" : ` · built ${year_built}`} ·{" "}
        {formatPageCount(unit_count, pageSectionUnitWordOf(property))}
      </ReserveScheduleHeadingSection>
      {controls}
      {plan.components.length === 0 ? (
        <section class="card">
          <p class="empty">No components have been added to this property.</p>
        </section>
      ) : (
        <>
          <ReserveScheduleSummarySection plan={plan} sums={schedule} units={unit_count}>
            <ReserveComparison plan={plan} largest={pageLargestScheduleCosts(schedule, LARGEST)} />
          </ReserveScheduleSummarySection>
          <section class="card" aria-label="Schedule">
            <ScheduleSectionTables schedule={schedule} caption={`${name}: replacement reserve schedule`} />
          </section>
        </>
      )}
      <ReserveScheduleNotesSection plan={plan}>
        <li>
          Ages and lifetimes are in years. Effective age adjusts actual age for condition, use and service.
          Remaining life = expected life − effective age. Identical units and components share a row; the
          costs of a unit include the repairs of its parts. Ranges show minimum–maximum.
        </li>
      </ReserveScheduleNotesSection>
    </UnitNameContext.Provider>
  );
}

/** The subject of a schedule, and its terms. */
export function ReserveScheduleHeadingSection(props: {
  plan: PlanSummaryJson;
  isLong?: boolean;
  children: ComponentChildren;
}) {
  const { plan, isLong = false, children } = props;
  return (
    <header class="heading">
      <div>
        <h1 class={isLong ? "long" : undefined}>Replacement reserve schedule</h1>
        <p class="muted">{children}</p>
      </div>
      <p class="small muted as-of">
        <span>
          {formatPageCount(plan.years, "year")} from{" "}
          <time dateTime={plan.as_of}>{formatPageDate(plan.as_of)}</time>, {plan.inflation_pct}% inflation
        </span>
      </p>
    </header>
  );
}

/** The averages that lenders compare, the work due now, and the deposit. */
export function ReserveScheduleSummarySection(props: {
  plan: PlanSummaryJson;
  sums: ScheduleSums;
  units: number;
  children?: ComponentChildren;
}) {
  const { plan, sums, units, children } = props;
  return (
    <section class="card reserve-summary" aria-label="Summary">
      <ScheduleSectionAverages schedule={sums} units={units} />
      <div class="sentences">
        <p>
          Due now: {pageSectionDueNowCountText(plan.due_now)} (
          {formatPageMoney(Math.round(plan.due_now.cost))}), included in year 1 but not in the deposits.
          Escrow at {plan.escrow_pct}%: {formatPageMoney(Math.round(plan.due_now.escrow))}.
        </p>
        <ReserveDepositSectionSentence plan={plan} />
        {children}
      </div>
    </section>
  );
}

/** The number of costs that the comparison names. */
const LARGEST = 4;

/** The deposit beside those that lenders usually ask, and the costs that it is mostly for. */
function ReserveComparison({ plan, largest }: { plan: PlanSummaryJson; largest: readonly CostShare[] }) {
  const { per_unit_per_year: perUnit } = plan.level_deposit["50"].noise;
  const { least, most } = USUAL_RESERVE;
  if (largest.length === 0) return null;
  const share = Math.round(100 * sumPageItems(largest, (one) => one.share));
  return (
    <p>
      {perUnit !== null && (
        <>
          US lenders usually ask {usDollars(least)} to {usDollars(most)} per unit per year, and this schedule{" "}
          <strong>{formatPageMoney(Math.ceil(perUnit))}</strong>.{" "}
          {perUnit > most && "It is more where items past their life are likely to fail soon. "}
        </>
      )}
      {largest.length === 1 ? "One item makes" : `${formatPageWholeNumber(largest.length)} items make`} up{" "}
      {share}% of the costs after what is due now:{" "}
      {largest
        .map(
          ({ name, cost, isPastLife }) =>
            `${name} ${formatPageMoney(cost)}${isPastLife ? " (past its life)" : ""}`,
        )
        .join(", ")}
      .
    </p>
  );
}

/** Shows the assumptions of a reserve schedule. */
export function ReserveScheduleNotesSection({
  plan,
  children,
}: {
  plan: Pick<PropertyPlanJson, "assumptions">;
  children?: ComponentChildren;
}) {
  return (
    <section class="notes small muted" aria-labelledby="notes">
      <h2 id="notes">Assumptions</h2>
      <ul>
        <li>
          Annual costs include planned replacements, expected failures and repairs, rounded to whole amounts
          so that every row and column adds up. Inflated totals = total × inflation factor, as shown.
        </li>
        {children}
        {plan.assumptions.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
