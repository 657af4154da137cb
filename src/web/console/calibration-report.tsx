import { scaleBand, scaleLinear } from "d3-scale";
import type { FitJson } from "../../wire/model.ts";
import { percent as length } from "../charts/bar.tsx";
import { count } from "../format.ts";
import { Numbers } from "../sections/section.tsx";
import { sentence } from "../words.ts";
import { Ratio } from "./component-evidence.tsx";
import { formatNumber, formatPercent } from "./precise-format.ts";

/** What a fit says of the stock: whose lives it moved, and whether lives end when they are forecast to. */
export function CalibrationReport({ fit }: { fit: FitJson }) {
  const { kinds, frailty_shape, evidence_strength: strength, d_calibration } = fit;
  const moved = kinds.toSorted(
    (a, b) => Math.abs(Math.log(b.life_factor)) - Math.abs(Math.log(a.life_factor)),
  );
  const furthest = Math.max(1.1, ...kinds.map(({ life_factor }) => Math.max(life_factor, 1 / life_factor)));
  return (
    <>
      <p class="small">
        {frailty_shape === null
          ? "Appliances of a kind do not differ among each other."
          : `Appliances of a kind differ among each other, frailty of shape ${formatNumber(frailty_shape)}.`}{" "}
        A condition counts at the power {formatNumber(strength.condition)}, repairs at{" "}
        {formatNumber(strength.repairs)}.
      </p>
      <DCalibrationChart dCalibration={d_calibration} />
      <Numbers
        summary="What it makes of the life of each kind"
        rows={moved}
        columns={[
          { heading: "Kind", cell: ({ component_def_id }) => sentence(component_def_id) },
          { heading: "Life", isNumber: true, cell: ({ life_factor }) => `× ${formatNumber(life_factor)}` },
          {
            heading: "Shorter · longer",
            cell: ({ life_factor }) => <Ratio factor={life_factor} furthest={furthest} isGoodAbove />,
          },
          { heading: "Failures", isNumber: true, cell: ({ failures }) => count(failures) },
          { heading: "Expected", isNumber: true, cell: ({ expected }) => formatNumber(expected) },
        ]}
      />
    </>
  );
}

const HEIGHT = 120;

/** The share of lives that ended in each tenth of their forecast: a tenth each, were the forecasts right. */
function DCalibrationChart({ dCalibration: { before, after } }: { dCalibration: FitJson["d_calibration"] }) {
  const most = Math.max(0.15, ...before.shares, ...after.shares);
  const y = scaleLinear([0, most], [HEIGHT, 0]);
  const tenths = before.shares.map((_, at) => at);
  const x = scaleBand(tenths.map(String), [0, 1]).paddingInner(0.25);
  const half = x.bandwidth() / 2;
  return (
    <figure>
      <svg
        class="tenths"
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`Lives that ended in each tenth of their forecast, a tenth each were the forecasts right. Chi-squared ${formatNumber(before.chi_squared)} plain, ${formatNumber(after.chi_squared)} fitted.`}
      >
        {tenths.map((at) =>
          [before, after].map(({ shares }, nth) => (
            <rect
              class={nth === 0 ? "fill plain" : "fill fitted"}
              x={length(x(String(at))! + nth * half)}
              width={length(half)}
              y={y(shares[at]!)}
              height={HEIGHT - y(shares[at]!)}
            />
          )),
        )}
        <line class="limit" x1="0" x2="100%" y1={y(0.1)} y2={y(0.1)} />
      </svg>
      <p class="small mute">
        <span class="legend">
          <i class="swatch plain" /> Plain
        </span>{" "}
        <span class="legend">
          <i class="swatch fitted" /> Fitted a year before
        </span>{" "}
        Lives that ended in each tenth of their forecast; the line is a tenth, were the forecasts right.
      </p>
      <Numbers
        summary="The tenths in a table"
        rows={tenths}
        columns={[
          { heading: "Tenth", cell: (at) => String(at + 1) },
          { heading: "Plain", isNumber: true, cell: (at) => formatPercent(before.shares[at]!) },
          { heading: "Fitted", isNumber: true, cell: (at) => formatPercent(after.shares[at]!) },
        ]}
      />
    </figure>
  );
}
