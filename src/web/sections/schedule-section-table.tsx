import { type ComponentChildren, Fragment } from "preact";
import { todaysMoney } from "../../domain/wording/currency-and-unit-wording.ts";
import { formatPageMoney, formatPageWholeNumber } from "../page/page-format.ts";
import { sumPageItems } from "../page/page-grouping.ts";
import type { ReserveSchedule, ScheduleRow, ScheduleSums } from "../page/page-reserve-schedule.ts";
import { useSectionUnitWord } from "./section-unit-word.ts";

/** The most years of one table; more years take further tables. */
const MAX_YEARS_PER_TABLE = 12;

/** A replacement reserve schedule: one row per group of identical components, one column per year, and totals. */
export function ScheduleSectionTables({ schedule, caption }: { schedule: ReserveSchedule; caption: string }) {
  return (
    <ScheduleSectionTablesByYears years={schedule.years.length} caption={caption}>
      {(sheet) => <ScheduleTable schedule={schedule} {...sheet} />}
    </ScheduleSectionTablesByYears>
  );
}

/** The years of one table: from `from`, up to and excluding `to`, both zero-based. */
export type YearSlice = { from: number; to: number; caption: string };

/** Splits the years into as many tables as they take. */
export function ScheduleSectionTablesByYears(props: {
  years: number;
  caption: string;
  children: (sheet: YearSlice) => ComponentChildren;
}) {
  const { years, caption, children } = props;
  const sheets = Math.ceil(years / MAX_YEARS_PER_TABLE);
  const size = Math.ceil(years / sheets);
  return (
    <>
      {Array.from({ length: sheets }, (_, at) => {
        const [from, to] = [at * size, Math.min((at + 1) * size, years)];
        const sheetCaption = sheets === 1 ? caption : `${caption}, years ${from + 1} to ${to}`;
        return children({ from, to, caption: sheetCaption });
      })}
    </>
  );
}

function ScheduleTable({ schedule, from, to, caption }: YearSlice & { schedule: ReserveSchedule }) {
  const inSheet = (years: readonly number[]) => years.slice(from, to);
  return (
    <div class="wide" role="group" aria-label={caption} tabIndex={0}>
      <table class="reserve">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Unit or component</th>
            {["Age", "Eff. age", "Expected life", "Remaining life", "Quantity", "Unit cost", "Cost"].map(
              (heading) => (
                <th scope="col" class="number">
                  {heading}
                </th>
              ),
            )}
            <ScheduleSectionYearHeadings from={from} to={to} />
          </tr>
        </thead>
        <tbody>
          {schedule.systems.map((system) => (
            <Fragment>
              <tr class="system">
                <th scope="rowgroup" colSpan={5}>
                  {system.name}
                </th>
                <td class="number">{formatPageWholeNumber(system.quantity)}</td>
                <td />
                <td class="number">{formatPageWholeNumber(system.cost)}</td>
                <ScheduleSectionYearCells years={inSheet(system.years)} />
              </tr>
              {system.rows.map((row) => (
                <ComponentRow row={row} years={inSheet(row.years)} />
              ))}
            </Fragment>
          ))}
        </tbody>
        <tfoot>
          <tr class="total">
            <th scope="row" colSpan={5}>
              Total ({todaysMoney()})
            </th>
            <td class="number">{formatPageWholeNumber(schedule.quantity)}</td>
            <td />
            <td class="number">{formatPageWholeNumber(schedule.cost)}</td>
            <ScheduleSectionYearCells years={inSheet(schedule.years)} />
          </tr>
          <ScheduleSectionInflatedRows sums={schedule} from={from} to={to} columns={8} />
        </tfoot>
      </table>
    </div>
  );
}

function ComponentRow({ row, years }: { row: ScheduleRow; years: readonly number[] }) {
  return (
    <tr class="component">
      <th scope="row">
        {row.name}{" "}
        <span class="muted small">
          {row.where} · {row.costBasis}
        </span>
        {row.isDueNow && <span class="due-mark"> due now</span>}
      </th>
      <td class="number">{row.age}</td>
      <td class="number">{row.effectiveAge}</td>
      <td class="number">{row.expectedLife}</td>
      <td class="number">{row.remaining}</td>
      <td class="number">{formatPageWholeNumber(row.quantity)}</td>
      <td class="number">{formatPageWholeNumber(row.unitCost)}</td>
      <td class="number">{formatPageWholeNumber(row.cost)}</td>
      <ScheduleSectionYearCells years={years} />
    </tr>
  );
}

/** The headings of the years after `from`, up to `to`. */
export function ScheduleSectionYearHeadings({ from, to }: { from: number; to: number }) {
  return (
    <>
      {Array.from({ length: to - from }, (_, at) => (
        <th scope="col" class="number">
          <span class="year-word">Year </span>
          {from + at + 1}
        </th>
      ))}
      <th scope="col" class="number">
        Total
      </th>
    </>
  );
}

/** The rows below the total: the inflated costs, and the run-to-failure scenario. */
export function ScheduleSectionInflatedRows(props: {
  sums: ScheduleSums;
  from: number;
  to: number;
  columns: number;
}) {
  const { sums, from, to, columns } = props;
  const word = useSectionUnitWord();
  const row = (title: string, years: readonly number[], kind?: string) => (
    <tr class={kind}>
      <th scope="row" colSpan={columns}>
        {title}
      </th>
      <ScheduleSectionYearCells years={years.slice(from, to)} />
    </tr>
  );
  return (
    <>
      <tr>
        <th scope="row" colSpan={columns}>
          Inflation factor
        </th>
        {sums.factors.slice(from, to).map((factor) => (
          <td class="number">{factor.toFixed(4)}</td>
        ))}
        <td />
      </tr>
      {row("Total (with inflation)", sums.inflated, "total")}
      {sums.perUnit && row(`Per ${word} (with inflation)`, sums.perUnit)}
      {row(`Of which repairs, not from the reserve (${todaysMoney()})`, sums.repairs)}
      {row(`For comparison: run-to-failure scenario (${todaysMoney()})`, sums.runToFailure)}
    </>
  );
}

/** The costs of a row by year, and their sum. */
export function ScheduleSectionYearCells({ years }: { years: readonly number[] }) {
  return (
    <>
      {years.map((cost) => (
        <td class="number">{formatPageWholeNumber(cost)}</td>
      ))}
      <td class="number sum">{formatPageWholeNumber(sumPageItems(years, Number))}</td>
    </>
  );
}

/** The averages that lenders compare, above a schedule. */
export function ScheduleSectionAverages({ schedule, units }: { schedule: ScheduleSums; units: number }) {
  const years = schedule.years.length;
  const word = useSectionUnitWord();
  const average = (of: readonly number[]) =>
    units < 1
      ? `${formatPageMoney(Math.round(sumPageItems(of, Number) / years))} per year`
      : `${formatPageMoney(Math.round(sumPageItems(of, Number) / years / units))} per ${word} per year`;
  return (
    <dl class="figures">
      <div>
        <dt>Total ({todaysMoney()})</dt>
        <dd>{formatPageMoney(sumPageItems(schedule.years, Number))}</dd>
        <dd class="small muted">{average(schedule.years)}</dd>
      </div>
      <div>
        <dt>Total (with inflation)</dt>
        <dd>{formatPageMoney(sumPageItems(schedule.inflated, Number))}</dd>
        <dd class="small muted">{average(schedule.inflated)}</dd>
      </div>
    </dl>
  );
}
