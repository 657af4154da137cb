import { scaleLinear } from "d3-scale";
import { percent } from "../charts/bar.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, money, years } from "../format.ts";
import type { ComponentForm } from "../forms.ts";
import { type Places, TIER_WORDS } from "../words.ts";
import { PartName } from "./part-name.tsx";
import { Numbers, Section } from "./section.tsx";

const SHOWN = 14;
/** The farthest year shown; what is expected later is cut there. */
const FARTHEST_YEARS = 25;
const TICKS = 5;

/** When parts are expected to fail: the projected range of each elevated component as a bar over the years to come. */
export function Timeline(props: {
  /** CRITICAL and WARNING ones in the order of what waiting costs. */
  components: readonly ComponentForm[];
  places: Places;
  /** The year that the line of time starts with. */
  year: number;
  csv?: string | undefined;
  all?: string | undefined;
}) {
  const { components, places, year, csv, all } = props;
  if (components.length === 0) return null;
  const shown = components.slice(0, SHOWN).sort(bySoonest);
  const latest = Math.max(...shown.map((one) => one.projected_failure_range.latest));
  const end = Math.min(Math.max(latest + 1, year + 4), year + FARTHEST_YEARS);
  const x = scaleLinear([year, end], [0, 1]).clamp(true);
  const ticks = x.ticks(TICKS).filter((tick) => Number.isInteger(tick) && tick < end);
  return (
    <Section
      id="timeline"
      title="When parts are expected to fail"
      about={
        components.length > SHOWN
          ? `The ${SHOWN} of ${count(components.length)} that cost most to wait for, the soonest first, with their planned cost.`
          : "The soonest first, with their planned cost."
      }
    >
      <div class="timeline">
        <svg class="axis" width="100%" height="20" aria-hidden="true">
          {ticks.map((tick) => (
            <text x={percent(x(tick))} y="14" text-anchor={tick === year ? "start" : "middle"}>
              {tick}
            </text>
          ))}
        </svg>
        <ol>
          {shown.map((component) => {
            const { earliest, latest } = component.projected_failure_range;
            return (
              <li>
                <span class="label">
                  <TierMark tier={component.risk_tier} named /> <PartName component={component} />
                  <span class="mute small"> {places.of(component)}</span>
                </span>
                <span class="heard">
                  , {years(component.projected_failure_range)}, {money(component.proactive_cost)}
                </span>
                <svg
                  class={`range ${component.risk_tier.toLowerCase()}`}
                  width="100%"
                  height="22"
                  aria-hidden="true"
                >
                  {ticks.map((tick) => (
                    <line x1={percent(x(tick))} x2={percent(x(tick))} y2="22" />
                  ))}
                  <rect
                    class="fill"
                    x={percent(Math.min(x(earliest), 0.985))}
                    y="6"
                    width={percent(Math.max(x(latest + 1) - x(earliest), 0.015))}
                    height="10"
                    rx="5"
                  />
                </svg>
                <span class="cost" aria-hidden="true">
                  <span class="years small mute">{years(component.projected_failure_range)}</span>
                  {money(component.proactive_cost)}
                </span>
              </li>
            );
          })}
        </ol>
      </div>
      <Numbers
        summary="These years in a table"
        csv={csv}
        all={all}
        rows={components.toSorted(bySoonest)}
        columns={[
          { heading: "Part", cell: (one) => one.component_name },
          { heading: "Where", cell: (one) => places.of(one) },
          { heading: "Tier", cell: (one) => TIER_WORDS[one.risk_tier].name },
          { heading: "Earliest", isNumber: true, cell: (one) => one.projected_failure_range.earliest },
          { heading: "Most likely", isNumber: true, cell: (one) => one.projected_failure_year },
          { heading: "Latest", isNumber: true, cell: (one) => one.projected_failure_range.latest },
          {
            heading: "Confidence",
            isNumber: true,
            cell: (one) => `${one.projected_failure_range.confidence_pct}%`,
          },
          { heading: "Planned", isNumber: true, cell: (one) => money(one.proactive_cost) },
        ]}
      />
    </Section>
  );
}

function bySoonest(a: ComponentForm, b: ComponentForm): number {
  return (
    a.projected_failure_range.earliest - b.projected_failure_range.earliest ||
    a.projected_failure_year - b.projected_failure_year ||
    b.proactive_cost - a.proactive_cost
  );
}
