import type { ValidationJson } from "../../wire/calibration.ts";
import { count, counted, date } from "../format.ts";
import { DataTable } from "../sections/section.tsx";

const MEASURES = [
  { key: "concordance", name: "Concordance", means: "how often the likelier one failed first; 1 is perfect" },
  { key: "brier_skill", name: "Brier skill", means: "better than guessing the average; higher is better" },
  {
    key: "calibration_error",
    name: "Calibration error",
    means: "forecast share against what came; lower is better",
  },
  { key: "log_loss", name: "Log loss", means: "lower is better" },
] as const;

/** A measure to four places. */
export const formatMeasure = (value: number | null) => (value === null ? "—" : value.toFixed(4));

/** How both models would have forecast a year that is known by now. */
export function Validation({ validation }: { validation: ValidationJson }) {
  const { from, to, components, failed, before, after, log_loss_difference: difference } = validation;
  return (
    <>
      <p class="about">
        {date(from)} to {date(to)}: {counted(components, "component")}, of which {count(failed)} failed.
        {difference &&
          ` Log loss differs by ${difference.mean.toFixed(4)}, within ${difference.low.toFixed(4)} to ${difference.high.toFixed(4)}; below 0 the fit is better.`}
      </p>
      <DataTable
        caption="The year’s forecasts, measured at its outcomes"
        rows={MEASURES}
        columns={[
          {
            heading: "Measure",
            cell: ({ name, means }) => (
              <>
                {name} <span class="small mute under">{means}</span>
              </>
            ),
          },
          { heading: "Plain", isNumber: true, cell: ({ key }) => formatMeasure(before[key]) },
          { heading: "Fitted", isNumber: true, cell: ({ key }) => formatMeasure(after[key]) },
        ]}
      />
    </>
  );
}
