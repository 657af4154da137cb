import { describe, expect, test } from "bun:test";
import {
  AT_ROOT_TOO,
  type DocumentedResponse,
  operationsOf,
  readApiDocument,
  resolve,
  type Schema,
} from "../support/api-document.ts";

/*
 * Compares the partner API's own tables of fields with the document. Every black-box test compares its responses
 * with the document, so the responses have the fields that are required here.
 */

const document = readApiDocument();
const operations = operationsOf(document);

/** The fields of a response by path: `a.b` is a nested object, `a[]` the items of an array, `a{}` the values of an object. */
type Fields = Record<string, string>;

const ENVELOPE = "total limit offset page pages partner";
const PROPERTY =
  "id name address city state zip unit_count year_built estimated_value is_demo partner_property_id notes created_at";
const APPLIANCE =
  "id property_id unit_id type_id brand model serial brand_tier install_year usage_intensity warranty_expiry";
const CONDITION_POINT = "date condition_score grade due_now replacement_value expected_cost_12m properties";
const LISTED_COMPONENT =
  "id component_id component_name component_def_id appliance_id appliance_type appliance_brand unit property_id " +
  "property_name risk_score risk_tier confidence age_years projected_failure_year proactive_cost reactive_cost " +
  "last_scored failure_probability_12m";
const COMPONENT_VIEW = `${LISTED_COMPONENT} install_year last_replaced last_serviced override_lifespan projected_failure_range`;
const SERVICE_EVENT =
  "id appliance_id component_id event_type date parts_cost labor_cost total_cost technician notes condition_after";
const CLAIM =
  "id property_id claim_type date_of_loss claim_number carrier amount_paid description status scoring_impact created_at";
const PHOTO = "id filename original_name url uploaded_at service_event_id event_type event_date event_voided";
const REPORT_ITEM =
  "component_id component_name appliance_type risk_score confidence age_years projected_failure_year " +
  "proactive_cost reactive_cost";
const FORECAST_ITEM =
  "component_id component_name appliance_id appliance_type unit risk_score risk_tier confidence " +
  "projected_failure_year failure_probability proactive_cost reactive_cost";
const WINDOW = "label component_count proactive_cost emergency_cost_if_ignored savings_potential components";
const RESERVE = "label per_unit_per_month per_unit_per_year property_per_month";
const PARTIAL_SUCCESS = {
  "": "created errors events error_details partner",
  "error_details[]": "index error",
};
const SMART = {
  "": "event_id event_type property_id appliance_id property_created appliance_created affected_components risk_summary partner",
  "affected_components[]": COMPONENT_VIEW,
  risk_summary: "components_scored critical_count warning_count",
};

const PLAN_SUMMARY = {
  // Includes `total`, which is an amount here and a count everywhere else.
  due_now: "component_count unit_count cost immediate short_term escrow",
  "due_now.immediate": "count cost",
  "schedule[]": "year planned_cost failure_cost repair_cost total_inflated per_unit_inflated",
  totals: "planned planned_inflated run_to_failure run_to_failure_inflated savings",
  "level_deposit.50": "noise with_cost_error",
  "level_deposit.50.noise": "per_year per_unit_per_year per_unit_per_month",
  "level_deposit.95.with_cost_error": "per_year per_unit_per_year per_unit_per_month",
  "balances[]": "year balance percent_funded",
};

const COST_LINE = "id type_id component_def_id state proactive_cost reactive_cost size as_of basis";
const YEAR_LOSSES = "expected standard_deviation exceedance tail_value_at_risk_99";
/** Names of amounts among the losses that are counts elsewhere. */
const LOSS_AMOUNTS = new Set(["limit", "total"]);
const AMOUNT = "amount with_model_error standard_error";
const LOSSES: Fields = {
  "":
    "as_of model_version properties components deductible limit total damage insured largest_damage drivers " +
    "per_unit per_1000_sqft assumptions notes partner",
  total: YEAR_LOSSES,
  "total.exceedance[]": `return_period_years ${AMOUNT}`,
  "total.tail_value_at_risk_99": AMOUNT,
  damage: `${YEAR_LOSSES} by_peril`,
  "damage.exceedance[]": `return_period_years ${AMOUNT}`,
  "damage.by_peril[]": "peril expected",
  insured: `${YEAR_LOSSES} technical_premium premium_deviation`,
  "insured.exceedance[]": `return_period_years ${AMOUNT}`,
  "largest_damage[]": "amount probability",
  "drivers[]": "by key name expected share_of_expected share_of_variance",
  per_unit: "total damage insured",
  per_1000_sqft: "total damage insured",
};
const ANSWERS: Record<string, Fields> = {
  "GET /v1/auth/methods": { "": "methods docs", "methods[]": "" },
  "GET /v1/health": {
    "": "status version uptime_s checks last_snapshot",
    checks: "database scheduler outbox",
    last_snapshot: "date finished_at",
  },
  "GET /v1/.well-known/oauth-authorization-server": {
    "":
      "issuer token_endpoint token_endpoint_auth_methods_supported grant_types_supported " +
      "response_types_supported scopes_supported service_documentation",
  },
  "POST /v1/oauth/token": { "": "access_token token_type expires_in scope partner" },
  "GET /v1/ping": { "": "ok timestamp partner" },
  "GET /v1/properties": {
    "": `properties ${ENVELOPE}`,
    "properties[]": "id name address city state zip unit_count created_at",
  },
  "GET /v1/properties/{id}": { "": `${PROPERTY} source partner` },
  "POST /v1/properties": { "": `${PROPERTY} partner` },
  "PUT /v1/properties/{id}": { "": `${PROPERTY} partner` },
  "POST /v1/properties/{id}/merge": { "": `${PROPERTY} warnings partner` },
  "GET /v1/property/{id}/units": { "": `units ${ENVELOPE}`, "units[]": "id property_id label created_at" },
  "GET /v1/portfolio/summary": {
    "": `portfolio totals ${ENVELOPE}`,
    "portfolio[]":
      "property_id name address city state unit_count appliances components critical warning good overall_rating " +
      "total_deferred_maintenance total_reactive_exposure deferred_per_door",
    totals: "properties appliances components critical warning good total_deferred total_reactive",
  },
  "GET /v1/property/{id}/plan": {
    "":
      "property_id name unit_count as_of years inflation_pct opening_balance escrow_pct interest_pct minimum_balance " +
      "deposit_growth_pct due_now schedule totals level_deposit balances units components budget reconciliation " +
      "likely_failures assumptions partner",
    likely_failures: "count cost",
    "units[]":
      "appliance_id policy replace_on optimal_age_years wait_years cost_of_waiting_a_year price failed_price action reason",
    ...PLAN_SUMMARY,
    "components[]":
      "component_id component_name component_def_id appliance_id appliance_type policy replace_on optimal_age_years " +
      "yearly_cost yearly_cost_run_to_failure cost_of_waiting_a_year proactive_cost reactive_cost risk_score risk_tier action reason",
    budget: "amount spent left chosen avoided",
  },
  "GET /v1/portfolio/plan": {
    "":
      "portfolio unit_count as_of years inflation_pct due_now schedule totals level_deposit balances budget assumptions " +
      ENVELOPE,
    ...PLAN_SUMMARY,
    "portfolio[]": "property_id name unit_count due_now cost_of_waiting_a_year budget",
    budget: "amount spent left chosen_count chosen avoided",
  },
  "GET /v1/portfolio/losses": LOSSES,
  "GET /v1/property/{id}/losses": LOSSES,
  "GET /v1/property/{id}/underwriting": {
    "": "property losses hazards overdue_inspections claims loss_control standing partner",
    property: "id name address city state unit_count unit_label year_built",
    claims: "since count incurred per_year expected_damages_per_year",
    loss_control: "components planned_cost damage_saved saved_per_dollar best",
    "loss_control.best[]": "component_id component_name risk_score planned_cost damage_saved",
    standing: "as_of properties expected_per_unit damage_per_unit",
  },
  "GET /v1/property/{id}/summary": {
    "": "property counts risk financials assessed_at partner",
    property: "id name address city state unit_count",
    counts: "appliances components service_events",
    risk: "critical warning good overall_rating",
    financials:
      "total_deferred_maintenance total_reactive_exposure deferred_per_door recommended_monthly_reserve_per_unit",
  },
  "GET /v1/property/{id}/report": {
    "": "property overall categories critical warning good financials assessed_at partner",
    property: PROPERTY,
    overall: "rating nci_equivalent components_assessed",
    "categories{}": "critical warning good deferred",
    "critical[]": REPORT_ITEM,
    "warning[]": REPORT_ITEM,
    "good[]": REPORT_ITEM,
    financials:
      "total_deferred total_reactive_exposure deferred_per_door estimated_savings_if_acted " +
      "recommended_monthly_reserve_per_unit",
  },
  "GET /v1/property/{id}/forecast": {
    "": "property_id name forecast generated_at partner",
    "forecast.window_30_days": WINDOW,
    "forecast.window_60_days": WINDOW,
    "forecast.window_90_days": WINDOW,
    "forecast.window_90_days.components[]": FORECAST_ITEM,
  },
  "GET /v1/property/{id}/reserve": {
    "": "property_id name unit_count total_deferred reserves generated_at partner",
    "reserves.12_month": RESERVE,
    "reserves.24_month": RESERVE,
    "reserves.36_month": RESERVE,
    "reserves.10_year_full_replacement": RESERVE,
  },
  "GET /v1/property/{id}/condition-score": {
    "": "property_id name condition_score grade rating components_assessed critical warning methodology assessed_at fci",
    fci: "value due_now replacement_value basis",
  },
  "GET /v1/property/{id}/rcv": {
    "":
      "property_id name unit_count total_replacement_cost rcv_per_unit critical_exposure warning_exposure systems " +
      "estimated_value deferred_as_pct_of_value assessed_at",
    "systems[]": "system total_rcv components critical warning",
  },
  "GET /v1/property/{id}/compliance": {
    "": "property_id name compliance_items overdue partner",
    "compliance_items[]":
      "appliance_id appliance_type brand inspection_type authority mandatory interval_months last_inspection " +
      "due_date days_until_due status",
  },
  "GET /v1/property/{id}/claims": { "": `claims property_id ${ENVELOPE}`, "claims[]": CLAIM },
  "GET /v1/property/{id}/claims/{claim_id}": { "": `${CLAIM} partner` },
  "PUT /v1/property/{id}/claims/{claim_id}": { "": `${CLAIM} partner` },
  "GET /v1/property/{id}/claims/impact": {
    "": "property_id name total_claims active_claims expired_claims claims methodology partner",
    "claims[]":
      "claim_id claim_type label date_of_loss age_years base_likelihood_ratio effective_likelihood_ratio " +
      "decay_remaining_years status affected_systems affected_components_count",
    methodology: "version recency_decay max_claims_scored",
    "methodology.recency_decay": "decay_years",
  },
  "GET /v1/components": { "": `components ${ENVELOPE}`, "components[]": COMPONENT_VIEW },
  "GET /v1/components/{id}": { "": `${COMPONENT_VIEW} why partner`, "why[]": "effect text date" },
  "PUT /v1/components/{id}": { "": `${COMPONENT_VIEW} partner` },
  "GET /v1/components/{id}/history": {
    "": "component events total_events partner",
    component: "id component_name appliance_id appliance_type install_year last_replaced last_serviced",
    "events[]": "id event_type date technician total_cost notes condition_after",
  },
  "GET /v1/components/{id}/trend": {
    "": `component_id trend ${ENVELOPE}`,
    "trend[]": "date risk_score risk_tier",
  },
  "GET /v1/alerts": {
    "": `alerts critical_count warning_count ${ENVELOPE}`,
    "alerts[]": `${LISTED_COMPONENT} property_address`,
  },
  "GET /v1/events": { "": `events since ${ENVELOPE}`, "events[]": "type timestamp data" },
  "GET /v1/webhook-deliveries": {
    "": `deliveries ${ENVELOPE}`,
    "deliveries[]":
      "id partner_id event request_id status created_at next_attempt_at finished_at attempt_count attempts",
    "deliveries[].attempts[]":
      "attempt started_at finished_at duration_ms status_code error address response_head",
  },
  "POST /v1/webhook-deliveries/{id}/resend": { "": "id status attempts partner_id partner" },
  "GET /v1/appliance-types": {
    "": `appliance_types ${ENVELOPE}`,
    "appliance_types[]": "type_id name system components",
    "appliance_types[].components[]": "component_def_id component_name",
  },
  "GET /v1/appliances": { "": `appliances ${ENVELOPE}`, "appliances[]": APPLIANCE },
  "POST /v1/appliances": {
    "": `${APPLIANCE} components_created components partner`,
    "components[]": "id component_def_id component_name",
  },
  "GET /v1/appliances/{id}": { "": `${APPLIANCE} components partner`, "components[]": COMPONENT_VIEW },
  "PUT /v1/appliances/{id}": { "": `${APPLIANCE} partner` },
  "POST /v1/appliances/bulk": { ...PARTIAL_SUCCESS, "events[]": APPLIANCE },
  "POST /v1/service-events/bulk": { ...PARTIAL_SUCCESS, "events[]": SERVICE_EVENT },
  "GET /v1/portfolio/actions": {
    "": `actions totals ${ENVELOPE}`,
    "actions[]":
      "appliance_id component_id name appliance_type unit property_id property_name property_address state system action " +
      "reason risk_tier replace_on failure_probability_12m proactive_cost reactive_cost cost_of_waiting_a_year " +
      "expected_cost_12m due_now work_state work_until work_by work_reason",
    totals: "proactive_cost cost_of_waiting_a_year expected_cost_12m",
  },
  "GET /v1/webhook-endpoint": { "": "url events failing_since paused_at last_error partner" },
  "POST /v1/webhook-endpoint/test": { "": "id delivery_id event status partner_id partner" },
  "GET /v1/property/{id}/condition-trend": {
    "": `property_id trend ${ENVELOPE}`,
    "trend[]": CONDITION_POINT,
  },
  "GET /v1/portfolio/condition-trend": { "": `trend ${ENVELOPE}`, "trend[]": CONDITION_POINT },
  "POST /v1/import-rows": {
    "":
      "mapping fields properties appliances components service_events claims install_years_from_year_built " +
      "install_years_before_year_built unusual_sizes claims_to_check older_valuations same_address changes rejected " +
      "left_out partner",
    properties: "created updated unchanged",
    "same_address[]": "row property_id first_property_id first_row",
    "changes[]": "records field rows row from to",
    "rejected[]": "row error",
    "left_out[]": "column reason cells",
  },
  "GET /v1/saved-filters": { "": "filters partner", "filters[]": "name query saved_at" },
  "PUT /v1/saved-filters": { "": "filters partner", "filters[]": "name query saved_at" },
  "GET /v1/search": { "": "results partner", "results[]": "kind id title detail property_id" },
  "POST /v1/work-marks/bulk": {
    ...PARTIAL_SUCCESS,
    "events[]": "component_id appliance_id state until by reason marked_at service_event_id",
  },
  "GET /v1/appliances/{id}/photos": {
    "": "appliance_id type brand model service_event_photos appliance_photos total limit offset page pages",
    "service_event_photos[]": PHOTO,
    "appliance_photos[]": PHOTO,
  },
  "POST /v1/appliances/{id}/photos": { "": PHOTO },
  "DELETE /v1/appliances/{id}/photos/{photo_id}": {
    "": "appliance_id type brand model service_event_photos appliance_photos total limit offset page pages",
    "appliance_photos[]": PHOTO,
  },
  "POST /v1/meter-event": { "": "event_id received property_id appliance_id partner" },
  "POST /v1/meter-event/smart": SMART,
  "POST /v1/meter-event/smart/v2": SMART,
  "GET /v1/cost-book": { "": "lines recalculating partner", "lines[]": COST_LINE },
  "GET /v1/service-events/{id}": { "": `${SERVICE_EVENT} partner` },
  "PUT /v1/service-events/{id}": { "": `${SERVICE_EVENT} partner` },
  "PUT /v1/cost-book": { "": "lines recalculating warnings partner", "lines[]": COST_LINE },
  "POST /v1/onboarding/demo-property": { "": `${PROPERTY} appliances components partner` },
};
/** Operations that return files, the document itself, and claims, whose two bodies another test compares. */
const OTHERS = ["GET /v1/openapi.json", "GET /v1/uploads/{filename}", "POST /v1/property/{id}/claims"];

const COUNTS =
  "unit_count appliances components critical warning good properties total limit offset page pages service_events " +
  "components_assessed nci_equivalent component_count condition_score overdue interval_months days_until_due " +
  "total_claims active_claims expired_claims affected_components_count max_claims_scored decay_years total_events " +
  "install_year projected_failure_year critical_count warning_count created errors index components_created " +
  "components_scored expires_in year_built override_lifespan";
const NUMBERS =
  "total_deferred_maintenance total_reactive_exposure deferred_per_door total_deferred total_reactive " +
  "recommended_monthly_reserve_per_unit estimated_savings_if_acted proactive_cost reactive_cost " +
  "emergency_cost_if_ignored savings_potential per_unit_per_month per_unit_per_year property_per_month " +
  "total_replacement_cost rcv_per_unit critical_exposure warning_exposure total_rcv estimated_value risk_score " +
  "age_years amount_paid scoring_impact base_likelihood_ratio effective_likelihood_ratio decay_remaining_years " +
  "usage_intensity parts_cost labor_cost total_cost failure_probability failure_probability_12m";
const BOOLEANS = "is_demo ok mandatory received property_created appliance_created";
const TYPES = new Map(
  Object.entries({ integer: COUNTS, number: NUMBERS, boolean: BOOLEANS }).flatMap(([type, names]) =>
    names.split(" ").map((name) => [name, type] as const),
  ),
);

/** Returns the schema of the successful response. */
function answerOf(name: string): Schema {
  const { operation } = operations.find(({ method, path }) => `${method} ${path}` === name)!;
  const [, response] = Object.entries(operation.responses).find(([status]) => /^20[012]$/.test(status))!;
  return resolve<DocumentedResponse>(document, response).content!["application/json"]!.schema;
}

/**
 * Returns the schema with its reference resolved and the fields of all its parts; of alternatives, the fields that
 * each of them requires.
 */
function resolved(schema: Schema): Schema {
  const { allOf, ...own } = resolve<Schema>(document, schema);
  const parts = (allOf ?? []).map(resolved);
  const [first, ...others] = (own.anyOf ?? []).map(resolved);
  if (first)
    parts.push({
      properties: first.properties,
      required: first.required!.filter((name) => others.every(({ required }) => required!.includes(name))),
    });
  return {
    ...own,
    ...(parts[0] ?? {}),
    properties: Object.assign({}, own.properties, ...parts.map(({ properties }) => properties)),
    required: [...(own.required ?? []), ...parts.flatMap(({ required }) => required ?? [])],
  };
}

function at(schema: Schema, place: string): Schema {
  let found = resolved(schema);
  for (const step of place === "" ? [] : place.split(".")) {
    const name = step.replace(/(\[\]|\{\})$/, "");
    found = resolved(found.properties![name]!);
    if (step.endsWith("[]")) found = resolved(found.items!);
    if (step.endsWith("{}")) found = resolved(found.additionalProperties as Schema);
  }
  return found;
}

// Rule: documented-fields
test("every documented operation has its fields listed here", () => {
  const documented = operations.map(({ method, path }) => `${method} ${path}`);
  expect([...Object.keys(ANSWERS), ...OTHERS].sort()).toEqual(documented.sort());
});

describe.each(Object.entries(ANSWERS))("%s", (operation, fields) => {
  // Rule: documented-fields, numbers, property-record, appliance-record, get-appliance, partner-name, ping
  // Rule: list-properties, portfolio-summary, property-summary, property-report, forecast, reserve
  // Rule: condition-score, rcv, compliance, list-claims, claims-impact, component-history, trend, alerts
  test("has every field of the partner API, with its type", () => {
    const faults = Object.entries(fields).flatMap(([place, names]) => {
      const { properties = {}, required = [] } = at(answerOf(operation), place);
      return names
        .split(" ")
        .filter((name) => name !== "")
        .flatMap((name) => {
          if (!required.includes(name)) return [`${place} lacks ${name}`];
          const { type, items, anyOf } = resolved(properties[name]!);
          const expected = fields === LOSSES && LOSS_AMOUNTS.has(name) ? "number" : TYPES.get(name);
          if (expected === undefined || items || anyOf || type === "array" || type === "object") return [];
          return type === expected ? [] : [`${place}.${name} is ${type}, not ${expected}`];
        });
    });
    expect(faults).toEqual([]);
  });
});

// Rule: document-paths
test("operations outside of /v1 are also available below it, for clients with one base URL", () => {
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(AT_ROOT_TOO));
  expect(Object.values(document.paths).filter((item) => "servers" in item)).toEqual([]);
});

// Rule: openapi-document
test("the document has a title, a version, a description, and both authentication methods by default", () => {
  expect(document).toMatchObject({
    info: { title: "Mainstay Partner API", version: "1.0.0", description: expect.stringMatching(/.{100}/s) },
    security: [{ apiKey: [] }, { oauth2: [] }],
  });
  const open = operations.filter(({ operation }) => operation.security?.length === 0).map(({ path }) => path);
  expect(open.sort()).toEqual([
    "/v1/.well-known/oauth-authorization-server",
    "/v1/auth/methods",
    "/v1/health",
    "/v1/oauth/token",
    "/v1/openapi.json",
  ]);
});
