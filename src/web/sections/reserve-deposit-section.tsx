import type { PlanSummaryJson } from "../../api-schemas/plan-summary-schema.ts";
import { areaUnitWording } from "../../domain/wording/currency-and-unit-wording.ts";
import { wordingOfFirstYearReserve } from "../../domain/wording/first-year-reserve-wording.ts";
import { formatPageMoney, formatPageWholeNumber } from "../page/page-format.ts";
import { CollapsedSectionTable, type SectionCsvLink } from "./section.tsx";
import { useSectionUnitWord } from "./section-unit-word.ts";

type Amount = PlanSummaryJson["level_deposit"]["50"]["noise"];

/** `$1,540 a year ($5.35 per unit per month)` */
function amountText(amount: Amount, unit: string) {
  const { per_year, per_unit_per_month: perUnit, per_1000_sqft_per_year: perArea } = amount;
  const size =
    perUnit !== null
      ? ` (${formatPageMoney(perUnit < 100 ? perUnit : Math.ceil(perUnit))} per ${unit} per month)`
      : perArea !== null
        ? ` (${formatPageMoney(Math.ceil(perArea))} per 1,000 ${areaUnitWording()} per year)`
        : "";
  return (
    <>
      <strong>{formatPageMoney(Math.ceil(per_year))}</strong> a year{size}
    </>
  );
}

/** The annual deposit that funds the plan's costs, and the deposits for higher confidence. */
export function ReserveDepositSectionSentence({ plan }: { plan: PlanSummaryJson }) {
  const unit = useSectionUnitWord();
  const {
    level_deposit: deposit,
    years,
    inflation_pct,
    opening_balance,
    interest_pct,
    minimum_balance,
    deposit_growth_pct,
  } = plan;
  const cents = (usd: number) => Math.round(usd * 100);
  const needs = plan.balances.map((year) => cents(year.needs));
  const started = wordingOfFirstYearReserve(needs, {
    openingCents: cents(opening_balance),
    minimumCents: cents(minimum_balance),
    interest: interest_pct / 100,
    depositGrowth: deposit_growth_pct / 100,
  });
  return (
    <p class="deposit">
      Deposit {amountText(deposit["50"].noise, unit)}{" "}
      {years === 1 ? "for a year" : `for ${formatPageWholeNumber(years)} years`} to pay planned replacements
      and expected failures, apart from what is due now and repairs. The reserve starts at{" "}
      {formatPageMoney(opening_balance)} and keeps at least {formatPageMoney(minimum_balance)}, at{" "}
      {inflation_pct}% inflation and {interest_pct}% interest.
      {started && ` ${started}`} For 80% confidence in each single year, deposit{" "}
      {amountText(deposit["80"].noise, unit)}, or{" "}
      {formatPageMoney(Math.ceil(deposit["80"].with_cost_error.per_year))} if costs may be wrong together. For
      95%, deposit {amountText(deposit["95"].noise, unit)}, or{" "}
      {formatPageMoney(Math.ceil(deposit["95"].with_cost_error.per_year))}.
    </p>
  );
}

/** The balance of the reserve by year. */
export function ReserveBalanceSectionTable({
  plan,
  csv,
}: {
  plan: PlanSummaryJson;
  csv?: SectionCsvLink | undefined;
}) {
  const whole = (usd: number) => formatPageMoney(Math.round(usd));
  return (
    <CollapsedSectionTable
      summary="Reserve balance by year (table)"
      csv={csv}
      rows={plan.balances}
      note="With the deposit of 50% confidence. Fully funded: the straight-line share of used-up lives, with inflation."
      columns={[
        { heading: "Year", cell: ({ year }) => year },
        { heading: "Interest", isNumber: true, cell: ({ interest }) => whole(interest) },
        { heading: "Deposit", isNumber: true, cell: ({ deposit }) => formatPageMoney(Math.ceil(deposit)) },
        { heading: "Needs", isNumber: true, cell: ({ needs }) => whole(needs) },
        { heading: "Balance", isNumber: true, cell: ({ balance }) => whole(balance) },
        { heading: "Fully funded", isNumber: true, cell: ({ fully_funded }) => whole(fully_funded) },
        {
          heading: "Percent funded",
          isNumber: true,
          cell: ({ percent_funded }) => (percent_funded === null ? "–" : `${Math.round(percent_funded)}%`),
        },
      ]}
    />
  );
}
