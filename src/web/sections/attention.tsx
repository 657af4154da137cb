import type { ComponentJson } from "../../wire/component.ts";
import type { ScoreReasonJson } from "../../wire/score-reason.ts";
import { Bar } from "../charts/bar.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { expectedLoss } from "../expected-loss.ts";
import { capitalized, count, failureWindow, money, probabilityText } from "../format.ts";
import { rangeText, sumBy } from "../grouping.ts";
import { TIER_LABELS } from "../labels.ts";
import type { Locations } from "../locations.ts";
import { ComponentName } from "./component-name.tsx";
import { Reasons } from "./reasons.tsx";
import { type Column, type CsvLink, Section, TableDetails } from "./section.tsx";

const MAX_GROUPS = 10;

/** The critical and warning components, one sentence for each group of identical ones, highest expected loss first. */
export function Attention(props: {
  /** The critical and warning ones, sorted by expected loss. */
  components: readonly ComponentJson[];
  /** The reasons for scores, by component. */
  reasons?: ReadonlyMap<string, readonly ScoreReasonJson[]> | undefined;
  /** These components, grouped by kind and tier. */
  groups: readonly (readonly ComponentJson[])[];
  locations: Locations;
  csv?: CsvLink;
  all?: string | undefined;
}) {
  const { components, reasons, groups, locations, csv, all } = props;
  if (components.length === 0)
    return (
      <Section id="attention" title="Highest-risk components">
        <p class="empty">No critical or warning components.</p>
      </Section>
    );
  const ranked = rankedByLoss(groups);
  const most = ranked[0]!.lossUsd;
  const shown = ranked.slice(0, MAX_GROUPS);
  return (
    <Section
      id="attention"
      title="Highest-risk components"
      about="Ranked by expected loss in the next 12 months (probability of failure × cost of failure). Identical components are grouped."
    >
      <ol class="attention">
        {shown.map(({ group, lossUsd }) => (
          <li>
            <TierMark tier={group[0]!.risk_tier} named />
            {group.length === 1 ? (
              <SingleComponent
                component={group[0]!}
                locations={locations}
                reasons={reasons?.get(group[0]!.component_id)}
              />
            ) : (
              <ComponentGroup components={group} locations={locations} />
            )}
            <p class="waiting">
              <Bar value={lossUsd} max={most} kind={group[0]!.risk_tier.toLowerCase()} />
              <span>
                <strong>{money(Math.round(lossUsd))}</strong>
                <span class="muted small"> expected loss</span>
              </span>
            </p>
          </li>
        ))}
      </ol>
      <TableDetails
        caption="Highest-risk components"
        summary={
          components.length > shown.length ? `View all ${count(components.length)} as table` : undefined
        }
        csv={csv}
        all={all}
        rows={components}
        columns={componentColumns(locations)}
      />
    </Section>
  );
}

type Groups = readonly (readonly ComponentJson[])[];

const rankedByLoss = (groups: Groups) =>
  groups
    .map((group) => ({ group, lossUsd: sumBy(group, expectedLoss) }))
    .sort((a, b) => b.lossUsd - a.lossUsd);

/** Returns the components that the section describes one by one. */
export const describedAlone = (groups: Groups): string[] =>
  rankedByLoss(groups)
    .slice(0, MAX_GROUPS)
    .flatMap(({ group }) => (group.length === 1 ? [group[0]!.component_id] : []));

function SingleComponent({
  component,
  locations,
  reasons,
}: {
  component: ComponentJson;
  locations: Locations;
  reasons: readonly ScoreReasonJson[] | undefined;
}) {
  return (
    <div class="summary">
      <h3>
        <ComponentName component={component} />
      </h3>
      <p>
        <span class="muted">
          {locations.of(component)}, installed {component.install_year}.
        </span>{" "}
        {capitalized(probabilityText(component.failure_probability_12m))} chance of failure in the next 12
        months. Planned replacement: <strong>{money(component.proactive_cost)}</strong>. After failure:{" "}
        {money(component.reactive_cost)}.
      </p>
      {reasons && <Reasons reasons={reasons} />}
    </div>
  );
}

/** Identical components: their number, and how many of them are expected to fail. */
function ComponentGroup({
  components,
  locations,
}: {
  components: readonly ComponentJson[];
  locations: Locations;
}) {
  const [first] = components as [ComponentJson];
  const failing = sumBy(components, (one) => one.failure_probability_12m);
  return (
    <div class="summary">
      <h3>
        {first.component_name} × {count(components.length)}
      </h3>
      <p>
        <span class="muted">
          {locations.ofGroup(components)}, installed {rangeText(components.map((one) => one.install_year))}.
        </span>{" "}
        {capitalized(
          rangeText(
            components.map((one) => one.failure_probability_12m),
            probabilityText,
          ),
        )}{" "}
        chance of failure each in the next 12 months;{" "}
        {failing < 1 ? "fewer than 1" : `about ${count(failing)}`} of {count(components.length)} expected to
        fail. Replace all now: <strong>{money(sumBy(components, (one) => one.proactive_cost))}</strong>. After
        failure: {money(sumBy(components, (one) => one.reactive_cost))}.
      </p>
    </div>
  );
}

/** The columns of every table of components. */
export function componentColumns(locations: Locations): Column<ComponentJson>[] {
  return [
    {
      heading: "Component",
      cell: (one) => (
        <>
          <TierMark tier={one.risk_tier} /> <ComponentName component={one} />
        </>
      ),
    },
    { heading: "Location", cell: (one) => locations.of(one) },
    { heading: "Tier", cell: (one) => TIER_LABELS[one.risk_tier].name },
    { heading: "Installed", isNumber: true, cell: (one) => one.install_year },
    { heading: "Risk score", isNumber: true, cell: (one) => one.risk_score.toFixed(2) },
    {
      heading: "12-month failure probability",
      isNumber: true,
      cell: (one) => `${(one.failure_probability_12m * 100).toFixed(1)}%`,
    },
    { heading: "Likely failure (80%)", cell: (one) => failureWindow(one.failure_window_80) },
    { heading: "Planned cost", isNumber: true, cell: (one) => money(one.proactive_cost) },
    { heading: "Cost after failure", isNumber: true, cell: (one) => money(one.reactive_cost) },
    {
      heading: "12-month expected loss",
      isNumber: true,
      cell: (one) => money(Math.round(expectedLoss(one))),
    },
  ];
}
