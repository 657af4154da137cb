import { scaleLinear } from "d3-scale";
import type { LossesJson } from "../../api-schemas/losses-schema.ts";
import { formatPageCompactMoney, formatPageMoney } from "../page/page-format.ts";
import { percentLength } from "./bar.tsx";
import { ChartWithReadouts } from "./chart.tsx";

const [TOP, BOTTOM] = [12, 26];

/** The annual loss by its return period: a step for each period, with what model error adds above it. */
export function LossCurveChart({ losses, height = 172 }: { losses: LossesJson; height?: number }) {
  const points = losses.total.exceedance;
  const most = Math.max(
    ...points.map(({ amount, with_model_error }) => Math.max(amount, with_model_error)),
    1,
  );
  const y = scaleLinear([0, most], [height - BOTTOM, TOP]).nice(4);
  const round = (value: number) => Number(value.toFixed(1));
  const slot = 1 / points.length;
  const last = points.at(-1);
  return (
    <ChartWithReadouts
      kind="schedule-chart loss-curve"
      name="annual loss by return period"
      points={points.map(({ return_period_years, amount, with_model_error }, at) => ({
        x: (at + 0.5) * slot,
        text: `Once in ${return_period_years} years: ${formatPageMoney(Math.round(amount))}; ${formatPageMoney(Math.round(with_model_error))} with model error`,
      }))}
    >
      <svg
        width="100%"
        height={height}
        role="img"
        aria-label={`Annual loss by return period: ${formatPageMoney(points[0]?.amount ?? 0)} once in 2 years, ${formatPageMoney(last?.amount ?? 0)} once in ${last?.return_period_years ?? 200} years.`}
      >
        {y.ticks(4).map((tick) => (
          <g class="tick">
            <line x1="0" x2="100%" y1={round(y(tick))} y2={round(y(tick))} />
            <text x="-8" y={round(y(tick)) + 4} text-anchor="end">
              {formatPageCompactMoney(tick)}
            </text>
          </g>
        ))}
        {points.map(({ return_period_years, amount, with_model_error }, at) => (
          <g>
            <rect
              class="planned"
              x={percentLength((at + 0.17) * slot)}
              width={percentLength(slot * 0.66)}
              y={round(y(amount))}
              height={round(y(0) - y(amount))}
            />
            <line
              class="model-error"
              x1={percentLength((at + 0.1) * slot)}
              x2={percentLength((at + 0.9) * slot)}
              y1={round(y(with_model_error))}
              y2={round(y(with_model_error))}
            />
            <text x={percentLength((at + 0.5) * slot)} y={height - 8} text-anchor="middle">
              {return_period_years}
            </text>
          </g>
        ))}
      </svg>
    </ChartWithReadouts>
  );
}
