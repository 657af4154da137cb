import { afterEach, describe, expect, test } from "bun:test";
import {
  areaUnitWording,
  chooseWordingOfCurrencyAndUnits,
  currencyCode,
  currencyFormatWording,
  currencyName,
  currentDisplayWording,
  exactMoney,
  singularCurrencyName,
  todaysMoney,
  todaysMoneyWithPlainQuotes,
  US_DISPLAY,
  unitLabel,
  usDollars,
  wholeMoney,
} from "../../../src/domain/wording/currency-and-unit-wording.ts";
import { formatPageCompactMoney, formatPageMoney } from "../../../src/web/page/page-format.ts";

afterEach(() => chooseWordingOfCurrencyAndUnits(US_DISPLAY));

// Rule: display-settings
describe("amounts and areas", () => {
  test("are US dollars and square feet unless chosen otherwise", () => {
    expect(currentDisplayWording()).toEqual({ currency: "USD", units: "imperial" });
    expect([
      wholeMoney(95_000),
      exactMoney(0.5),
      formatPageMoney(12.5),
      formatPageCompactMoney(1_400_000),
    ]).toEqual([...["$95,000", "$0.50", "$12.50", "$1.4M"]]);
    expect([currencyCode(), currencyName(), singularCurrencyName(), todaysMoney()]).toEqual([
      ...["USD", "US dollars", "dollar", "today’s dollars"],
    ]);
    expect([usDollars(1_500), todaysMoneyWithPlainQuotes()]).toEqual(["$1,500", "today's dollars"]);
    expect([areaUnitWording(), unitLabel("sq ft"), unitLabel("tons"), currencyFormatWording()]).toEqual([
      ...["sq ft", "sq ft", "tons", "#,##0.00"],
    ]);
  });

  test("are written alike again, after more amounts than are kept and in another currency", () => {
    const amounts = Array.from({ length: 6_000 }, (_, amount) => amount - 500);
    const first = amounts.map(wholeMoney);
    expect([first[0], first[500], first.at(-1)]).toEqual(["−$500", "$0", "$5,499"]);
    expect(amounts.map(wholeMoney)).toEqual(first);
    chooseWordingOfCurrencyAndUnits({ currency: "EUR", units: "metric" });
    expect(amounts.map(wholeMoney)).toEqual(first.map((text) => text.replace("$", "€")));
    expect([wholeMoney(-0), wholeMoney(-0.4), exactMoney(-0.4)]).toEqual(["€0", "€0", "−€0.40"]);
  });

  test.each([
    ["EUR", "€95,000", "€0.50", "€1.4M"],
    ["CAD", "CA$95,000", "CA$0.50", "CA$1.4M"],
    ["JPY", "¥95,000", "¥1", "¥1.4M"],
    ["CHF", "CHF 95,000", "CHF 0.50", "CHF 1.4M"],
  ])("in %s are labeled, not converted", (currency, whole, exact, compact) => {
    chooseWordingOfCurrencyAndUnits({ currency, units: "metric" });
    const plain = (text: string) => text.replaceAll("\u00a0", " ");
    expect([wholeMoney(95_000), exactMoney(0.5), formatPageCompactMoney(1_400_000)].map(plain)).toEqual([
      ...[whole, exact, compact],
    ]);
    expect([currencyName(), singularCurrencyName(), todaysMoney()]).toEqual([
      currency,
      currency,
      "today’s prices",
    ]);
    expect([areaUnitWording(), unitLabel("sq ft"), unitLabel("gallons")]).toEqual(["m²", "m²", "gallons"]);
    expect([usDollars(1_500), todaysMoneyWithPlainQuotes()]).toEqual(["US$1,500", "today's prices"]);
    expect(currencyFormatWording()).toBe(`[$${currency}] #,##0.00`);
  });
});
