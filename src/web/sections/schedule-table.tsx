import { Fragment } from "preact";
import { sumOf } from "../alike.ts";
import { count, money } from "../format.ts";
import type { ReserveSchedule, ScheduleRow } from "../reserve-schedule.ts";

/** Years that have room beside what is said of a part; more are a table after it. */
const MOST_YEARS = 12;

/** A replacement reserve schedule: a row for like parts, a column a year, and what they come to below. */
export function ScheduleTables({ schedule, caption }: { schedule: ReserveSchedule; caption: string }) {
  const total = schedule.years.length;
  const tables = Math.ceil(total / MOST_YEARS);
  const size = Math.ceil(total / tables);
  return (
    <>
      {Array.from({ length: tables }, (_, at) => (
        <ScheduleTable
          schedule={schedule}
          from={at * size}
          to={Math.min((at + 1) * size, total)}
          caption={
            tables === 1
              ? caption
              : `${caption}, years ${at * size + 1} to ${Math.min((at + 1) * size, total)}`
          }
        />
      ))}
    </>
  );
}

type TableProps = { schedule: ReserveSchedule; from: number; to: number; caption: string };

function ScheduleTable({ schedule, from, to, caption }: TableProps) {
  const cut = (years: readonly number[]) => years.slice(from, to);
  const numbers = cut(schedule.years.map((_, year) => year + 1));
  return (
    <div class="wide" role="group" aria-label={caption} tabIndex={0}>
      <table class="reserve">
        <caption class="heard">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            {["Age", "Eff. age", "Expected life", "Remaining", "Quantity", "Unit cost", "Cost"].map(
              (heading) => (
                <th scope="col" class="number">
                  {heading}
                </th>
              ),
            )}
            {numbers.map((year) => (
              <th scope="col" class="number">
                <span class="year-word">Year </span>
                {year}
              </th>
            ))}
            <th scope="col" class="number">
              Total
            </th>
          </tr>
        </thead>
        <tbody>
          {schedule.systems.map((system) => (
            <Fragment>
              <tr class="system">
                <th scope="rowgroup" colSpan={5}>
                  {system.name}
                </th>
                <td class="number">{count(system.quantity)}</td>
                <td />
                <td class="number">{count(system.cost)}</td>
                <Cells years={cut(system.years)} />
              </tr>
              {system.rows.map((row) => (
                <PartRow row={row} years={cut(row.years)} />
              ))}
            </Fragment>
          ))}
        </tbody>
        <tfoot>
          <tr class="total">
            <th scope="row" colSpan={5}>
              Total, in today’s dollars
            </th>
            <td class="number">{count(schedule.quantity)}</td>
            <td />
            <td class="number">{count(schedule.cost)}</td>
            <Cells years={cut(schedule.years)} />
          </tr>
          <tr>
            <th scope="row" colSpan={8}>
              Inflation factor
            </th>
            {cut(schedule.factors).map((factor) => (
              <td class="number">{factor.toFixed(4)}</td>
            ))}
            <td />
          </tr>
          <Summed title="Total with inflation" years={cut(schedule.inflated)} kind="total" />
          <Summed title="Per unit, with inflation" years={cut(schedule.perUnit)} />
          <Summed
            title="For comparison: every part run to failure, in today’s dollars"
            years={cut(schedule.runToFailure)}
          />
        </tfoot>
      </table>
    </div>
  );
}

function PartRow({ row, years }: { row: ScheduleRow; years: readonly number[] }) {
  return (
    <tr class="part">
      <th scope="row">
        {row.name} <span class="mute small">{row.where}</span>
        {row.isDueNow && <span class="due-mark"> due now</span>}
      </th>
      <td class="number">{row.age}</td>
      <td class="number">{row.effectiveAge}</td>
      <td class="number">{row.expectedLife}</td>
      <td class="number">{row.remaining}</td>
      <td class="number">{count(row.quantity)}</td>
      <td class="number">{count(row.unitCost)}</td>
      <td class="number">{count(row.cost)}</td>
      <Cells years={years} />
    </tr>
  );
}

function Summed({ title, years, kind }: { title: string; years: readonly number[]; kind?: string }) {
  return (
    <tr class={kind}>
      <th scope="row" colSpan={8}>
        {title}
      </th>
      <Cells years={years} />
    </tr>
  );
}

function Cells({ years }: { years: readonly number[] }) {
  return (
    <>
      {years.map((cost) => (
        <td class="number">{count(cost)}</td>
      ))}
      <td class="number sum">{count(sumOf(years, Number))}</td>
    </>
  );
}

/** What a page says above its schedule: the averages that lenders compare. */
export function ScheduleAverages({ schedule, units }: { schedule: ReserveSchedule; units: number }) {
  const years = schedule.years.length;
  const average = (of: readonly number[]) =>
    money(Math.round(sumOf(of, Number) / years / Math.max(units, 1)));
  return (
    <dl class="figures">
      <div>
        <dt>Total, in today’s dollars</dt>
        <dd>{money(sumOf(schedule.years, Number))}</dd>
        <dd class="small mute">{average(schedule.years)} per unit per year</dd>
      </div>
      <div>
        <dt>Total with inflation</dt>
        <dd>{money(sumOf(schedule.inflated, Number))}</dd>
        <dd class="small mute">{average(schedule.inflated)} per unit per year</dd>
      </div>
    </dl>
  );
}
