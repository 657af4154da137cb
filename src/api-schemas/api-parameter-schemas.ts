import { PERILS, SYSTEMS } from "../domain/domain-knowledge.ts";
import { LOSS_LIMITS } from "../domain/losses/loss-term-limits.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../domain/partner.ts";
import { LISTED_ACTIONS } from "../domain/planning/due-actions.ts";
import { FORM_LIMITS, PLAN_LIMITS, PLAN_ORDERS } from "../domain/planning/plan-terms.ts";
import { WORK_STATES } from "../domain/work-mark.ts";
import type { Schema } from "./definition/api-schema-to-json-schema.ts";
import { EXAMPLE_IDS } from "./definition/schema-field-types.ts";

/** A path or query parameter. */
export type Parameter = {
  name: string;
  in: "path" | "query";
  description: string;
  example: unknown;
  schema: Schema;
  required: boolean;
};

const TEXT: Schema = { type: "string" };

const inPath = (name: string, description: string, example: string): Parameter => ({
  name,
  in: "path",
  description,
  example,
  schema: TEXT,
  required: true,
});
const inQuery = (name: string, description: string, example: unknown, schema: Schema = TEXT): Parameter => ({
  name,
  in: "query",
  description,
  example,
  schema,
  required: false,
});

export const propertyInPath = inPath("id", "The property's ID", EXAMPLE_IDS.P);
export const serviceEventInPath = inPath("id", "The service event's ID", EXAMPLE_IDS.SE);
export const claimInPath = inPath("claim_id", "The claim's ID", EXAMPLE_IDS.CLM);
export const applianceInPath = inPath("id", "The appliance's ID", EXAMPLE_IDS.A);
export const componentInPath = inPath("id", "The component's ID", EXAMPLE_IDS.C);
export const photoInPath = inPath("photo_id", "The photo's ID", EXAMPLE_IDS.PH);
export const filenameInPath = inPath(
  "filename",
  "Name of the stored file",
  "5f0c9e1d2b7a48c3961e04d7ab52f8c0.jpg",
);
export const partnerInPath = inPath("id", "The partner's ID", EXAMPLE_IDS.PARTNER);
export const embedInPath = inPath("id", "The embed's ID", EXAMPLE_IDS.EMB);
export const deliveryInPath = inPath("id", "The delivery's ID", "WH_1795230000000_k3v9x");
export const jobInPath = inPath("name", "The job's name", "prune-deliveries");

/** The number of records on a page without `limit`, and the highest. */
export const PAGE_SIZES = { usual: 50, most: 200 } as const;

const limitOf = (usual: number) =>
  inQuery("limit", `Page size; larger values are capped at ${PAGE_SIZES.most}`, usual, {
    type: "integer",
    minimum: 1,
    default: usual,
  });
const offset = inQuery("offset", "Records to skip; the page is empty beyond the total", 0, {
  type: "integer",
  minimum: 0,
  default: 0,
});
/** The paging parameters of every list but the photos. */
export const pagingParameters: readonly Parameter[] = [limitOf(PAGE_SIZES.usual), offset];
/** The photos of nearly every appliance are on one page. */
export const photoPagingParameters: readonly Parameter[] = [limitOf(PAGE_SIZES.most), offset];
export const sandbox = inQuery(
  "sandbox",
  "`true` restricts the list to demo properties; any other value has no effect",
  "true",
);
export const includeDemo = inQuery(
  "include_demo",
  "`true` includes the demo property in the totals; by default they leave it out",
  "true",
  { type: "string", enum: ["true", "false"], default: "false" },
);
export const tier = inQuery("tier", "CRITICAL, WARNING or GOOD (case-insensitive)", "CRITICAL", {
  type: "string",
  enum: ["CRITICAL", "WARNING", "GOOD"],
});
export const alertTier = inQuery("tier", "CRITICAL or WARNING (case-insensitive)", "CRITICAL", {
  type: "string",
  enum: ["CRITICAL", "WARNING"],
});
export const alertOrder = inQuery(
  "sort",
  "`score`: highest score first; `cost`: highest `expected_cost_12m` first, by two significant digits of it",
  "cost",
  { type: "string", enum: ["score", "cost"], default: "score" },
);
const ACTION_ORDERS = ["waiting", "expected"] as const;
/** The filters and orders of the actions of a portfolio. */
export const actionFilters: readonly Parameter[] = [
  inQuery("action", "Filter by action", "replace_now", { type: "string", enum: [...LISTED_ACTIONS] }),
  inQuery("due_by", "Due by this day; work that is deferred beyond it is left out", "2027-03-01"),
  inQuery("work", "`open`: neither ordered nor deferred to a later day", "open", {
    type: "string",
    enum: ["open", ...WORK_STATES],
  }),
  inQuery("min_cost", "Planned cost of at least this amount in USD", 1000, { type: "number", minimum: 0 }),
  inQuery("max_cost", "Planned cost of at most this amount in USD", 25_000, { type: "number", minimum: 0 }),
  inQuery(
    "sort",
    "`waiting`: highest `cost_of_waiting_a_year` first; `expected`: highest `expected_cost_12m` first",
    "waiting",
    { type: "string", enum: [...ACTION_ORDERS], default: "waiting" },
  ),
];
export const portfolioPlanOrder = inQuery(
  "sort",
  "The order of the properties: `created`: as created; `waiting`: highest `cost_of_waiting_a_year` first",
  "waiting",
  { type: "string", enum: [...PLAN_ORDERS], default: "created" },
);
export const systemFilter = inQuery("system", "Filter by building system", "plumbing", {
  type: "string",
  enum: [...SYSTEMS],
});
export const stateFilter = inQuery(
  "state",
  "Filter by US state abbreviation, or COUNTRY-SUBDIVISION elsewhere, such as `CA-ON` (case-insensitive)",
  "NY",
);
const TRUE_OR_FALSE: Schema = { type: "string", enum: ["true", "false"], default: "false" };
/** The parameters of lists with retired records. */
export const retirementFilters: readonly Parameter[] = [
  inQuery("retired", "`true` lists retired records only", "true", TRUE_OR_FALSE),
  inQuery("include_retired", "`true` lists retired records beside the others", "true", TRUE_OR_FALSE),
];
/** The filters of properties. */
export const propertyFilters: readonly Parameter[] = [
  stateFilter,
  inQuery("city", "Filter by city (case-insensitive)", "New York"),
  inQuery(
    "country",
    "Filter by country (ISO 3166-1 alpha-2); `state` is then a state or subdivision of it",
    "US",
  ),
  inQuery("zip", "Filter by ZIP code, of which 5 digits also match ZIP+4 codes, or by postal code", "10013"),
  inQuery(
    "q",
    "Filter by words in the name or address, all of which must occur (ignores case and accents; at most 100 characters)",
    "harbor st",
  ),
  inQuery(
    "flag",
    "Filter by a known hazard of the property's appliances, known or suspected: its code",
    "polybutylene",
  ),
  ...retirementFilters,
];
export const propertyFilter = inQuery("property_id", "Filter by property", EXAMPLE_IDS.P);
export const applianceFilter = inQuery("appliance_id", "Filter by appliance", EXAMPLE_IDS.A);
const since = inQuery("since", "Events after this ISO 8601 timestamp", "2026-10-21T00:00:00Z");
export const createdSince = inQuery(
  "since",
  "Created at or after this ISO 8601 timestamp",
  "2026-11-20T00:00:00Z",
);
export const createdUntil = inQuery(
  "until",
  "Created before this ISO 8601 timestamp",
  "2026-11-21T00:00:00Z",
);
export const requiredSinceParameter: Parameter = { ...since, required: true };
export const partnerFilter = inQuery("partner_id", "Filter by partner", EXAMPLE_IDS.PARTNER);
export const bookPartnersParameter = inQuery(
  "partner_id",
  "Restrict to these partners, separated by commas",
  EXAMPLE_IDS.PARTNER,
);
export const searchText: Parameter = {
  ...inQuery("q", "The text to find, 1 to 100 characters", "harbor"),
  required: true,
};
export const searchPartners = inQuery(
  "search",
  "Filter by text in the name or ID (case-insensitive)",
  "acme",
);
export const statusFilter = inQuery("status", "Filter by status: pending, delivered or failed", "failed", {
  type: "string",
  enum: [...DELIVERY_STATUSES],
});
export const eventFilter = inQuery("event", "Filter by event", "component.critical", {
  type: "string",
  enum: [...WEBHOOK_EVENTS],
});
export const subjectParameter = inQuery(
  "subject",
  "Filter by partner, administrator or date",
  EXAMPLE_IDS.PARTNER,
);
export const actorFilter = inQuery("actor", "Filter by who made the change", "cli:mainstay(998)");
export const auditActionParameterSchema = (actions: readonly string[]): Parameter =>
  inQuery("action", "Filter by action", "partner.rotate_key", { type: "string", enum: [...actions] });
export const month = inQuery("month", "Month in UTC; defaults to the current month", "2026-11");

/* The parameters of a property's page. */
export const tokenInPath = inPath("token", "The page's access token", "svc_embed_…");
export const fileInPath = inPath("file", "Name of the CSV file", "components.csv");
export const trendComponent = inQuery("component", "The component whose trend is shown", EXAMPLE_IDS.C);
export const trendRange = inQuery(
  "range",
  "The days of trends that are shown: 30, 90 or 365; all without it",
  "90",
);
export const pageNumber = inQuery("page", "Page number, from 1", 1);

const { years, inflationPct, budgetUsd, openingUsd, escrowPct, interestPct, minimumUsd, depositGrowthPct } =
  PLAN_LIMITS;

/** A parameter of a plan that is a number. */
const term = (
  name: string,
  description: string,
  { least, most, usual }: { least: number; most: number; usual: number },
): Parameter =>
  inQuery(name, description, usual, { type: "number", minimum: least, maximum: most, default: usual });

export const budgetInQuery = inQuery(
  "budget",
  "Budget in USD; the response includes its best use now",
  5000,
  { type: "number", minimum: budgetUsd.least, maximum: budgetUsd.most },
);
/** The parameters of a plan. */
export const planTerms: readonly Parameter[] = [
  inQuery("years", "Years that the plan covers", years.usual, {
    type: "integer",
    minimum: years.least,
    maximum: years.most,
    default: years.usual,
  }),
  term("inflation_pct", "Inflation in percent per year", inflationPct),
  term("opening_balance", "Balance of the replacement reserve at the start, in USD", openingUsd),
  term("escrow_pct", "Escrow for what is due now, in percent of its cost", escrowPct),
  term("interest_pct", "Interest on the reserve in percent per year", interestPct),
  term("minimum_balance", "Least balance of the reserve at the end of a year, in USD", minimumUsd),
  term("deposit_growth_pct", "Growth of the yearly deposit in percent per year", depositGrowthPct),
  budgetInQuery,
];
export const format = inQuery(
  "format",
  "`csv` for a spreadsheet-compatible table. Defaults to the format in `Accept`, or `json`",
  "json",
  { type: "string", enum: ["json", "csv"] },
);

/** The format of what is also available as a workbook. */
const workbookFormat: Parameter = {
  ...format,
  description: "`csv` or `xlsx` for a table or a workbook. Defaults to the format in `Accept`, or `json`",
  schema: { type: "string", enum: ["json", "csv", "xlsx"] },
};
/** The parameters of the years of a reserve form. */
const loanTerms: readonly Parameter[] = [
  inQuery(
    "loan_term",
    "With `format=xlsx`: the term of the loan in years. Without `years`, the schedule covers it and two more years, at most 12, or 20 with `hud`",
    10,
    {
      type: "integer",
      minimum: FORM_LIMITS.loanTermYears.least,
      maximum: FORM_LIMITS.loanTermYears.most,
    },
  ),
  inQuery("hud", "With `format=xlsx`: `true` for a loan that HUD insures", "true", {
    type: "string",
    enum: ["true", "false"],
    default: "false",
  }),
];
/** The format and the parameters of a portfolio's reserve form. */
export const portfolioFormTerms: readonly Parameter[] = [workbookFormat, ...loanTerms];
/** The parameters of the reserve form, and the format that it has. */
export const formTerms: readonly Parameter[] = [
  workbookFormat,
  inQuery(
    "minimum_item_cost",
    "With `format=xlsx`: the least cost in USD of like items that the schedule lists. Items below it are in a list of their own",
    FORM_LIMITS.minimumItemUsd.usual,
    {
      type: "number",
      minimum: FORM_LIMITS.minimumItemUsd.least,
      maximum: FORM_LIMITS.minimumItemUsd.most,
      default: FORM_LIMITS.minimumItemUsd.usual,
    },
  ),
  ...loanTerms,
];

const numberWithin = ({ least, most }: { least: number; most: number }, usual?: number): Schema => ({
  type: "number",
  minimum: least,
  maximum: most,
  ...(usual !== undefined && { default: usual }),
});
/** The deductible and limit of losses. */
export const layerTerms: readonly Parameter[] = [
  inQuery("deductible", "Deductible of an occurrence in whole USD; an occurrence is one damage", 2500, {
    ...numberWithin(LOSS_LIMITS.deductibleUsd, 0),
    type: "integer",
  }),
  inQuery(
    "limit",
    "Limit of an occurrence in whole USD, above the deductible; without it, damage is insured without limit",
    50_000,
    { ...numberWithin(LOSS_LIMITS.limitUsd), type: "integer" },
  ),
];
/** The parameters of losses. */
export const lossTerms: readonly Parameter[] = [
  ...layerTerms,
  inQuery(
    "systems",
    `Building systems, separated by commas: ${SYSTEMS.join(", ")}. Selects their components`,
    "plumbing,hvac",
  ),
  inQuery(
    "perils",
    `Perils, separated by commas: ${PERILS.join(", ")}. Selects components whose failure may do such damage`,
    "water",
  ),
  stateFilter,
  {
    ...includeDemo,
    description: "`true` includes the demo property in the portfolio; by default it is left out",
  },
  inQuery(
    "risk_load",
    "Price of a dollar of standard deviation in the technical premium",
    0.3,
    numberWithin(LOSS_LIMITS.riskLoad, 0),
  ),
  inQuery(
    "loss_adjustment_ratio",
    "Cost of adjusting a dollar of losses, in the technical premium",
    0.1,
    numberWithin(LOSS_LIMITS.lossAdjustmentRatio, 0),
  ),
  inQuery(
    "expense_ratio",
    "Share of the technical premium that expenses take",
    0.25,
    numberWithin(LOSS_LIMITS.expenseRatio, 0),
  ),
  workbookFormat,
];
