import { scaleLog } from "d3-scale";
import type { EvidenceJson } from "../../api-schemas/explained-evidence-schema.ts";
import type { ExplanationJson } from "../../api-schemas/explanation-schema.ts";
import { percentLength as length } from "../charts/bar.tsx";
import { formatPageCount, formatPageDate } from "../page/page-format.ts";
import { ReportSection, SectionTable } from "../sections/section.tsx";
import { explanationPageNumber, explanationPagePercent } from "./explanation-page-numbers.ts";

/** Lists the evidence about a component with its effect on the hazard, and the active sensor alarms. */
export function ExplainedScoreEvidence({ explained: { evidence, hazard } }: { explained: ExplanationJson }) {
  const acute = evidence.filter(({ kind }) => kind === "smart_event");
  const lasting = evidence.filter(({ kind }) => kind !== "smart_event");
  return (
    <>
      <ReportSection
        id="evidence"
        title="Evidence"
        about={
          lasting.length === 0
            ? "No evidence on record. The score depends on age only."
            : `${formatPageCount(lasting.length, "evidence item")}. Values above 1 increase risk, below 1 reduce it. Combined: × ${explanationPageNumber(hazard.hazard_ratio)}.`
        }
      >
        {lasting.length > 0 && <Lasting evidence={lasting} hazard={hazard} />}
      </ReportSection>
      {acute.length > 0 && (
        <ReportSection
          id="acute"
          title="Active sensor alarms"
          about={`Added to the hazard regardless of age. An alarm expires within ${formatPageCount(hazard.acute_span_days, "day")} or when the component is repaired.`}
        >
          <SectionTable
            caption="Active sensor alarms"
            rows={acute}
            columns={[
              { heading: "Alarm", cell: ({ label }) => label },
              {
                heading: "Date",
                cell: ({ date: on }) => (
                  <span class="one-line">{on === null ? "—" : formatPageDate(on)}</span>
                ),
              },
              {
                heading: "Remaining",
                isNumber: true,
                cell: ({ remaining }) => explanationPagePercent(remaining),
              },
              {
                heading: "Added hazard",
                isNumber: true,
                cell: ({ acute_hazard }) => `+ ${explanationPageNumber(acute_hazard)}`,
              },
              { heading: "Expires", cell: expiry },
              { heading: "Source", cell: ({ source }) => <code>{source}</code> },
            ]}
          />
        </ReportSection>
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
      <SectionTable
        caption="Evidence"
        rows={evidence}
        columns={[
          { heading: "Evidence", cell: ({ label }) => label },
          {
            heading: "Date",
            cell: ({ date: on }) => <span class="one-line">{on === null ? "—" : formatPageDate(on)}</span>,
          },
          {
            heading: "Initial",
            isNumber: true,
            cell: ({ base_ratio }) => `× ${explanationPageNumber(base_ratio)}`,
          },
          {
            heading: "Remaining",
            isNumber: true,
            cell: ({ remaining }) => explanationPagePercent(remaining),
          },
          ...(isShared
            ? [
                {
                  heading: "Exponent",
                  isNumber: true,
                  cell: ({ weight, strength, times }: EvidenceJson) =>
                    explanationPageNumber(weight * strength * times),
                },
              ]
            : []),
          { heading: "Current", isNumber: true, cell: ({ factor }) => `× ${explanationPageNumber(factor)}` },
          {
            heading: "Lowers · raises risk",
            cell: ({ factor }) => <ExplainedRatioBar factor={factor} furthest={furthest} />,
          },
          { heading: "Expires", cell: expiry },
          { heading: "Source", cell: ({ source }) => <code>{source}</code> },
        ]}
      />
      {isShared && (
        <p class="small muted">
          The exponent differs from 1 if an event does not name one of several components, if the fault was
          repaired, or if calibration changed the weight of the evidence.
        </p>
      )}
      {hazard.cascades !== 1 && (
        <p class="small muted">
          Own evidence × {explanationPageNumber(hazard.own_product)}; related components ×{" "}
          {explanationPageNumber(hazard.cascades)}.
        </p>
      )}
    </>
  );
}

function expiry({ ends_on, ended_by }: EvidenceJson) {
  return (
    <span class="roomy">
      {ends_on === null ? "Does not expire" : formatPageDate(ends_on)}
      {ended_by !== null && <span class="under small muted">or on {ended_by}</span>}
    </span>
  );
}

/** Draws a factor as a bar from 1 on a logarithmic scale, on which double and half have the same length. */
export function ExplainedRatioBar(props: {
  factor: number;
  /** The upper end of the scale; the lower end is its reciprocal. */
  furthest: number;
  /** True if factors above 1 are favorable. */
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
