import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import type { ComponentChildren } from "preact";
import type { ExplanationJson } from "../../api-schemas/explanation-schema.ts";
import { percentLength as length } from "../charts/bar.tsx";
import { ChartWithReadouts } from "../charts/chart.tsx";
import { pageCodeLabel } from "../page/page-code-labels.ts";
import { formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { CollapsedSectionTable, ReportSection } from "../sections/section.tsx";
import {
  explanationPageNumber,
  explanationPagePercent,
  explanationPageYears,
} from "./explanation-page-numbers.ts";

const INSTALL_DATE_SOURCES: Readonly<Record<ExplanationJson["age"]["reason"], string>> = {
  replacement: "last recorded replacement",
  installation: "assumed from the install year",
  unknown_past: "assumed from the install year",
};

/** Shows a component's effective age, and where that falls in the lifetime of its type. */
export function ExplainedAge({ explained }: { explained: ExplanationJson }) {
  const { age, rate } = explained;
  const past = age.unknown_past;
  return (
    <ReportSection
      id="age"
      title="Age"
      about={`Effective age ${explanationPageYears(age.effective_age_years)}, or ${explanationPageYears(age.effective_virtual_age_years)} of normal use. By that age, ${explanationPagePercent(age.prior)} of components of this type have failed.`}
    >
      <LifeCurve explained={explained} />
      <dl class="facts">
        <Fact name="Installed">
          {formatPageDate(age.born_on)} ({INSTALL_DATE_SOURCES[age.reason]}),{" "}
          {explanationPageYears(age.age_years)} ago
        </Fact>
        {past && (
          <Fact name="Unknown history">
            Records begin {formatPageDate(past.records_since)}. There is a{" "}
            {explanationPagePercent(past.probability_original_now)} probability that this is the original
            component; otherwise it was replaced at an unknown time.
          </Fact>
        )}
        <Fact name="Effective aging">
          {explanationPageYears((rate.years_per_year * age.counted_days) / 365.25)} in the{" "}
          {formatPageWholeNumber(age.counted_days)} days since {formatPageDate(age.counted_from)}
        </Fact>
        {age.restorations.map((credit) => (
          <Fact name="Maintenance credit">
            {explanationPageYears(credit.removed_years)} for the {credit.event_type} on{" "}
            {formatPageDate(credit.date)}: {explanationPagePercent(credit.share)} of the aging since the
            previous credit
          </Fact>
        ))}
      </dl>
    </ReportSection>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const [WIDTH, HEIGHT, BOTTOM] = [1000, 180, 22];
const POINTS = 80;
/** The values that a pointer and arrow keys find. */
const READOUTS = 40;
const TABLE_POINTS = 10;

/** Charts the share of the component type that still works at each effective age, and marks this component. */
function LifeCurve({ explained: { life, age } }: { explained: ExplanationJson }) {
  const { weibull_shape: shape, weibull_scale_years: scale, calibrated_median_years: median } = life;
  const oldest = Math.max(median * 2, age.effective_virtual_age_years * 1.15);
  const working = (years: number) => Math.exp(-((years / scale) ** shape));
  const x = scaleLinear([0, oldest], [0, WIDTH]);
  const y = scaleLinear([0, 1], [HEIGHT - BOTTOM, 6]);
  const along = (points: number) => Array.from({ length: points + 1 }, (_, at) => (at / points) * oldest);
  const at = (years: number) => length(x(years) / WIDTH);
  const round = (value: number) => Math.round(value * 10) / 10;
  const curve = line<number>()
    .x((years) => round(x(years)))
    .y((years) => round(y(working(years))))(along(POINTS))!;
  const under = area<number>()
    .x((years) => round(x(years)))
    .y0(HEIGHT - BOTTOM)
    .y1((years) => round(y(working(years))))(
    along(POINTS).filter((years) => years <= age.effective_virtual_age_years),
  )!;
  const now = working(age.effective_virtual_age_years);
  const isFarAlong = age.effective_virtual_age_years > oldest * 0.7;
  return (
    <figure>
      <ChartWithReadouts
        kind="life-chart"
        name="share still working by age"
        points={along(READOUTS).map((years) => ({
          x: years / oldest,
          text: `After ${explanationPageYears(years)} of normal use: ${explanationPagePercent(working(years))} still working`,
        }))}
      >
        <svg
          class="life-curve"
          width="100%"
          height={HEIGHT}
          role="img"
          aria-label={`Half of the components of this type still work at ${explanationPageYears(median)}; at this component’s ${explanationPageYears(age.effective_virtual_age_years)} of normal use, ${explanationPagePercent(now)}.`}
        >
          <svg width="100%" height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
            <path class="under" d={under} />
            <path class="curve" d={curve} vector-effect="non-scaling-stroke" />
          </svg>
          <line class="ground" x1="0" x2="100%" y1={HEIGHT - BOTTOM + 0.5} y2={HEIGHT - BOTTOM + 0.5} />
          {x.ticks(6).map((tick) => (
            <text x={at(tick)} y={HEIGHT - 6} text-anchor={tick === 0 ? "start" : "middle"}>
              {tick === 0 ? "new" : tick}
            </text>
          ))}
          <line
            class="now"
            x1={at(age.effective_virtual_age_years)}
            x2={at(age.effective_virtual_age_years)}
            y1="6"
            y2={HEIGHT - BOTTOM}
          />
          <svg x={at(age.effective_virtual_age_years)} overflow="visible">
            <circle class="newest" cy={y(now)} r="4.5" />
            {/* The label avoids the curve: above it late in the lifetime, below it early. */}
            <text
              class="here"
              x={isFarAlong ? -10 : 10}
              y={now < 0.5 ? 24 : HEIGHT - BOTTOM - 12}
              text-anchor={isFarAlong ? "end" : "start"}
            >
              {explanationPagePercent(now)} still working
            </text>
          </svg>
        </svg>
      </ChartWithReadouts>
      <p class="small muted">
        Share of this component type still working, by years of normal use. The line marks this component.
      </p>
      <CollapsedSectionTable
        caption="Share still working by years of normal use"
        rows={along(TABLE_POINTS)}
        columns={[
          { heading: "Effective age", cell: (years) => explanationPageYears(years) },
          {
            heading: "Still working",
            isNumber: true,
            cell: (years) => explanationPagePercent(working(years)),
          },
        ]}
      />
    </figure>
  );
}

/** Shows the expected life of a component in its place, and how fast it ages. */
export function ExplainedLife({ explained }: { explained: ExplanationJson }) {
  const { life, rate, definition, model_source, score } = explained;
  const isCalibrated = life.kind_factor !== 1 || life.frailty !== 1;
  const { median_life_years: median, weibull_shape: shape } = definition;
  return (
    <ReportSection
      id="life"
      title="Expected life and aging rate"
      about={`Median life ${explanationPageYears(life.calibrated_median_years)} of normal use. Here, one calendar year adds ${explanationPageYears(rate.years_per_year)} of effective age.`}
    >
      <dl class="facts">
        <Fact name="Median life">
          {explanationPageYears(life.median_life_years)}{" "}
          {life.overridden ? "(override_lifespan of this component)" : <Citation {...median} />}
        </Fact>
        <Fact name="Brand">
          × {explanationPageNumber(life.brand_factor)}, {life.brand_tier} <Citation {...model_source} />
        </Fact>
        {isCalibrated && (
          <Fact name="Calibration">
            × {explanationPageNumber(life.kind_factor)} for this component type, ×{" "}
            {explanationPageNumber(life.frailty_factor)} for this appliance
          </Fact>
        )}
        <Fact name="Lifetime distribution">
          Weibull, shape {explanationPageNumber(life.weibull_shape)} <Citation {...shape} />, scale{" "}
          {explanationPageYears(life.weibull_scale_years)}
        </Fact>
        <Fact name="Use">
          {definition.wear === "use"
            ? `× ${explanationPageNumber(rate.usage_factor)} at usage intensity ${explanationPageNumber(rate.usage_intensity)}`
            : "Ages with time only"}
        </Fact>
        {rate.environment.map((exposure) => (
          <Fact name={pageCodeLabel(exposure.factor)}>
            Reduces life to {explanationPagePercent(exposure.life_factor)}: 1 −{" "}
            {explanationPageNumber(exposure.sensitivity)} × {explanationPageNumber(exposure.value)} (
            {rate.environment_basis === "state" ? (
              <code>{rate.source}</code>
            ) : (
              "a mean: the climate is unknown"
            )}
            )
          </Fact>
        ))}
        <Fact name="Effective lifespan">
          {explanationPageYears(score.effective_lifespan_years)} in calendar time
        </Fact>
      </dl>
    </ReportSection>
  );
}

/** Names the source of a value, and whether the value was published, derived or estimated. */
const Citation = ({ source, kind }: { source: string; kind: string }) => (
  <>
    (<code>{source}</code>, {kind})
  </>
);
