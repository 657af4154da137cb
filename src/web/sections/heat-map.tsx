import { TierMark } from "../charts/tier-mark.tsx";
import { count, money } from "../format.ts";
import type { ComponentForm, Tier } from "../forms.ts";
import { type Places, systemName, TIER_WORDS, TIERS } from "../words.ts";
import { type Csv, Numbers, Section } from "./section.tsx";

/** Marks of one system; where it has more parts, a mark stands for several of one tier. */
const MOST_MARKS = 160;

type SystemRow = { system: string; parts: readonly ComponentForm[] };

/** Where the risk sits: the systems by components, each a mark by its tier, the worst first. */
export function HeatMap(props: { components: readonly ComponentForm[]; places: Places; csv?: Csv }) {
  const { components, places, csv } = props;
  const rows = bySystem(components, places);
  return (
    <Section
      id="systems"
      title="Where the risk sits"
      about={
        <>
          Each mark is a part:{" "}
          {TIERS.map((tier) => (
            <span class="legend">
              <TierMark tier={tier} /> {TIER_WORDS[tier].name}
            </span>
          ))}
        </>
      }
    >
      <ul class="systems">
        {rows.map(({ system, parts }) => (
          <li>
            <h3>{systemName(system)}</h3>
            <p class="counts">
              {TIERS.map((tier) => (
                <span class={inTier(parts, tier) === 0 ? "none" : undefined}>
                  <TierMark tier={tier} />
                  {count(inTier(parts, tier))}
                  <span class="heard"> {TIER_WORDS[tier].name} </span>
                </span>
              ))}
            </p>
            <p class="marks" aria-hidden="true">
              <Marks parts={parts} places={places} />
            </p>
          </li>
        ))}
      </ul>
      <Numbers
        summary="By system in a table"
        csv={csv}
        rows={rows}
        columns={[
          { heading: "System", cell: ({ system }) => systemName(system) },
          ...TIERS.map((tier) => ({
            heading: TIER_WORDS[tier].name,
            isNumber: true,
            cell: ({ parts }: SystemRow) => count(inTier(parts, tier)),
          })),
          { heading: "Planned", isNumber: true, cell: ({ parts }) => money(costOf(parts, "proactive_cost")) },
          {
            heading: "After failure",
            isNumber: true,
            cell: ({ parts }) => money(costOf(parts, "reactive_cost")),
          },
        ]}
        note="The costs are those of the critical and warning parts."
      />
    </Section>
  );
}

function Marks({ parts, places }: { parts: readonly ComponentForm[]; places: Places }) {
  const each = Math.ceil(parts.length / MOST_MARKS);
  if (each === 1)
    return parts.map((part) => (
      <i
        class={part.risk_tier.toLowerCase()}
        title={`${part.component_name}, ${places.of(part)}: ${part.risk_score.toFixed(2)}`}
      />
    ));
  return (
    <>
      {TIERS.flatMap((tier) =>
        Array.from({ length: Math.ceil(inTier(parts, tier) / each) }, () => <i class={tier.toLowerCase()} />),
      )}
      <span class="small mute">a mark for {count(each)} parts</span>
    </>
  );
}

/** The system with the most critical parts first, then the most in warning. */
function bySystem(components: readonly ComponentForm[], places: Places): SystemRow[] {
  const systems = Map.groupBy(components, ({ appliance_type }) => places.systemOf(appliance_type));
  return [...systems]
    .map(([system, parts]) => ({ system, parts: parts.toSorted((a, b) => b.risk_score - a.risk_score) }))
    .sort(
      (a, b) =>
        inTier(b.parts, "CRITICAL") - inTier(a.parts, "CRITICAL") ||
        inTier(b.parts, "WARNING") - inTier(a.parts, "WARNING") ||
        b.parts.length - a.parts.length,
    );
}

const inTier = (parts: readonly ComponentForm[], tier: Tier) =>
  parts.reduce((total, { risk_tier }) => total + (risk_tier === tier ? 1 : 0), 0);

const costOf = (parts: readonly ComponentForm[], field: "proactive_cost" | "reactive_cost") =>
  parts.reduce((total, part) => total + (part.risk_tier === "GOOD" ? 0 : part[field]), 0);
