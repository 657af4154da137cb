import type { ComponentJson } from "../../wire/component.ts";
import { spanOf, sumOf } from "../alike.ts";
import { Bar } from "../charts/bar.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, money, odds, years } from "../format.ts";
import { costOfWaiting } from "../waiting.ts";
import { type Places, TIER_WORDS } from "../words.ts";
import { PartName } from "./part-name.tsx";
import { type Column, type Csv, Numbers, Section } from "./section.tsx";

const SHOWN = 10;

/** What should not wait: each elevated component in a sentence, the dearest to wait for first. */
export function Attention(props: {
  /** CRITICAL and WARNING ones in the order of what waiting costs. */
  components: readonly ComponentJson[];
  /** The same, by kind and tier. */
  alike: readonly (readonly ComponentJson[])[];
  places: Places;
  csv?: Csv;
  all?: string | undefined;
}) {
  const { components, alike, places, csv, all } = props;
  if (components.length === 0)
    return (
      <Section id="attention" title="What should not wait">
        <p class="empty">Nothing: every part is in the tier Good.</p>
      </Section>
    );
  const groups = alike
    .map((group) => ({ group, atRisk: sumOf(group, costOfWaiting) }))
    .sort((a, b) => b.atRisk - a.atRisk);
  const most = groups[0]!.atRisk;
  const shown = groups.slice(0, SHOWN);
  return (
    <Section
      id="attention"
      title="What should not wait"
      about="In the order of what failures within a year are expected to cost: the chance of each times its price. Like parts stand together."
    >
      <ol class="attention">
        {shown.map(({ group, atRisk }) => (
          <li>
            <TierMark tier={group[0]!.risk_tier} named />
            {group.length === 1 ? (
              <One component={group[0]!} places={places} />
            ) : (
              <Several components={group} places={places} />
            )}
            <p class="waiting">
              <Bar value={atRisk} most={most} kind={group[0]!.risk_tier.toLowerCase()} />
              <span>
                <strong>{money(Math.round(atRisk))}</strong>
                <span class="mute small"> at risk in a year</span>
              </span>
            </p>
          </li>
        ))}
      </ol>
      <Numbers
        summary={
          components.length > shown.length ? `All ${count(components.length)} in a table` : "These in a table"
        }
        csv={csv}
        all={all}
        rows={components}
        columns={componentColumns(places)}
      />
    </Section>
  );
}

function One({ component, places }: { component: ComponentJson; places: Places }) {
  return (
    <div class="what">
      <h3>
        <PartName component={component} />
      </h3>
      <p>
        <span class="mute">
          {places.of(component)}, {component.install_year}:
        </span>{" "}
        {odds(component.failure_probability_12m)} to fail in the coming year.{" "}
        <strong>{money(component.proactive_cost)}</strong> to replace now, {money(component.reactive_cost)}{" "}
        once it has failed.
      </p>
    </div>
  );
}

/** Like parts: how many of them, and how many are expected to fail. */
function Several({ components, places }: { components: readonly ComponentJson[]; places: Places }) {
  const [first] = components as [ComponentJson];
  const failing = sumOf(components, (one) => one.failure_probability_12m);
  return (
    <div class="what">
      <h3>
        {first.component_name} × {count(components.length)}
      </h3>
      <p>
        <span class="mute">
          {places.ofSeveral(components)}, {spanOf(components.map((one) => one.install_year))}:
        </span>{" "}
        {failing < 1 ? "less than 1" : `about ${count(failing)}`} of {count(components.length)} to fail in the
        coming year. <strong>{money(sumOf(components, (one) => one.proactive_cost))}</strong> to replace all
        now, {money(sumOf(components, (one) => one.reactive_cost))} once they have failed.
      </p>
    </div>
  );
}

/** The columns of components, wherever they are listed. */
export function componentColumns(places: Places): Column<ComponentJson>[] {
  return [
    {
      heading: "Part",
      cell: (one) => (
        <>
          <TierMark tier={one.risk_tier} /> <PartName component={one} />
        </>
      ),
    },
    { heading: "Where", cell: (one) => places.of(one) },
    { heading: "Tier", cell: (one) => TIER_WORDS[one.risk_tier].name },
    { heading: "Since", isNumber: true, cell: (one) => one.install_year },
    { heading: "Score", isNumber: true, cell: (one) => one.risk_score.toFixed(2) },
    {
      heading: "Fails within a year",
      isNumber: true,
      cell: (one) => `${(one.failure_probability_12m * 100).toFixed(1)}%`,
    },
    { heading: "Expected", isNumber: true, cell: (one) => years(one.projected_failure_range) },
    { heading: "Planned", isNumber: true, cell: (one) => money(one.proactive_cost) },
    { heading: "After failure", isNumber: true, cell: (one) => money(one.reactive_cost) },
    {
      heading: "At risk in a year",
      isNumber: true,
      cell: (one) => money(Math.round(costOfWaiting(one))),
    },
  ];
}
