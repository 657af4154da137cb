import { counted, date, money } from "../format.ts";
import type { ScheduledPlanForm } from "../forms.ts";
import { reserveScheduleOf } from "../reserve-schedule.ts";
import { DepositSentence } from "../sections/plan.tsx";
import { ScheduleAverages, ScheduleTables } from "../sections/schedule-table.tsx";
import { Places } from "../words.ts";
import { type Rendered, renderDocument, shortened } from "./document.tsx";
import type { PropertyFigures } from "./property-page.tsx";

export type SchedulePageParts = Pick<PropertyFigures, "property" | "types" | "units"> & {
  plan: ScheduledPlanForm;
};
const OFFERED_YEARS = [5, 10, 12, 15, 20, 30];

/** The replacement reserve schedule of a property, printed on its side. */
export function renderSchedulePage(
  { property, plan, types, units }: SchedulePageParts,
  addresses: { style: string; script: string; back: string; csv: string },
): Rendered {
  const schedule = reserveScheduleOf(plan, new Places(types, units));
  const { name, address, city, state, zip, unit_count, year_built } = property;
  const title = `${name}: replacement reserve schedule`;
  const due = plan.immediate;
  return renderDocument({
    title,
    style: addresses.style,
    script: addresses.script,
    printed: `${shortened(name)} · Replacement reserve schedule, ${date(plan.as_of)}`,
    isLandscape: true,
    children: (
      <main class="property reserve-page">
        <header class="heading">
          <div>
            <h1 class={name.length > 60 ? "long" : undefined}>Replacement reserve schedule</h1>
            <p class="mute">
              <a href={addresses.back}>
                <bdi>{name}</bdi>
              </a>
              {" · "}
              <bdi>{[address, city, [state, zip].filter(Boolean).join(" ")].filter(Boolean).join(", ")}</bdi>
              {year_built === null ? "" : ` · built ${year_built}`} · {counted(unit_count, "unit")}
            </p>
          </div>
          <p class="small mute as-of">
            {counted(plan.years, "year")} from <time dateTime={plan.as_of}>{date(plan.as_of)}</time>,{" "}
            {plan.inflation_pct}% inflation
          </p>
        </header>
        <form class="choice screen" method="get">
          <label for="years">Years</label>
          <select id="years" name="years">
            {[...new Set([...OFFERED_YEARS, plan.years])]
              .sort((a, b) => a - b)
              .map((years) => (
                <option value={years} selected={years === plan.years}>
                  {years}
                </option>
              ))}
          </select>
          <label for="inflation">Inflation, %</label>
          <input
            id="inflation"
            name="inflation_pct"
            type="number"
            min="0"
            max="15"
            step="0.1"
            value={plan.inflation_pct}
          />
          <button type="submit">Show</button>
          <button type="button" class="outline secondary" data-prints hidden>
            Print
          </button>
          <a class="small" href={addresses.csv} download>
            Every part as CSV
          </a>
        </form>
        {plan.components.length === 0 ? (
          <section class="card">
            <p class="empty">The property has no parts on record: there is nothing to plan.</p>
          </section>
        ) : (
          <>
            <section class="card reserve-summary" aria-label="In short">
              <ScheduleAverages schedule={schedule} units={unit_count} />
              <div>
                <p>
                  Due now: {counted(due.component_count, "part")} for {money(Math.round(due.cost))}, in year 1
                  of the schedule.
                </p>
                <DepositSentence plan={plan} />
              </div>
            </section>
            <section class="card" aria-label="Schedule">
              <ScheduleTables schedule={schedule} caption={title} />
            </section>
          </>
        )}
        <section class="notes small mute" aria-labelledby="notes">
          <h2 id="notes">What it rests on</h2>
          <ul>
            <li>
              Costs of a year are planned replacements and the failures that are expected all the same, in
              whole dollars that are rounded so that every row and column adds up. What is inflated is the
              printed total times the printed factor.
            </li>
            <li>
              Years of age and life: effective age is what condition, use and service make of the age;
              remaining is expected life less effective age. Like parts are one row, with the least and the
              most of their ages.
            </li>
            {plan.assumptions.map((sentence) => (
              <li>{sentence}</li>
            ))}
          </ul>
        </section>
      </main>
    ),
  });
}
