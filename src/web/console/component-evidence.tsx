import { scaleLog } from "d3-scale";
import type { EvidenceJson } from "../../wire/explained-evidence.ts";
import type { ExplanationJson } from "../../wire/explanation.ts";
import { percent as length } from "../charts/bar.tsx";
import { counted, date } from "../format.ts";
import { DataTable, Section } from "../sections/section.tsx";
import { formatNumber, formatPercent } from "./precise-format.ts";

/** What speaks for and against it, piece by piece, and what sensors report now. */
export function Evidence({ explained: { evidence, hazard } }: { explained: ExplanationJson }) {
  const acute = evidence.filter(({ kind }) => kind === "smart_event");
  const lasting = evidence.filter(({ kind }) => kind !== "smart_event");
  return (
    <>
      <Section
        id="evidence"
        title="What speaks for and against it"
        about={
          lasting.length === 0
            ? "Nothing is on record: its age alone speaks."
            : `${counted(lasting.length, "piece")} of evidence, each a ratio on the hazard: above 1 against it, below 1 for it. Together × ${formatNumber(hazard.hazard_ratio)}.`
        }
      >
        {lasting.length > 0 && <Lasting evidence={lasting} hazard={hazard} />}
      </Section>
      {acute.length > 0 && (
        <Section
          id="acute"
          title="What sensors report now"
          about={`Added to the hazard, whatever the age, and gone within ${counted(hazard.acute_span_days, "day")} or once it is mended.`}
        >
          <DataTable
            caption="Acute hazards"
            rows={acute}
            columns={[
              { heading: "Report", cell: ({ label }) => label },
              {
                heading: "Day",
                cell: ({ date: on }) => <span class="one-line">{on === null ? "—" : date(on)}</span>,
              },
              { heading: "Left of it", isNumber: true, cell: ({ remaining }) => formatPercent(remaining) },
              {
                heading: "Adds now",
                isNumber: true,
                cell: ({ acute_hazard }) => `+ ${formatNumber(acute_hazard)}`,
              },
              { heading: "Ends", cell: ends },
              { heading: "Source", cell: ({ source }) => <code>{source}</code> },
            ]}
          />
        </Section>
      )}
    </>
  );
}

function Lasting({
  evidence,
  hazard,
}: {
  evidence: readonly EvidenceJson[];
  hazard: ExplanationJson["hazard"];
}) {
  const furthest = Math.max(1.5, ...evidence.map(({ factor }) => Math.max(factor, 1 / factor)));
  const isShared = evidence.some(({ weight, strength, times }) => weight * strength * times !== 1);
  return (
    <>
      <DataTable
        caption="Evidence"
        rows={evidence}
        columns={[
          { heading: "Evidence", cell: ({ label }) => label },
          {
            heading: "Day",
            cell: ({ date: on }) => <span class="one-line">{on === null ? "—" : date(on)}</span>,
          },
          { heading: "In full", isNumber: true, cell: ({ base_ratio }) => `× ${formatNumber(base_ratio)}` },
          { heading: "Left of it", isNumber: true, cell: ({ remaining }) => formatPercent(remaining) },
          ...(isShared
            ? [
                {
                  heading: "Power",
                  isNumber: true,
                  cell: ({ weight, strength, times }: EvidenceJson) =>
                    formatNumber(weight * strength * times),
                },
              ]
            : []),
          { heading: "Now", isNumber: true, cell: ({ factor }) => `× ${formatNumber(factor)}` },
          { heading: "For · against", cell: ({ factor }) => <Ratio factor={factor} furthest={furthest} /> },
          { heading: "Ends", cell: ends },
          { heading: "Source", cell: ({ source }) => <code>{source}</code> },
        ]}
      />
      {isShared && (
        <p class="small mute">
          A ratio counts at a power of itself where its event concerns one of several components that nobody
          named, where a fault was mended, or where calibration found it worth more or less.
        </p>
      )}
      {hazard.cascades !== 1 && (
        <p class="small mute">
          Of it × {formatNumber(hazard.own_product)} is its own, and × {formatNumber(hazard.cascades)} what
          other components do to it.
        </p>
      )}
    </>
  );
}

function ends({ ends_on, ended_by }: EvidenceJson) {
  return (
    <span class="roomy">
      {ends_on === null ? "Not by itself" : date(ends_on)}
      {ended_by !== null && <span class="under small mute">before: {ended_by}</span>}
    </span>
  );
}

/** How far a ratio stands from 1, on a scale on which twice and half are as far. */
export function Ratio(props: {
  factor: number;
  /** Where the scale ends. */
  furthest: number;
  /** Whether what is above 1 is the better. */
  isGoodAbove?: boolean;
}) {
  const { factor, furthest, isGoodAbove = false } = props;
  const x = scaleLog([1 / furthest, furthest], [0, 1]).clamp(true);
  const [left, right] = [Math.min(x(factor), 0.5), Math.max(x(factor), 0.5)];
  return (
    <svg class="ratio" width="100%" height="14" aria-hidden="true">
      <rect
        class={`fill ${factor > 1 === isGoodAbove ? "better" : "worse"}`}
        x={length(left)}
        width={length(right - left)}
        y="2"
        height="10"
        rx="2"
      />
      <line class="ground" x1="50%" x2="50%" y1="0" y2="14" />
    </svg>
  );
}
