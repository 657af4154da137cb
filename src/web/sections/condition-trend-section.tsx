import type { ConditionPointJson } from "../../api-schemas/condition-trend-schema.ts";
import { GRADE_BAND, TimeChart } from "../charts/time-chart.tsx";
import { formatPageCompactMoney, formatPageDate, formatPageMoney } from "../page/page-format.ts";
import { pageTimeRangePresets } from "../page/page-time-range.ts";
import { TimeRangeButtons, TimeRangeField, useTimeRangeChoice } from "../widgets/time-range-choice.tsx";
import { GRADES } from "./condition-section.tsx";
import { CollapsedSectionTable, ReportSection, type SectionCsvLink } from "./section.tsx";

/** With fewer weeks there is nothing to see. */
const LEAST_POINTS = 3;

/** The condition and the expected cost by week; nothing before there are some weeks. */
export function ConditionTrendSection(props: {
  points: readonly ConditionPointJson[];
  /** The address of the list of what should be done, which the figures follow from. */
  actions: string | undefined;
  /** The preset that the reader has chosen with a form. Undefined where buttons choose it. */
  formRange?: string | undefined;
  csv?: SectionCsvLink;
}) {
  const { points, actions, formRange, csv } = props;
  const { range, setRange, shown } = useTimeRangeChoice(points, formRange);
  if (points.length < LEAST_POINTS) return null;
  return (
    <ReportSection
      id="over-time"
      title="Condition over time"
      about="Once a week: the condition score, and the expected cost of failures within 12 months of critical and warning components."
    >
      {formRange === undefined ? (
        <TimeRangeButtons points={points} range={range} onChoose={setRange} />
      ) : (
        pageTimeRangePresets(points).length > 0 && (
          <form class="choice" method="get" action="#over-time" data-replaces="over-time">
            <TimeRangeField points={points} range={range} id="over-time-range" />
            <button type="submit">Show</button>
          </form>
        )
      )}
      <div class="two-columns">
        <ScoreChart points={shown} actions={actions} />
        <CostChart points={shown} actions={actions} />
      </div>
      <CollapsedSectionTable
        caption="Condition over time"
        summary="View by week (table)"
        csv={csv}
        rows={[...shown].reverse()}
        columns={[
          { heading: "Day", cell: (point) => formatPageDate(point.date) },
          { heading: "Score", isNumber: true, cell: (point) => point.condition_score },
          { heading: "Grade", cell: (point) => point.grade },
          { heading: "Due now", isNumber: true, cell: (point) => formatPageMoney(Math.round(point.due_now)) },
          {
            heading: "Expected cost, 12 months",
            isNumber: true,
            cell: (point) => formatPageMoney(Math.round(point.expected_cost_12m)),
          },
        ]}
      />
    </ReportSection>
  );
}

type ChartProps = { points: readonly ConditionPointJson[]; actions: string | undefined };

function ScoreChart({ points, actions }: ChartProps) {
  const lowest = Math.min(...points.map(({ condition_score }) => condition_score));
  const from = Math.max(0, Math.min(60, Math.floor(lowest / 10) * 10) - 10);
  const [first, last] = [points[0]!, points.at(-1)!];
  return (
    <div>
      <h3>Condition score</h3>
      <TimeChart
        name="condition score"
        label={`Condition score from ${first.condition_score} (grade ${first.grade}) on ${formatPageDate(first.date)} to ${last.condition_score} (grade ${last.grade}) on ${formatPageDate(last.date)}`}
        domain={[from, 100]}
        bands={GRADES.map((grade) => ({ ...grade, kind: GRADE_BAND, from: Math.max(grade.from, from) }))}
        points={points.map(({ date: day, condition_score, grade, due_now }) => ({
          date: day,
          value: condition_score,
          text: `${formatPageDate(day)}: ${condition_score}, grade ${grade}; ${formatPageMoney(Math.round(due_now))} due`,
          href: actions,
        }))}
      />
    </div>
  );
}

function CostChart({ points, actions }: ChartProps) {
  const costs = points.map(({ expected_cost_12m }) => expected_cost_12m);
  const [first, last] = [points[0]!, points.at(-1)!];
  return (
    <div>
      <h3>Expected cost, 12 months</h3>
      <TimeChart
        name="expected cost, 12 months"
        label={`Expected cost from ${formatPageMoney(Math.round(first.expected_cost_12m))} on ${formatPageDate(first.date)} to ${formatPageMoney(Math.round(last.expected_cost_12m))} on ${formatPageDate(last.date)}`}
        domain={[0, Math.max(...costs, 1) * 1.1]}
        valueLabel={formatPageCompactMoney}
        points={points.map(({ date: day, expected_cost_12m }) => ({
          date: day,
          value: expected_cost_12m,
          text: `${formatPageDate(day)}: ${formatPageMoney(Math.round(expected_cost_12m))}`,
          href: actions,
        }))}
      />
    </div>
  );
}
