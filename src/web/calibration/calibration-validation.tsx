import type { ValidationJson } from "../../api-schemas/calibration-schema.ts";
import { formatPageCount, formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { SectionTable } from "../sections/section.tsx";
import { calibrationPageFailureWindowRows } from "./calibration-page-failure-windows.ts";

const MEASURES = [
  {
    key: "concordance",
    name: "Concordance",
    means: "how often the component with the higher forecast failed first; 1 is perfect",
  },
  {
    key: "brier_skill",
    name: "Brier skill",
    means: "improvement over forecasting the average; higher is better",
  },
  {
    key: "calibration_error",
    name: "Calibration error",
    means: "difference between forecast and actual failure rates; lower is better",
  },
  { key: "log_loss", name: "Log loss", means: "lower is better" },
  {
    key: "actual_to_expected",
    name: "Actual to expected failures",
    means: "failures divided by those forecast; 1 is exact",
  },
] as const;

/** Formats a measure to four decimal places. Calibrations by older versions lack some. */
export const formatCalibrationPageMeasure = (value: number | null | undefined) =>
  value === null || value === undefined ? "—" : value.toFixed(4).replace("-", "−");

/** Compares both models' forecasts of a past year with its outcomes. */
export function CalibrationValidation({ validation }: { validation: ValidationJson }) {
  const { from, to, components, failed, before, after, log_loss_difference: difference } = validation;
  const windows = validation.failure_windows;
  return (
    <>
      <p class="about">
        {formatPageDate(from)} to {formatPageDate(to)}: {formatPageCount(components, "component")},{" "}
        {formatPageWholeNumber(failed)} failed.
        {difference &&
          ` Change in log loss: ${formatCalibrationPageMeasure(difference.mean)} (90% interval ${formatCalibrationPageMeasure(difference.low)} to ${formatCalibrationPageMeasure(difference.high)}). The calibration is better if the whole interval is below 0.`}
      </p>
      <SectionTable
        caption="Forecasts compared with outcomes"
        rows={MEASURES}
        columns={[
          {
            heading: "Measure",
            cell: ({ name, means }) => (
              <>
                {name} <span class="small muted under">{means}</span>
              </>
            ),
          },
          {
            heading: "Default",
            isNumber: true,
            cell: ({ key }) => formatCalibrationPageMeasure(before[key]),
          },
          {
            heading: "Calibrated",
            isNumber: true,
            cell: ({ key }) => formatCalibrationPageMeasure(after[key]),
          },
        ]}
      />
      {windows && (
        <SectionTable
          caption="80% failure windows compared with outcomes"
          rows={calibrationPageFailureWindowRows(windows)}
          columns={[
            {
              heading: "Failure windows",
              cell: ({ name, means }) => (
                <>
                  {name} <span class="small muted under">{means}</span>
                </>
              ),
            },
            { heading: "Default", isNumber: true, cell: (row) => row.before },
            { heading: "Calibrated", isNumber: true, cell: (row) => row.after },
          ]}
        />
      )}
    </>
  );
}
