import { useLoaded } from "../browser/loaded.ts";
import { addressOf } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { counted, date, money } from "../format.ts";
import type { PlanSummaryForm } from "../forms.ts";
import { Years } from "../sections/plan.tsx";
import { Section } from "../sections/section.tsx";
import { useApp } from "./app-context.ts";

const PROPERTIES_SHOWN = 8;
/** The most that one call answers with. */
const PROPERTIES_READ = 200;

type PortfolioPlanForm = PlanSummaryForm & {
  total: number;
  portfolio: readonly {
    property_id: string;
    name: string;
    immediate: { component_count: number; cost: number };
    cost_of_waiting_a_year: number;
  }[];
};

/** What to do about the portfolio: where work is due, what the years cost, and what to set aside. */
export function WhatToDoInPortfolio() {
  const { api } = useApp();
  const plan = useLoaded("plan", () =>
    api.read<PortfolioPlanForm>(`/v1/portfolio/plan?limit=${PROPERTIES_READ}`),
  );
  return (
    <Section id="plan" title="What to do" about="What is best replaced and when, in all properties.">
      <Showing loaded={plan} what="the plan">
        {(value) => (
          <>
            <DueByProperty plan={value} />
            <Years plan={value} />
          </>
        )}
      </Showing>
    </Section>
  );
}

function DueByProperty({ plan }: { plan: PortfolioPlanForm }) {
  const { immediate, portfolio, total } = plan;
  if (immediate.component_count === 0) return <p class="empty">Nothing is due now.</p>;
  const shown = portfolio
    .filter((one) => one.immediate.component_count > 0)
    .toSorted((a, b) => b.cost_of_waiting_a_year - a.cost_of_waiting_a_year)
    .slice(0, PROPERTIES_SHOWN);
  return (
    <>
      <p class="deposit">
        Due on {date(plan.as_of)}: <strong>{counted(immediate.component_count, "part")}</strong> for{" "}
        <strong>{money(Math.round(immediate.cost))}</strong> as planned work. Where waiting costs most
        {total > portfolio.length && `, of the first ${portfolio.length} properties`}:
      </p>
      <ul class="due-now">
        {shown.map((one) => (
          <li>
            <span>
              <a href={addressOf(["properties", one.property_id])}>
                <bdi>{one.name}</bdi>
              </a>{" "}
              <span class="mute small">{counted(one.immediate.component_count, "part")}</span>
            </span>
            <strong class="number">{money(Math.round(one.immediate.cost))}</strong>
            <span class="number mute small">{money(Math.round(one.cost_of_waiting_a_year))} to wait</span>
          </li>
        ))}
      </ul>
    </>
  );
}
