import { scaleBand, scaleLinear } from "d3-scale";
import type { FitJson } from "../../api-schemas/model-schema.ts";
import { percentLength as length } from "../charts/bar.tsx";
import { ChartWithReadouts } from "../charts/chart.tsx";
import { ExplainedRatioBar } from "../explanation/explained-component-evidence.tsx";
import { explanationPageNumber, explanationPagePercent } from "../explanation/explanation-page-numbers.ts";
import { pageCodeLabel } from "../page/page-code-labels.ts";
import { formatPageWholeNumber } from "../page/page-format.ts";
import { CollapsedSectionTable } from "../sections/section.tsx";

/** Shows how a calibration changes component lifetimes, and how well the forecast lifetimes match the observed ones. */
export function CalibrationReport({ fit }: { fit: FitJson }) {
  const { kinds, frailty_shape, evidence_strength: strength, d_calibration, shared_causes } = fit;
  const byChange = kinds.toSorted(
    (a, b) => Math.abs(Math.log(b.life_factor)) - Math.abs(Math.log(a.life_factor)),
  );
  const furthest = Math.max(1.1, ...kinds.map(({ life_factor }) => Math.max(life_factor, 1 / life_factor)));
  return (
    <>
      <p class="small">
        {frailty_shape === null
          ? "Appliances of the same type show no difference in reliability beyond chance."
          : `Appliances of the same type differ in reliability (frailty shape ${explanationPageNumber(frailty_shape)}).`}{" "}
        Evidence exponents: condition {explanationPageNumber(strength.condition)}, repairs{" "}
        {explanationPageNumber(strength.repairs)}.
      </p>
      <DCalibrationChart dCalibration={d_calibration} />
      <CollapsedSectionTable
        summary="Lifetime by component type"
        rows={byChange}
        columns={[
          { heading: "Component type", cell: ({ component_def_id }) => pageCodeLabel(component_def_id) },
          {
            heading: "Lifetime",
            isNumber: true,
            cell: ({ life_factor }) => `× ${explanationPageNumber(life_factor)}`,
          },
          {
            heading: "Shorter · longer",
            cell: ({ life_factor }) => (
              <ExplainedRatioBar factor={life_factor} furthest={furthest} isGoodAbove />
            ),
          },
          { heading: "Failures", isNumber: true, cell: ({ failures }) => formatPageWholeNumber(failures) },
          { heading: "Expected", isNumber: true, cell: ({ expected }) => explanationPageNumber(expected) },
        ]}
      />
      {shared_causes && <SharedCauses causes={shared_causes} />}
    </>
  );
}

/** Shows how much the failures of a year have in common, which losses use. */
function SharedCauses({ causes }: { causes: NonNullable<FitJson["shared_causes"]> }) {
  const { classes, years, years_outside: outside } = causes;
  const learned = classes.filter((cause) => cause.learned);
  return (
    <>
      <p class="small">
        {learned.length === 0
          ? "Shared causes: no class has five whole years and 50 failures on record, so losses use the default variances."
          : `Of ${years.length} whole years, the failures of ${outside.before} lay outside their 90% interval with the default variances of shared causes, and of ${outside.after} with those learned from the other years.`}
      </p>
      {years.length > 0 && (
        <CollapsedSectionTable
          summary="Shared causes by class"
          rows={classes.filter((cause) => cause.years > 0)}
          columns={[
            { heading: "Class", cell: ({ system }) => pageCodeLabel(system) },
            { heading: "Years", isNumber: true, cell: (cause) => formatPageWholeNumber(cause.years) },
            { heading: "Failures", isNumber: true, cell: ({ failures }) => formatPageWholeNumber(failures) },
            { heading: "Expected", isNumber: true, cell: ({ expected }) => explanationPageNumber(expected) },
            {
              heading: "Default",
              isNumber: true,
              cell: (cause) => explanationPageNumber(cause.default_variance),
            },
            {
              heading: "In use",
              isNumber: true,
              cell: (cause) =>
                `${explanationPageNumber(cause.year_factor_variance)}${cause.learned ? "" : " (default)"}`,
            },
          ]}
        />
      )}
    </>
  );
}

const HEIGHT = 120;

/** Charts the share of lifetimes that ended in each decile of their forecast: 10% each for a correct forecast. */
function DCalibrationChart({ dCalibration: { before, after } }: { dCalibration: FitJson["d_calibration"] }) {
  const highest = Math.max(0.15, ...before.shares, ...after.shares);
  const y = scaleLinear([0, highest], [HEIGHT, 0]);
  const deciles = before.shares.map((_, at) => at);
  const x = scaleBand(deciles.map(String), [0, 1]).paddingInner(0.25);
  const half = x.bandwidth() / 2;
  return (
    <figure>
      <ChartWithReadouts
        kind="decile-chart"
        name="lifetimes by decile of the forecast"
        points={deciles.map((at) => ({
          x: x(String(at))! + half,
          text: `Decile ${at + 1}: ${explanationPagePercent(before.shares[at]!)} by default, ${explanationPagePercent(after.shares[at]!)} calibrated`,
        }))}
      >
        <svg
          class="deciles"
          width="100%"
          height={HEIGHT}
          role="img"
          aria-label={`Share of lifetimes that ended in each decile of the forecast; 10% each if the forecast is correct. Chi-squared: default ${explanationPageNumber(before.chi_squared)}, calibrated ${explanationPageNumber(after.chi_squared)}.`}
        >
          {deciles.map((at) =>
            [before, after].map(({ shares }, nth) => (
              <rect
                class={nth === 0 ? "fill default" : "fill calibrated"}
                x={length(x(String(at))! + nth * half)}
                width={length(half)}
                y={y(shares[at]!)}
                height={HEIGHT - y(shares[at]!)}
              />
            )),
          )}
          <line class="limit" x1="0" x2="100%" y1={y(0.1)} y2={y(0.1)} />
        </svg>
      </ChartWithReadouts>
      <p class="small muted">
        <span class="legend">
          <i class="swatch default" /> Default
        </span>{" "}
        <span class="legend">
          <i class="swatch calibrated" /> Calibrated a year earlier
        </span>{" "}
        Share of lifetimes that ended in each decile of the forecast. The line marks 10%, as expected of a
        correct forecast.
      </p>
      <CollapsedSectionTable
        caption="Lifetimes by decile of the forecast"
        rows={deciles}
        columns={[
          { heading: "Decile", cell: (at) => String(at + 1) },
          { heading: "Default", isNumber: true, cell: (at) => explanationPagePercent(before.shares[at]!) },
          { heading: "Calibrated", isNumber: true, cell: (at) => explanationPagePercent(after.shares[at]!) },
        ]}
      />
    </figure>
  );
}
