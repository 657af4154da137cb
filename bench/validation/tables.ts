import type { ForecastMeasures, ProofInterval } from "../../src/domain/calibration/model-proof.ts";
import type { ConditionComparison } from "./conditions.ts";
import type { InspectionProof } from "./inspections.ts";
import type { YearForecast } from "./water-mains.ts";

type Model = {
  name: string;
  expected: number;
  measures: ForecastMeasures;
  intervals: { [Name in keyof ForecastMeasures]: ProofInterval | null };
};

/** The contents of results.json. */
export type Results = {
  waterMains: {
    years: (Omit<YearForecast, "models"> & { models: Model[] })[];
    shapes: {
      shape: number;
      years: { from: string; breaks: number; expected: number; concordance: number | null }[];
    }[];
    coverage: {
      shape: number;
      years: {
        year: number;
        breaks: number;
        expected: number;
        interval: ProofInterval;
        intervalWithYears: ProofInterval;
      }[];
    }[];
  };
  inspections: (Omit<InspectionProof, "models"> & { models: Model[] })[];
  conditions: ConditionComparison[];
};

/** Replaces the tables between the markers of a page. */
export function renewTables(page: string, results: Results): string {
  return Object.entries(TABLES).reduce((text, [name, table]) => {
    const block = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(\n<!-- end -->)`);
    if (!block.test(text)) throw new Error(`The page has no block "${name}"`);
    return text.replace(block, (_, start, end) => `${start}${table(results)}${end}`);
  }, page);
}

const RATINGS = ["GOOD", "FAIR", "FAIL"];

const TABLES: Record<string, (results: Results) => string> = {
  "water mains": ({ waterMains: { years } }) =>
    markdown(
      [
        "Year from",
        "Forecast by",
        "Breaks expected",
        "Breaks seen",
        "Concordance (90% interval)",
        "Brier skill",
        "Log loss",
      ],
      years.flatMap(({ from, breaks, models }) =>
        models.map(({ name, expected, measures, intervals }) => [
          from,
          name,
          expected.toFixed(0),
          String(breaks),
          withRange(measures.concordance, intervals.concordance),
          signed(measures.brierSkill, 3),
          signed(measures.logLoss, 4),
        ]),
      ),
    ),
  "water mains by shape": ({ waterMains: { shapes } }) =>
    markdown(
      [
        "Shape β",
        ...shapes[0]!.years.map(({ from, breaks }) => `Expected from ${from} (seen ${breaks})`),
        "Concordance",
      ],
      shapes.map(({ shape, years }) => [
        String(shape),
        ...years.map(({ expected }) => expected.toFixed(0)),
        years.map(({ concordance }) => signed(concordance, 3)).join(", "),
      ]),
    ),
  "water mains by year": ({ waterMains: { coverage } }) =>
    markdown(
      [
        "Year",
        "Breaks",
        ...coverage.flatMap(({ shape }) => [`Expected, β ${shape}`, "90% interval", "with years"]),
      ],
      [
        ...coverage[0]!.years.map(({ year, breaks }, i) => [
          String(year),
          String(breaks),
          ...coverage.flatMap(({ years }) => {
            const { expected, interval, intervalWithYears } = years[i]!;
            return [expected.toFixed(0), span(interval), span(intervalWithYears)];
          }),
        ]),
        [
          "Within",
          "",
          ...coverage.flatMap(({ years }) => [
            "",
            share(years, ({ breaks, interval }) => isWithin(breaks, interval)),
            share(years, ({ breaks, intervalWithYears }) => isWithin(breaks, intervalWithYears)),
          ]),
        ],
      ],
    ),
  inspections: ({ inspections }) =>
    markdown(
      [
        "Areas",
        "Forecast by",
        "Falls expected",
        "Falls seen",
        "Concordance (90% interval)",
        "Calibration error",
        "Log loss",
      ],
      inspections.flatMap(({ areas, forecast, models }) =>
        models.map(({ name, expected, measures, intervals }) => [
          areas === "known" ? "six that the knowledge base has" : "all twenty",
          name,
          expected.toFixed(0),
          `${forecast.fell} of ${forecast.intervals.toLocaleString("en")}`,
          withRange(measures.concordance, intervals.concordance),
          signed(measures.calibrationError, 3),
          signed(measures.logLoss, 4),
        ]),
      ),
    ),
  "inspections by score": ({ inspections }) =>
    markdown(
      [
        "Areas",
        ...inspections[0]!.byScore.map(({ score }) => `Fell from ${score}`),
        "Strength of the condition",
        "Shape of frailty",
      ],
      inspections.map(({ areas, byScore, strength, frailtyShape }) => [
        areas === "known" ? "six that the knowledge base has" : "all twenty",
        ...byScore.map(
          ({ intervals, fell }) =>
            `${((100 * fell) / intervals).toFixed(1)}% (${fell} of ${intervals.toLocaleString("en")})`,
        ),
        strength.toFixed(2),
        String(frailtyShape ?? "none"),
      ]),
    ),
  conditions: ({ conditions }) =>
    markdown(
      [
        "Imported",
        "Buildings",
        "City's score, median",
        "Condition score, median",
        ...RATINGS.map((rating) => `Rated ${rating}`),
        "FCI, median",
        "Rank correlation (90% interval)",
      ],
      conditions.map(({ records, buildings, medians, ratings, medianFci, correlation, interval }) => [
        records,
        String(buildings),
        String(medians.city),
        String(medians.ours),
        ...RATINGS.map((rating) => String(ratings[rating] ?? 0)),
        medianFci.toFixed(3),
        withRange(correlation, interval),
      ]),
    ),
};

function markdown(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

const signed = (value: number | null, decimals: number) =>
  value === null ? "–" : value.toFixed(decimals).replace("-", "−");
const span = ({ low, high }: ProofInterval) => `${low}–${high}`;
const withRange = (value: number | null, interval: ProofInterval | null) =>
  interval
    ? `${signed(value, 3)} (${signed(interval.low, 3)} to ${signed(interval.high, 3)})`
    : signed(value, 3);
const isWithin = (value: number, { low, high }: ProofInterval) => value >= low && value <= high;
const share = <T>(items: readonly T[], holds: (item: T) => boolean) =>
  `${items.filter(holds).length} of ${items.length}`;
