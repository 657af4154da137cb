import { SYSTEMS } from "../domain/knowledge.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../domain/partner.ts";
import { PLAN_LIMITS } from "../domain/planning/property-plan.ts";
import { EXAMPLE_IDS } from "./schema/fields.ts";
import type { Schema } from "./schema/openapi-schema.ts";

/** A part of the path that varies, or a parameter of the query string. */
export type Parameter = {
  name: string;
  in: "path" | "query";
  words: string;
  example: unknown;
  schema: Schema;
  required: boolean;
};

const TEXT: Schema = { type: "string" };

const inPath = (name: string, words: string, example: string): Parameter => ({
  ...{ name, in: "path", words, example, schema: TEXT, required: true },
});
const inQuery = (name: string, words: string, example: unknown, schema: Schema = TEXT): Parameter => ({
  ...{ name, in: "query", words, example, schema, required: false },
});

export const propertyInPath = inPath("id", "The property's id", EXAMPLE_IDS.P);
export const applianceInPath = inPath("id", "The appliance's id", EXAMPLE_IDS.A);
export const componentInPath = inPath("id", "The component's id", EXAMPLE_IDS.C);
export const filenameInPath = inPath(
  "filename",
  "Name of the stored file",
  "5f0c9e1d2b7a48c3961e04d7ab52f8c0.jpg",
);
export const partnerInPath = inPath("id", "The partner's id", EXAMPLE_IDS.PARTNER);
export const embedInPath = inPath("id", "The embed's id", EXAMPLE_IDS.EMB);
export const deliveryInPath = inPath("id", "The delivery's id", "WH_1795230000000_k3v9x");
export const jobInPath = inPath("name", "The job's name", "prune-deliveries");

const limit = inQuery("limit", "Page size; larger values are capped at 200", 50, {
  ...{ type: "integer", minimum: 1, default: 50 },
});
const offset = inQuery("offset", "Records to skip; beyond the total the page is empty", 0, {
  ...{ type: "integer", minimum: 0, default: 0 },
});
/** What every list takes. */
export const slicing: readonly Parameter[] = [limit, offset];
export const sandbox = inQuery(
  "sandbox",
  "`true` restricts the list to demo properties; any other value filters nothing",
  "true",
);
export const tier = inQuery("tier", "CRITICAL, WARNING or GOOD, in any case", "CRITICAL", {
  ...{ type: "string", enum: ["CRITICAL", "WARNING", "GOOD"] },
});
export const alertTier = inQuery("tier", "CRITICAL or WARNING, in any case", "CRITICAL", {
  ...{ type: "string", enum: ["CRITICAL", "WARNING"] },
});
export const ofSystem = inQuery("system", "Only of this building system", "plumbing", {
  ...{ type: "string", enum: [...SYSTEMS] },
});
export const ofState = inQuery("state", "Only in this US state, by its abbreviation in any case", "NY");
export const ofProperty = inQuery("property_id", "Only of this property", EXAMPLE_IDS.P);
export const ofAppliance = inQuery("appliance_id", "Only of this appliance", EXAMPLE_IDS.A);
export const since = inQuery("since", "Events after this moment: ISO 8601", "2026-10-21T00:00:00Z");
export const madeSince = inQuery("since", "Made then or later: ISO 8601", "2026-11-20T00:00:00Z");
export const madeUntil = inQuery("until", "Made before then: ISO 8601", "2026-11-21T00:00:00Z");
export const sinceRequired: Parameter = { ...since, required: true };
export const ofPartner = inQuery("partner_id", "Only of this partner", EXAMPLE_IDS.PARTNER);
export const searchPartners = inQuery(
  "search",
  "Only those with this in their name or id, in any case",
  "acme",
);
export const ofStatus = inQuery("status", "pending, delivered or failed", "failed", {
  ...{ type: "string", enum: [...DELIVERY_STATUSES] },
});
export const ofEvent = inQuery("event", "Only of this event", "component.critical", {
  ...{ type: "string", enum: [...WEBHOOK_EVENTS] },
});
export const ofSubject = inQuery(
  "subject",
  "Only of this partner, administrator or day",
  EXAMPLE_IDS.PARTNER,
);
export const month = inQuery("month", "A month in UTC; the present one when not given", "2026-11");

/* Of the page of a property. */
export const tokenInPath = inPath("token", "What opens the page", "svc_embed_…");
export const fileInPath = inPath("file", "Which numbers", "components.csv");
export const chosenComponent = inQuery("component", "The component whose trend is shown", EXAMPLE_IDS.C);
export const pageNumber = inQuery("page", "Which page of them, from 1", 1);

const { years, inflationPct, budgetUsd } = PLAN_LIMITS;
export const budgetInQuery = inQuery(
  "budget",
  "A budget in USD: the answer says what it is best spent on now",
  5000,
  {
    ...{ type: "number", minimum: budgetUsd.least, maximum: budgetUsd.most },
  },
);
/** What a plan is asked for with. */
export const planTerms: readonly Parameter[] = [
  inQuery("years", "Years that the plan covers", years.usual, {
    ...{ type: "integer", minimum: years.least, maximum: years.most, default: years.usual },
  }),
  inQuery("inflation_pct", "Inflation, in per cent a year", inflationPct.usual, {
    ...{ type: "number", minimum: inflationPct.least, maximum: inflationPct.most },
    default: inflationPct.usual,
  }),
  budgetInQuery,
];
export const format = inQuery(
  "format",
  "`csv` for a table that spreadsheets open; when not given, what `Accept` names, else `json`",
  "json",
  {
    ...{ type: "string", enum: ["json", "csv"] },
  },
);
