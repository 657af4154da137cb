import type { PriceList } from "../domain/costs/price-list.ts";
import { FORECAST_DAYS, ForecastAccumulator, type ForecastWindow } from "../domain/figures/forecast.ts";
import type { Property } from "../domain/property.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { assumptionsField } from "./assumptions-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents, roundJsonNumber } from "./definition/json-unit-conversion.ts";
import {
  listSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { ITEM_BYTES, itemFields, serializeFigureItem } from "./figure-item-schema.ts";
import type { FigureSchemaAccumulator } from "./figure-schema-accumulator.ts";
import { calculatedAt, serializeSubject, subject } from "./figures-schema.ts";
import { schemaWithPartner } from "./paging-schema.ts";
import { figuresSchemaWithRecalculating } from "./recalculating-schema.ts";

const forecastItem = objectSchema({
  ...itemFields,
  failure_probability: numberSchema(
    "Probability of failure within the window, given that the component works now",
    0.1842,
    {
      minimum: 0,
      maximum: 1,
    },
  ),
});

const forecastWindow = recordSchema("ForecastWindow", {
  label: textSchema("Display name", "Next 30 days"),
  component_count: wholeNumberSchema("Number of components", 3),
  proactive_cost: usdSchema("Planned replacement cost of all components", 1450),
  emergency_cost_if_ignored: usdSchema(
    "Cost if all of these components failed at once; not an expectation",
    5600,
  ),
  savings_potential: usdSchema(
    "Emergency cost minus proactive cost: what all failing at once costs more",
    4150,
  ),
  expected_failures: numberSchema(
    "Expected number of failures of all of the property's components within the window",
    1.84,
    { minimum: 0 },
  ),
  expected_cost: usdSchema("Expected cost of these failures: probability × cost, over all components", 1630),
  expected_cost_80: objectSchema({
    low: usdSchema("10% quantile; 0 where no failure at all has a probability of 10% or more", 210),
    high: usdSchema("90% quantile", 3890),
  }).describedAs(
    "Approximate 80% range of the cost of these failures, from a gamma distribution with their mean and variance. It holds " +
      "the cost with a probability of 68 to 95% for most properties, and about 50% where one expensive failure outweighs all others. " +
      "It takes failures as independent: of hundreds of components of one system, which shared causes such as a cold winter make " +
      "fail together, it holds it with 40 to 60%; the losses allow for that",
  ),
  components: listSchema("The components, highest score first", forecastItem),
});

type ForecastItem = JsonOf<typeof forecastItem>;

const serializeForecastWindow = forecastWindow.serializer(
  (label: string, window: ForecastWindow<ForecastItem>) => {
    const { items, proactiveCents, reactiveCents, expected } = window;
    return {
      label,
      component_count: items.length,
      proactive_cost: jsonUsdFromCents(proactiveCents),
      emergency_cost_if_ignored: jsonUsdFromCents(reactiveCents),
      savings_potential: jsonUsdFromCents(reactiveCents - proactiveCents),
      expected_failures: roundJsonNumber(expected.failures, 4),
      expected_cost: jsonUsdFromCents(Math.round(expected.mean)),
      expected_cost_80: {
        low: jsonUsdFromCents(Math.round(expected.low)),
        high: jsonUsdFromCents(Math.round(expected.high)),
      },
      components: items.map(({ item }) => item),
    };
  },
);

const forecast = objectSchema({
  ...subject,
  forecast: objectSchema({
    window_30_days: forecastWindow.describedAs("Work within 30 days"),
    window_60_days: forecastWindow.describedAs("Work within 60 days"),
    window_90_days: forecastWindow.describedAs("Work within 90 days"),
    window_12_months: forecastWindow.describedAs("Work within 365 days"),
  }).describedAs("Expected work by window; longer windows include the shorter ones"),
  generated_at: calculatedAt,
});
export type ForecastJson = JsonOf<typeof forecast>;

type Windows<Of> = Record<(typeof FORECAST_DAYS)[number], Of>;
type Forecasts = Windows<ForecastWindow<ForecastItem>>;

const serializeForecast = forecast.serializer((property: Property, windows: Forecasts, now: Instant) => ({
  ...serializeSubject(property),
  forecast: {
    window_30_days: serializeForecastWindow("Next 30 days", windows[30]),
    window_60_days: serializeForecastWindow("Next 60 days", windows[60]),
    window_90_days: serializeForecastWindow("Next 90 days", windows[90]),
    window_12_months: serializeForecastWindow("Next 12 months", windows[365]),
  },
  generated_at: isoTextOfInstant(now),
}));
export const forecastReply = schemaWithPartner(
  figuresSchemaWithRecalculating(forecast.and(assumptionsField)),
);

/** Creates the accumulator of a forecast over components. */
export function forecastSchemaAccumulator(
  prices: PriceList,
): FigureSchemaAccumulator<JsonOf<typeof forecast>> {
  const within = (days: number) => new ForecastAccumulator<ForecastItem>(prices, days);
  const windows: Windows<ForecastAccumulator<ForecastItem>> = {
    30: within(30),
    60: within(60),
    90: within(90),
    365: within(365),
  };
  return {
    add(component) {
      const itemOf = (probability: number) => ({
        ...serializeFigureItem(prices, component),
        failure_probability: roundJsonNumber(probability, 4),
      });
      let bytes = 0;
      for (const days of FORECAST_DAYS) if (windows[days].add(component, itemOf)) bytes += ITEM_BYTES;
      return bytes;
    },
    *write(property, { now }) {
      const arranged: Forecasts = {
        30: yield* windows[30].window(),
        60: yield* windows[60].window(),
        90: yield* windows[90].window(),
        365: yield* windows[365].window(),
      };
      return serializeForecast(property, arranged, now);
    },
  };
}
