import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import type { ComponentChildren } from "preact";
import type { ExplanationJson } from "../../wire/explanation.ts";
import { percent as length } from "../charts/bar.tsx";
import { count, date } from "../format.ts";
import { Numbers, Section } from "../sections/section.tsx";
import { sentence } from "../words.ts";
import { formatNumber, formatPercent, formatYears } from "./precise-format.ts";

const REASONS: Readonly<Record<ExplanationJson["age"]["reason"], string>> = {
  replacement: "its last replacement on record",
  installation: "July 1 of its install year",
  unknown_past: "July 1 of its install year",
};

/** How old it is, and where on the life of its kind that puts it. */
export function ComponentAge({ explained }: { explained: ExplanationJson }) {
  const { age, rate } = explained;
  const past = age.unknown_past;
  return (
    <Section
      id="age"
      title="How old it is"
      about={`${formatYears(age.effective_age_years)} of normal use, by which ${formatPercent(age.prior)} of its kind have failed.`}
    >
      <LifeCurve explained={explained} />
      <dl class="facts">
        <Fact name="Born">
          {date(age.born_on)}, {REASONS[age.reason]}: {formatYears(age.age_years)} ago
        </Fact>
        {past && (
          <Fact name="What came before">
            Its record begins {date(past.records_since)}; what came before is not known. It is the original
            with {formatPercent(past.probability_original_now)}, else it was replaced at an unknown time.
          </Fact>
        )}
        <Fact name="Aged">
          {formatYears((rate.years_per_year * age.counted_days) / 365.25)} in the {count(age.counted_days)}{" "}
          days since {date(age.counted_from)}
        </Fact>
        {age.restorations.map((one) => (
          <Fact name="Taken back">
            {formatYears(one.removed_years)} by the {one.event_type} of {date(one.date)},{" "}
            {formatPercent(one.share)} of what it had aged since the one before
          </Fact>
        ))}
      </dl>
    </Section>
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
const TABLE_POINTS = 10;

/** How many of its kind still work at each age, and where this one stands. */
function LifeCurve({ explained: { life, age } }: { explained: ExplanationJson }) {
  const { weibull_shape: shape, weibull_scale_years: scale, calibrated_median_years: median } = life;
  const most = Math.max(median * 2, age.effective_age_years * 1.15);
  const working = (years: number) => Math.exp(-((years / scale) ** shape));
  const x = scaleLinear([0, most], [0, WIDTH]);
  const y = scaleLinear([0, 1], [HEIGHT - BOTTOM, 6]);
  const along = (points: number) => Array.from({ length: points + 1 }, (_, at) => (at / points) * most);
  const at = (years: number) => length(x(years) / WIDTH);
  const round = (value: number) => Math.round(value * 10) / 10;
  const curve = line<number>()
    .x((years) => round(x(years)))
    .y((years) => round(y(working(years))))(along(POINTS))!;
  const under = area<number>()
    .x((years) => round(x(years)))
    .y0(HEIGHT - BOTTOM)
    .y1((years) => round(y(working(years))))(
    along(POINTS).filter((years) => years <= age.effective_age_years),
  )!;
  const now = working(age.effective_age_years);
  const isFarAlong = age.effective_age_years > most * 0.7;
  return (
    <figure>
      <svg
        class="life-curve"
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`Of its kind half work at ${formatYears(median)}; at its age of ${formatYears(age.effective_age_years)}, ${formatPercent(now)}.`}
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
          x1={at(age.effective_age_years)}
          x2={at(age.effective_age_years)}
          y1="6"
          y2={HEIGHT - BOTTOM}
        />
        <svg x={at(age.effective_age_years)} overflow="visible">
          <circle class="newest" cy={y(now)} r="4.5" />
          {/* Beside the line where the curve is not: above it late in a life, below it early. */}
          <text
            class="here"
            x={isFarAlong ? -10 : 10}
            y={now < 0.5 ? 24 : HEIGHT - BOTTOM - 12}
            text-anchor={isFarAlong ? "end" : "start"}
          >
            {formatPercent(now)} still work
          </text>
        </svg>
      </svg>
      <p class="small mute">
        Of its kind, how many still work at an age in years of normal use; the line is this one.
      </p>
      <Numbers
        summary="The curve in a table"
        rows={along(TABLE_POINTS)}
        columns={[
          { heading: "Age of normal use", cell: (years) => formatYears(years) },
          { heading: "Still work", isNumber: true, cell: (years) => formatPercent(working(years)) },
        ]}
      />
    </figure>
  );
}

/** How long its kind lives here, and how fast this one ages. */
export function ComponentLife({ explained }: { explained: ExplanationJson }) {
  const { life, rate, definition, model_source, score } = explained;
  const isCalibrated = life.kind_factor !== 1 || life.frailty !== 1;
  const { median_life_years: median, weibull_shape: shape } = definition;
  return (
    <Section
      id="life"
      title="How long it lives, and how fast it ages"
      about={`Half of its kind work for ${formatYears(life.calibrated_median_years)} of normal use; here a year takes ${formatYears(rate.years_per_year)} of that.`}
    >
      <dl class="facts">
        <Fact name="Median life">
          {formatYears(life.median_life_years)},{" "}
          {life.overridden ? "the component’s own, override_lifespan" : <From {...median} />}
        </Fact>
        <Fact name="Its make">
          × {formatNumber(life.brand_factor)}, {life.brand_tier}: <From {...model_source} />
        </Fact>
        {isCalibrated && (
          <Fact name="Calibrated">
            × {formatNumber(life.kind_factor)} for its kind, × {formatNumber(life.frailty_factor)} for its
            appliance, on this record
          </Fact>
        )}
        <Fact name="Spread of lives">
          Weibull shape {formatNumber(life.weibull_shape)}, <From {...shape} />; scale{" "}
          {formatYears(life.weibull_scale_years)}
        </Fact>
        <Fact name="Use">
          {definition.wear === "use"
            ? `× ${formatNumber(rate.usage_factor)} at an intensity of ${formatNumber(rate.usage_intensity)}`
            : "It ages with time alone"}
        </Fact>
        {rate.environment.map((one) => (
          <Fact name={sentence(one.factor)}>
            shortens its life to {formatPercent(one.life_factor)}: 1 − {formatNumber(one.sensitivity)} ×{" "}
            {formatNumber(one.value)}, <code>{rate.source}</code>
          </Fact>
        ))}
        <Fact name="Effective lifespan">{formatYears(score.effective_lifespan_years)} of the calendar</Fact>
      </dl>
    </Section>
  );
}

const From = ({ source, kind }: { source: string; kind: string }) => (
  <>
    <code>{source}</code>, {kind}
  </>
);
