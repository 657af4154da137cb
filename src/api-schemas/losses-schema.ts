import { type Knowledge, PERILS } from "../domain/domain-knowledge.ts";
import type { Assumptions } from "../domain/figures/assumptions.ts";
import type { BookLosses, LossDistribution } from "../domain/losses/book-losses.ts";
import type { TailAmount } from "../domain/losses/exceedance.ts";
import { DRIVERS, type Driver, OTHERS, REPAIR } from "../domain/losses/loss-drivers.ts";
import type { InsuredLayer } from "../domain/losses/loss-severity.ts";
import type { YearFactor } from "../domain/losses/year-factors.ts";
import type { Day } from "../domain/time.ts";
import { lossAssumptions, serializeAssumptions, serializeYearFactor } from "./assumptions-schema.ts";
import {
  apiSchemaTableCells,
  apiSchemaTableColumns,
  type Cell,
} from "./definition/api-schema-table-cells.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents, roundJsonNumber } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  listSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  textListSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { serializeLossNotes } from "./loss-notes-schema.ts";
import { schemaWithPartner } from "./paging-schema.ts";
import { jsonThousandSqft } from "./plan-summary-schema.ts";

/* The losses of a year over a property, a portfolio or all partners (docs/model/losses.md). */

const wholeCents = (cents: number) => jsonUsdFromCents(Math.round(cents));
const share = (value: number) => roundJsonNumber(value, 6);

const withModelError = usdSchema(
  "The same, if the forecast may also be wrong for all components at once",
  148_900,
);
const standardError = usdSchema("Standard error of the amount, from the number of simulated years", 2100);

const exceedancePoint = recordSchema("ExceedancePoint", {
  return_period_years: wholeNumberSchema("The amount is exceeded once in this many years on average", 100),
  amount: usdSchema("Annual loss", 132_400),
  with_model_error: withModelError,
  standard_error: standardError,
});

const tail = recordSchema("TailValueAtRisk", {
  amount: usdSchema("Mean annual loss of the worst hundredth of years", 161_200),
  with_model_error: withModelError,
  standard_error: standardError,
});

const serializeLossTail = tail.serializer(({ amount, standardError, withModelError }: TailAmount) => ({
  amount: wholeCents(amount),
  with_model_error: wholeCents(withModelError),
  standard_error: wholeCents(standardError),
}));

const distributionFields = {
  expected: usdSchema("Expected annual loss", 41_250.5),
  standard_deviation: usdSchema("Standard deviation of the annual loss", 24_810.2),
  exceedance: listSchema(
    "Aggregate exceedance probability curve: the loss of the whole year",
    exceedancePoint,
  ),
  tail_value_at_risk_99: tail.describedAs("Mean of the worst hundredth of years"),
};
const distribution = objectSchema(distributionFields);

const serializeDistribution = distribution.serializer((loss: LossDistribution) => ({
  expected: wholeCents(loss.expected),
  standard_deviation: wholeCents(loss.standardDeviation),
  exceedance: loss.exceedance.map(({ years, amount, standardError, withModelError }) => ({
    return_period_years: years,
    amount: wholeCents(amount),
    with_model_error: wholeCents(withModelError),
    standard_error: wholeCents(standardError),
  })),
  tail_value_at_risk_99: serializeLossTail(loss.tailValueAtRisk),
}));

const driver = recordSchema("LossDriver", {
  by: enumSchema(DRIVERS, "What the loss is divided by", "system"),
  key: textSchema(
    `The system, peril, state, division, property or kind of component; \`${REPAIR}\` beside the perils is the cost of ` +
      `repairs, \`${OTHERS}\` all that are not listed`,
    "plumbing",
  ),
  name: textSchema("The name of a kind of component; null for other keys", "Glass-lined tank").orNull(),
  expected: usdSchema("Expected annual loss", 18_420.7),
  share_of_expected: numberSchema("Share of the expected loss; those of one division add up to 1", 0.446558),
  share_of_variance: numberSchema(
    "Share of the variance: the covariance with the book divided by its variance; those of one division add up to 1",
    0.612204,
  ),
});

const serializeLossDriver = driver.serializer((knowledge: Knowledge, driver: Driver) => ({
  by: driver.by,
  key: driver.key,
  name: driver.by === "kind" && driver.key !== OTHERS ? knowledge.component(driver.key).name : null,
  expected: wholeCents(driver.expected),
  share_of_expected: share(driver.shareOfExpected),
  share_of_variance: share(driver.shareOfVariance),
}));

const perAmount = objectSchema({
  total: usdSchema("Expected annual loss", 1718.77),
  damage: usdSchema("Expected damage to the property", 210.4),
  insured: usdSchema("Expected insured damage", 140.12),
});

export const losses = objectSchema({
  as_of: daySchema("Start of the year that the losses are of"),
  model_version: textSchema("Version of the scoring model", "3"),
  properties: wholeNumberSchema("Properties with a component in the selection", 12),
  components: wholeNumberSchema("Components in the selection", 1080),
  deductible: usdSchema("Deductible of an occurrence; an occurrence is one damage", 2500),
  limit: usdSchema("Limit of an occurrence above the deductible; null without one", 50_000).orNull(),
  total: distribution.describedAs("All that owners pay: emergency repairs and damage"),
  damage: objectSchema({
    ...distributionFields,
    by_peril: listSchema(
      "Expected damage by peril",
      objectSchema({
        peril: enumSchema(PERILS, "Peril", "water"),
        expected: usdSchema("Expected annual damage", 9120),
      }),
    ),
  }).describedAs("Damage to the properties, which a property policy meets"),
  insured: objectSchema({
    ...distributionFields,
    technical_premium: usdSchema(
      "Premium by the standard deviation principle; null unless `risk_load`, `loss_adjustment_ratio` or `expense_ratio` is given",
      21_300,
    ).orNull(),
    premium_deviation: usdSchema(
      "The standard deviation that `risk_load` multiplies in it: of the insured losses, or the part of its portfolio's that a property causes; null without a `risk_load`",
      18_200,
    ).orNull(),
  }).describedAs("Each damage above the deductible, up to the limit"),
  largest_damage: listSchema(
    "The largest single damage of the year. A single loss, not an event",
    objectSchema({
      amount: usdSchema("Amount", 50_000),
      probability: numberSchema("Probability that the largest damage exceeds the amount", 0.087459),
    }),
  ),
  drivers: listSchema("What drives the total, the largest share of the variance first", driver),
  per_unit: perAmount.describedAs("Expected annual losses per unit of those properties").orNull(),
  per_1000_sqft: perAmount
    .describedAs(
      "Expected annual losses per 1,000 square feet; null unless all of the properties have an area",
    )
    .orNull(),
  assumptions: lossAssumptions.describedAs("What the figures rest on"),
  notes: textListSchema("What the figures include and exclude, as sentences", [
    "Non-catastrophe equipment losses: storms, floods and earthquakes are excluded.",
  ]),
});
export const lossesReply = schemaWithPartner(losses);
export type LossesJson = JsonOf<typeof losses>;

/** The losses of a selection, and the properties behind them. */
type WrittenLosses = {
  losses: BookLosses;
  asOf: Day;
  modelVersion: string;
  isCalibrated: boolean;
  properties: number;
  units: number;
  /** Null unless the area of each property is known. */
  areaSqft: number | null;
  assumptions: Assumptions;
  yearFactors: readonly YearFactor[];
  layer: InsuredLayer;
  /** In cents; null unless it is asked for. The deviation is null without a risk load. */
  premium: { amount: number; deviation: number | null } | null;
};

export const serializeLosses = losses.serializer((knowledge: Knowledge, written: WrittenLosses) => {
  const { losses: book, units, layer, premium } = written;
  const thousandSqft = jsonThousandSqft(written.areaSqft);
  const perEach = (count: number) => ({
    total: wholeCents(book.total.expected / count),
    damage: wholeCents(book.damage.expected / count),
    insured: wholeCents(book.insured.expected / count),
  });
  return {
    as_of: written.asOf,
    model_version: written.modelVersion,
    properties: written.properties,
    components: book.components,
    deductible: jsonUsdFromCents(layer.deductible),
    limit: layer.limit === null ? null : jsonUsdFromCents(layer.limit),
    total: serializeDistribution(book.total),
    damage: {
      ...serializeDistribution(book.damage),
      by_peril: PERILS.map((peril) => ({
        peril,
        expected: wholeCents(
          book.drivers.find(({ by, key }) => by === "peril" && key === peril)?.expected ?? 0,
        ),
      })),
    },
    insured: {
      ...serializeDistribution(book.insured),
      technical_premium: premium && wholeCents(premium.amount),
      premium_deviation: premium && premium.deviation !== null ? wholeCents(premium.deviation) : null,
    },
    largest_damage: book.largestDamage.map(({ amount, probability }) => ({
      amount: jsonUsdFromCents(amount),
      probability: share(probability),
    })),
    drivers: book.drivers.map((driver) => serializeLossDriver(knowledge, driver)),
    per_unit: units > 0 ? perEach(units) : null,
    per_1000_sqft: thousandSqft === null ? null : perEach(thousandSqft),
    assumptions: {
      ...serializeAssumptions(written.assumptions, written.modelVersion),
      year_factors: written.yearFactors.map(serializeYearFactor),
    },
    notes: serializeLossNotes(written),
  };
});

const HEADING = [
  "section",
  "item",
  "amount",
  "with_model_error",
  "standard_error",
  "probability",
  "share_of_expected",
  "share_of_variance",
] as const;

const ASSUMPTIONS = apiSchemaTableColumns(lossAssumptions);

type Row = Partial<Record<(typeof HEADING)[number], Cell>>;

/** Returns losses as a table, one row for each figure and each assumption. */
export function serializeLossTable(json: LossesJson): Cell[][] {
  const rows: Row[] = [
    { section: "selection", item: "as_of", amount: json.as_of },
    { section: "selection", item: "properties", amount: json.properties },
    { section: "selection", item: "components", amount: json.components },
    { section: "selection", item: "deductible", amount: json.deductible },
    { section: "selection", item: "limit", amount: json.limit },
  ];
  for (const section of ["total", "damage", "insured"] as const) {
    const loss = json[section];
    rows.push({ section, item: "expected", amount: loss.expected });
    rows.push({ section, item: "standard_deviation", amount: loss.standard_deviation });
    for (const { return_period_years: years, ...point } of loss.exceedance)
      rows.push({ section, item: `exceeded once in ${years} years`, ...point });
    rows.push({ section, item: "tail_value_at_risk_99", ...loss.tail_value_at_risk_99 });
  }
  for (const item of ["technical_premium", "premium_deviation"] as const)
    rows.push({ section: "insured", item, amount: json.insured[item] });
  for (const { peril, expected } of json.damage.by_peril)
    rows.push({ section: "damage by peril", item: peril, amount: expected });
  for (const { amount, probability } of json.largest_damage)
    rows.push({ section: "largest damage exceeds", item: String(amount), probability });
  for (const { by, key, expected, share_of_expected, share_of_variance } of json.drivers)
    rows.push({
      section: `driver: ${by}`,
      item: key,
      amount: expected,
      share_of_expected,
      share_of_variance,
    });
  for (const [at, item] of ASSUMPTIONS.entries())
    rows.push({
      section: "assumptions",
      item,
      amount: apiSchemaTableCells(lossAssumptions, json.assumptions)[at] ?? null,
    });
  return [[...HEADING], ...rows.map((row) => HEADING.map((column) => row[column] ?? null))];
}
