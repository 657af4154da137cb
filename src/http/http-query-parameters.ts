import { PAGE_SIZES } from "../api-schemas/api-parameter-schemas.ts";
import { centsFromUsd } from "../domain/costs/usd-cents.ts";
import { SYSTEMS } from "../domain/domain-knowledge.ts";
import { type FieldIssue, invalid } from "../domain/errors.ts";
import {
  countryCodeOfText,
  countryOf,
  parsePostalCode,
  placeOfStateOrSubdivision,
  UNITED_STATES,
} from "../domain/places/place.ts";
import { LISTED_ACTIONS } from "../domain/planning/due-actions.ts";
import { FORM_LIMITS, type FormTerms, PLAN_LIMITS, type PlanTerms } from "../domain/planning/plan-terms.ts";
import type { PropertyFilter } from "../domain/rules/property-filter-rule.ts";
import { reserveFormTermByRule } from "../domain/rules/reserve-form-term-rule.ts";
import type { RiskTier } from "../domain/scoring/scoring-types.ts";
import { type Instant, instantFromText, parseDay } from "../domain/time.ts";
import { cutText } from "../domain/wording/cut-text-wording.ts";
import { WORK_STATES } from "../domain/work-mark.ts";
import type { RetirementFilter } from "../store/queries/appliances-queries.ts";
import type { StoredRowRange } from "../store/stored-row-range.ts";

/** The treatment of a parameter that the operation does not declare. */
export type UnknownParameters = "ignored" | "rejected";

/** The parameters of a request by name, decoded. */
export type HttpQuery = ReadonlyMap<string, string>;

/**
 * Parses the known parameters of a query string. Throws invalid_request for an invalid escape sequence in a value, for a
 * duplicate parameter, and if unknown ones are `rejected`, for one whose name does not begin with an underscore.
 */
export function parseHttpQuery(
  search: string,
  known: readonly string[],
  unknown: UnknownParameters = "ignored",
): HttpQuery {
  const values = new Map<string, string>();
  if (search.length <= 1) return values;
  for (const part of search.slice(1).split("&")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    const name = tryDecode(at < 0 ? part : part.slice(0, at));
    if (name === undefined || !known.includes(name)) {
      if (unknown === "rejected" && !name?.startsWith("_")) throw unknownParameter(name, known);
      continue;
    }
    if (values.has(name)) throw invalidHttpParameterFailure(name, "is a duplicate parameter");
    values.set(name, decode(at < 0 ? "" : part.slice(at + 1)));
  }
  return values;
}

/** A filter or a term that was ignored would give wrong figures. */
function unknownParameter(name: string | undefined, known: readonly string[]) {
  const names = `this request takes ${known.length === 0 ? "none" : known.join(", ")}`;
  if (name === undefined) return invalid(`The query string has a parameter with an invalid name; ${names}`);
  const shown = shortened(name);
  return invalid(`Unknown query parameter: ${shown}; ${names}`, [
    { field: shown, message: `is unknown; ${names}` },
  ]);
}

const LONGEST_SHOWN = 60;
const shortened = (text: string) => (text.length > LONGEST_SHOWN ? `${cutText(text, LONGEST_SHOWN)}…` : text);

/** Parses `limit`, by default `usual`, and `offset`. Limits above the highest are capped. */
export function parseRowRangeHttpQuery(query: HttpQuery, usual: number = PAGE_SIZES.usual): StoredRowRange {
  const limit = parseWholeNumberHttpQueryParameter(query, "limit", 1) ?? usual;
  return {
    limit: Math.min(limit, PAGE_SIZES.most),
    offset: parseWholeNumberHttpQueryParameter(query, "offset", 0) ?? 0,
  };
}

/** Parses the parameter `tier`, in upper or lower case; undefined if it is absent. Throws invalid_request. */
export function parseTierHttpQuery(query: HttpQuery): RiskTier | undefined {
  const tier = query.get("tier")?.toUpperCase();
  if (tier === undefined || tier === "CRITICAL" || tier === "WARNING" || tier === "GOOD") return tier;
  throw invalidHttpParameterFailure("tier", "must be CRITICAL, WARNING or GOOD");
}

/** Returns whether alerts are sorted by what they are expected to cost, instead of by score. */
export const isSortedByCostInHttpQuery = (query: HttpQuery): boolean =>
  parseChoiceHttpQueryParameter(query, "sort", ["score", "cost"]) === "cost";

/** Parses the tier of alerts, which is never GOOD. */
export function parseAlertTierHttpQuery(query: HttpQuery): RiskTier | undefined {
  const tier = query.get("tier")?.toUpperCase();
  if (tier === undefined || tier === "CRITICAL" || tier === "WARNING") return tier;
  throw invalidHttpParameterFailure("tier", "must be CRITICAL or WARNING");
}

/** Returns the text of a timestamp. Restores an unescaped plus before the time zone, which was decoded as a space. */
const instantText = (query: HttpQuery, name: string) => query.get(name)?.replace(/ (?=\d\d:\d\d$)/, "+");
export const sinceTextOfHttpQuery = (query: HttpQuery) => instantText(query, "since");

/** Parses an ISO 8601 timestamp; undefined if it is absent. Throws invalid_request. */
export function parseInstantHttpQueryParameter(query: HttpQuery, name: string): Instant | undefined {
  const text = instantText(query, name);
  if (text === undefined) return undefined;
  const instant = instantFromText(text);
  if (instant !== undefined) return instant;
  throw invalidHttpParameterFailure(name, "must be an ISO 8601 timestamp, such as 2026-01-31T15:04:05Z");
}
export const parseSinceHttpQuery = (query: HttpQuery) => parseInstantHttpQueryParameter(query, "since");

/** Parses a parameter with a fixed set of values. */
export function parseChoiceHttpQueryParameter<const V extends string>(
  query: HttpQuery,
  name: string,
  values: readonly V[],
): V | undefined {
  const text = query.get(name);
  if (text === undefined || (values as readonly string[]).includes(text)) return text as V | undefined;
  throw invalidHttpParameterFailure(name, `must be one of ${values.join(", ")}`);
}

/** Parses the filters of a list of actions. */
export function parseActionFilterHttpQuery(query: HttpQuery) {
  const [state, dueBy] = [query.get("state"), query.get("due_by")];
  if (dueBy !== undefined && parseDay(dueBy) === undefined)
    throw invalidHttpParameterFailure("due_by", "must be a date, such as 2027-03-01");
  const cents = (name: string) => {
    const amount = parseDecimalNumberHttpQueryParameter(query, name, {
      least: 0,
      most: PLAN_LIMITS.budgetUsd.most,
    });
    return amount === undefined ? undefined : centsFromUsd(amount);
  };
  return {
    propertyId: query.get("property_id"),
    state: state === undefined ? undefined : placeOfStateOrSubdivision(state),
    system: parseChoiceHttpQueryParameter(query, "system", SYSTEMS),
    action: parseChoiceHttpQueryParameter(query, "action", LISTED_ACTIONS),
    tier: parseTierHttpQuery(query),
    dueBy,
    work: parseChoiceHttpQueryParameter(query, "work", ["open", ...WORK_STATES]),
    leastCents: cents("min_cost"),
    mostCents: cents("max_cost"),
  };
}

/** Parses the terms of a plan; absent ones have their defaults. Throws invalid_request. */
export function parsePlanTermsHttpQuery(query: HttpQuery): PlanTerms {
  const { years, inflationPct, budgetUsd, openingUsd, escrowPct, interestPct, minimumUsd, depositGrowthPct } =
    PLAN_LIMITS;
  const budget = parseDecimalNumberHttpQueryParameter(query, "budget", budgetUsd);
  const term = (name: string, limits: { least: number; most: number; usual: number }) =>
    parseDecimalNumberHttpQueryParameter(query, name, limits) ?? limits.usual;
  return {
    years: parseWholeNumberHttpQueryParameter(query, "years", years.least, years.most) ?? years.usual,
    inflationPct: term("inflation_pct", inflationPct),
    budgetCents: budget === undefined ? null : centsFromUsd(budget),
    openingCents: centsFromUsd(term("opening_balance", openingUsd)),
    escrowPct: term("escrow_pct", escrowPct),
    interestPct: term("interest_pct", interestPct),
    minimumCents: centsFromUsd(term("minimum_balance", minimumUsd)),
    depositGrowthPct: term("deposit_growth_pct", depositGrowthPct),
  };
}

/** Parses the terms of a reserve form, whose plan covers the years of a loan unless `years` says otherwise. */
export function parseReserveFormTermsHttpQuery(query: HttpQuery): { terms: PlanTerms; form: FormTerms } {
  const { minimumItemUsd, loanTermYears } = FORM_LIMITS;
  const form: FormTerms = {
    minimumItemCents: centsFromUsd(
      parseDecimalNumberHttpQueryParameter(query, "minimum_item_cost", minimumItemUsd) ??
        minimumItemUsd.usual,
    ),
    loanTermYears:
      parseWholeNumberHttpQueryParameter(query, "loan_term", loanTermYears.least, loanTermYears.most) ?? null,
    isHud: parseChoiceHttpQueryParameter(query, "hud", ["true", "false"]) === "true",
  };
  const terms = parsePlanTermsHttpQuery(query);
  return { form, terms: query.has("years") ? terms : { ...terms, years: reserveFormTermByRule(form) } };
}

/** The parameters of a plan by the field that each sets. */
const PLAN_PARAMETERS = {
  years: "years",
  inflationPct: "inflation_pct",
  budgetCents: "budget",
  openingCents: "opening_balance",
  escrowPct: "escrow_pct",
  interestPct: "interest_pct",
  minimumCents: "minimum_balance",
  depositGrowthPct: "deposit_growth_pct",
} as const satisfies Record<keyof PlanTerms, string>;

/** Parses the terms of a plan for a page, which shows the values in use: invalid ones are replaced by the defaults. */
export function parsePlanTermsHttpQueryOrDefaults(query: HttpQuery): PlanTerms {
  const terms = parsePlanTermsHttpQuery(new Map());
  for (const field of Object.keys(PLAN_PARAMETERS) as (keyof PlanTerms)[]) {
    const text = query.get(PLAN_PARAMETERS[field]);
    if (text === undefined) continue;
    try {
      Object.assign(terms, {
        [field]: parsePlanTermsHttpQuery(new Map([[PLAN_PARAMETERS[field], text]]))[field],
      });
    } catch {
      // The default stays.
    }
  }
  return terms;
}

const LONGEST_SEARCH = 100;

/** Parses the filters of properties, `knownHazards` by their codes; undefined without any. Throws invalid_request. */
export function parsePropertyFilterHttpQuery(
  query: HttpQuery,
  knownHazards: ReadonlyMap<string, unknown>,
): PropertyFilter | undefined {
  const filter: PropertyFilter = {};
  const [state, city, zip, text] = ["state", "city", "zip", "q"].map((name) => query.get(name)?.trim());
  const country = query.get("country");
  if (state !== undefined) filter.state = parsePlaceFilter(query);
  else if (country !== undefined) filter.country = countryCodeOfText(country);
  if (city !== undefined) filter.city = parseSearched("city", city);
  if (text !== undefined) filter.text = parseSearched("q", text);
  if (zip !== undefined) {
    const where = filter.state === undefined ? filter.country : countryOf(filter.state);
    filter.zip = parsePostalCode(where ?? UNITED_STATES, zip);
  }
  const flag = query.get("flag");
  if (flag !== undefined) {
    if (!knownHazards.has(flag))
      throw invalidHttpParameterFailure("flag", `must be one of ${[...knownHazards.keys()].join(", ")}`);
    filter.flag = flag;
  }
  const listed = parseRetiredFilterHttpQuery(query);
  if (listed !== "active") filter.retired = listed === "all" ? "included" : "only";
  return Object.keys(filter).length === 0 ? undefined : filter;
}

/** Parses the place of a filter: `state`, with `country` where it is a subdivision alone. Throws invalid_request. */
function parsePlaceFilter(query: HttpQuery): string {
  const country = query.get("country");
  return placeOfStateOrSubdivision(
    query.get("state") ?? "",
    country === undefined ? undefined : countryCodeOfText(country),
  );
}

/** Parses which rows a list has: those that are not retired, the retired, or all. */
export function parseRetiredFilterHttpQuery(query: HttpQuery): RetirementFilter {
  const only = parseChoiceHttpQueryParameter(query, "retired", ["true", "false"]) === "true";
  const included = parseChoiceHttpQueryParameter(query, "include_retired", ["true", "false"]) === "true";
  return only ? "retired" : included ? "all" : "active";
}

/** Parses the text of a search. */
export const parseSearchTextHttpQuery = (query: HttpQuery): string =>
  parseSearched("q", query.get("q")?.trim() ?? "");

function parseSearched(name: string, text: string): string {
  if (text !== "" && text.length <= LONGEST_SEARCH) return text;
  throw invalidHttpParameterFailure(name, `must have 1 to ${LONGEST_SEARCH} characters`);
}

export const isSandboxInHttpQuery = (query: HttpQuery) => query.get("sandbox") === "true";

/** Parses whether sums include the demo properties. */
export const isDemoInHttpQuery = (query: HttpQuery) =>
  parseChoiceHttpQueryParameter(query, "include_demo", ["true", "false"]) === "true";

/** Returns the failure of a request with an invalid parameter, which it names. */
export function invalidHttpParameterFailure(field: string, message: string) {
  const issue: FieldIssue = { field, message };
  return invalid(`${field} ${message}`, [issue]);
}

/** Parses digits within limits; undefined if absent. Throws invalid_request. */
export function parseWholeNumberHttpQueryParameter(
  query: HttpQuery,
  name: string,
  least: number,
  most = MOST_OF_15_DIGITS,
): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw invalidHttpParameterFailure(
    name,
    `must be a whole number from ${least} to ${most}, not ${quoted(text)}`,
  );
}

/** Parses a number with a point within limits, without sign and exponent; undefined if absent. Throws invalid_request. */
export function parseDecimalNumberHttpQueryParameter(
  query: HttpQuery,
  name: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const value = /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  // Such as 1e12, +5 and 1,000, which are numbers elsewhere.
  const form = Number.isNaN(value) ? ", in digits and with a point before decimals" : "";
  throw invalidHttpParameterFailure(
    name,
    `must be a number from ${least} to ${most}${form}, not ${quoted(text)}`,
  );
}

const MOST_OF_15_DIGITS = 999_999_999_999_999;

const quoted = (text: string) => JSON.stringify(shortened(text));

function decode(text: string): string {
  const value = tryDecode(text);
  if (value !== undefined) return value;
  throw invalid("The query string contains an invalid escape sequence");
}

/** Returns undefined for an invalid escape sequence, and for text with NUL. */
function tryDecode(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text.replaceAll("+", " "));
    return value.includes("\u0000") ? undefined : value;
  } catch {
    return undefined;
  }
}
