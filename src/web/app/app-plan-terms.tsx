import type { ComponentChildren } from "preact";
import { PLAN_LIMITS } from "../../domain/planning/plan-terms.ts";
import { type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { OFFERED_YEARS } from "../sections/reserve-schedule-sections.tsx";

/* The terms of a plan, in the address of a page. */

export type AddressedPlanTerms = { years: number; inflationPct: number };

/** The budget in USD; undefined if it is missing or invalid. */
export const budgetInAddress = ({ query }: Route): number | undefined =>
  numberInRange(query.get("budget"), PLAN_LIMITS.budgetUsd);

/** The terms; the defaults for those that are missing or invalid. */
export function appPlanTermsInAddress({ query }: Route): AddressedPlanTerms {
  const years = numberInRange(query.get("years"), PLAN_LIMITS.years);
  return {
    years: years !== undefined && Number.isInteger(years) ? years : PLAN_LIMITS.years.usual,
    inflationPct:
      numberInRange(query.get("inflation_pct"), PLAN_LIMITS.inflationPct) ?? PLAN_LIMITS.inflationPct.usual,
  };
}

function numberInRange(
  text: string | null,
  { least, most }: { least: number; most: number },
): number | undefined {
  const number = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return number >= least && number <= most ? number : undefined;
}

/** The query of a plan. Defaults are omitted, so that all pages share one request for the default plan. */
export function appPlanTermsQuery({ years, inflationPct }: AddressedPlanTerms): Record<string, string> {
  return {
    ...(years !== PLAN_LIMITS.years.usual && { years: String(years) }),
    ...(inflationPct !== PLAN_LIMITS.inflationPct.usual && { inflation_pct: String(inflationPct) }),
  };
}

/** The controls above a schedule that select its terms. */
export function AppPlanTermsControls({ route, children }: { route: Route; children?: ComponentChildren }) {
  const { years, inflationPct } = appPlanTermsInAddress(route);
  const { least, most } = PLAN_LIMITS.inflationPct;
  return (
    <form class="choice screen" onSubmit={(event) => event.preventDefault()}>
      <label for="years">Years</label>
      <select
        id="years"
        value={years}
        onChange={({ currentTarget }) => replaceBrowserUrlQuery(route, { years: currentTarget.value })}
      >
        {[...new Set([...OFFERED_YEARS, years])]
          .sort((a, b) => a - b)
          .map((years) => (
            <option value={years}>{years}</option>
          ))}
      </select>
      <label for="inflation">Inflation (%)</label>
      <input
        id="inflation"
        type="number"
        min={least}
        max={most}
        step="0.1"
        value={inflationPct}
        onChange={({ currentTarget }) =>
          replaceBrowserUrlQuery(route, { inflation_pct: currentTarget.value })
        }
      />
      <button type="button" class="outline secondary" onClick={() => print()}>
        Print
      </button>
      {children}
    </form>
  );
}
