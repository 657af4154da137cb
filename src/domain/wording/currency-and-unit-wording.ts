import { UNITED_STATES } from "../places/place.ts";
import { usNumberWording } from "./us-english-wording.ts";

/*
 * The currency and the units that amounts and areas are labeled with: settings of an installation, chosen once when it starts.
 * Nothing is converted.
 */

export const UNIT_SYSTEMS = ["imperial", "metric"] as const;
type Display = { currency: string; units: (typeof UNIT_SYSTEMS)[number] };

export const US_DISPLAY: Display = { currency: "USD", units: "imperial" };
let chosen = US_DISPLAY;

/** Chooses how amounts and areas are labeled from now on. */
export function chooseWordingOfCurrencyAndUnits({ currency, units }: Display): void {
  chosen = { currency, units };
}

export const currentDisplayWording = (): Display => chosen;

/** Returns the code of the currency, for labels: `USD`. */
export const currencyCode = (): string => chosen.currency;

const isUsd = () => chosen.currency === US_DISPLAY.currency;

/** Returns whether dates of a country, if it is known, have the month first. */
export const isMonthFirstWording = (country: string = UNITED_STATES): boolean =>
  isUsd() && country === UNITED_STATES;

/** `US dollars`, `EUR` */
export const currencyName = (): string => (isUsd() ? "US dollars" : chosen.currency);

/** Returns what the costs of the knowledge base are in, for assumptions. */
export const priceListMoneyWording = (): string =>
  isUsd() ? "US dollars" : `US dollars labeled ${chosen.currency} without conversion`;

/** `dollar`, `EUR`: one of the currency, in a sentence. */
export const singularCurrencyName = (): string => (isUsd() ? "dollar" : chosen.currency);

/** `today’s dollars`, `today’s prices`: amounts without inflation. */
export const todaysMoney = (): string => (isUsd() ? "today’s dollars" : "today’s prices");

/** Returns the same without typographic quotes, for files and terminals. */
export const todaysMoneyWithPlainQuotes = (): string => todaysMoney().replace("’", "'");

/** The amounts whose texts are kept: those of a kind of part recur in lists, and Intl takes ten times as long to write one. */
const MOST_TEXTS = 5_000;

/** Returns a function that formats an amount in the currency, with a minus sign before one that is negative as shown. */
export function currencyFormat(options: Intl.NumberFormatOptions): (amount: number) => string {
  const signed = { style: "currency", signDisplay: "negative", ...options } as const;
  let format = usNumberWording({ currency: chosen.currency, ...signed });
  let formatted = { currency: chosen.currency, texts: new Map<number, string>() };
  return (amount) => {
    const { currency } = chosen;
    if (currency !== formatted.currency) {
      format = usNumberWording({ currency, ...signed });
      formatted = { currency, texts: new Map() };
    }
    const { texts } = formatted;
    const known = texts.get(amount);
    if (known !== undefined) return known;
    const text = format(amount).replace("-", "−");
    if (texts.size === MOST_TEXTS) texts.clear();
    texts.set(amount, text);
    return text;
  };
}

/** Formats an amount without cents: `$95,000`, `€95,000`. */
export const wholeMoney = currencyFormat({ maximumFractionDigits: 0 });

const separated = usNumberWording({ maximumFractionDigits: 0 });
/** Formats an amount that is in US dollars whatever the currency of the installation: `$300`, `US$300`. */
export const usDollars = (amount: number): string => `${isUsd() ? "" : "US"}$${separated(amount)}`;

/** Formats an amount with the cents of its currency: `$0.50`. */
export const exactMoney = currencyFormat({});

/** The unit of areas in the knowledge base. */
export const SQUARE_FEET = "sq ft";

/** `sq ft`, `m²` */
export const areaUnitWording = (): string => (chosen.units === "metric" ? "m²" : SQUARE_FEET);

/** Returns the label of the unit of a size. */
export const unitLabel = (unit: string): string => (unit === SQUARE_FEET ? areaUnitWording() : unit);

/** Returns the number format of amounts in workbooks: `#,##0.00`, with the currency unless it is the US dollar. */
export const currencyFormatWording = (): string => (isUsd() ? "#,##0.00" : `[$${chosen.currency}] #,##0.00`);
