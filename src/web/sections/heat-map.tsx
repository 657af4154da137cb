import type { RiskTier } from "../../domain/scoring/types.ts";
import type { Steps } from "../../domain/steps.ts";
import type { ComponentJson } from "../../wire/component.ts";
import { groupedInSteps, sumOf } from "../alike.ts";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, money } from "../format.ts";
import { elevated } from "../waiting.ts";
import { type Places, systemName, TIER_WORDS, TIERS } from "../words.ts";
import { type Csv, Numbers, Section } from "./section.tsx";

/** Marks of one system; where it has more parts, a mark stands for several of one tier. */
const MOST_MARKS = 160;

/** A building system with what it has of each tier, and what its elevated parts cost. */
export type SystemRow = {
  system: string;
  /** The worst first, where each has a mark of its own. */
  parts: readonly ComponentJson[];
  tiers: Readonly<Record<RiskTier, number>>;
  plannedUsd: number;
  failedUsd: number;
};

/** Where the risk sits: the systems by components, each a mark by its tier, the worst first. */
export function HeatMap(props: { systems: readonly SystemRow[]; places: Places; csv?: Csv }) {
  const { systems: rows, places, csv } = props;
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
        {rows.map((row) => (
          <li>
            <h3>{systemName(row.system)}</h3>
            <p class="counts">
              {TIERS.map((tier) => (
                <span class={row.tiers[tier] === 0 ? "none" : undefined}>
                  <TierMark tier={tier} />
                  {count(row.tiers[tier])}
                  <span class="heard"> {TIER_WORDS[tier].name} </span>
                </span>
              ))}
            </p>
            <p class="marks" aria-hidden="true">
              <Marks row={row} places={places} />
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
            cell: ({ tiers }: SystemRow) => count(tiers[tier]),
          })),
          { heading: "Planned", isNumber: true, cell: ({ plannedUsd }) => money(plannedUsd) },
          {
            heading: "After failure",
            isNumber: true,
            cell: ({ failedUsd }) => money(failedUsd),
          },
        ]}
        note="The costs are those of the critical and warning parts."
      />
    </Section>
  );
}

function Marks({ row, places }: { row: SystemRow; places: Places }) {
  const { parts, tiers } = row;
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
        Array.from({ length: Math.ceil(tiers[tier] / each) }, () => <i class={tier.toLowerCase()} />),
      )}
      <span class="small mute">a mark for {count(each)} parts</span>
    </>
  );
}

/** The system with the most critical parts first, then the most in warning. */
export function* systemsInSteps(components: readonly ComponentJson[], places: Places): Steps<SystemRow[]> {
  const systems = yield* groupedInSteps(components, (one) => places.systemOf(one.appliance_type));
  const rows: SystemRow[] = [];
  for (const parts of systems) {
    rows.push(systemRow(parts, places));
    yield;
  }
  return rows.sort(
    (a, b) =>
      b.tiers.CRITICAL - a.tiers.CRITICAL ||
      b.tiers.WARNING - a.tiers.WARNING ||
      b.parts.length - a.parts.length,
  );
}

function systemRow(parts: readonly ComponentJson[], places: Places): SystemRow {
  const tiers = { CRITICAL: 0, WARNING: 0, GOOD: 0 };
  for (const { risk_tier } of parts) tiers[risk_tier]++;
  const isEachMarked = parts.length <= MOST_MARKS;
  const elevatedParts = elevated(parts);
  return {
    system: places.systemOf(parts[0]!.appliance_type),
    parts: isEachMarked ? parts.toSorted((a, b) => b.risk_score - a.risk_score) : parts,
    tiers,
    plannedUsd: sumOf(elevatedParts, (one) => one.proactive_cost),
    failedUsd: sumOf(elevatedParts, (one) => one.reactive_cost),
  };
}
