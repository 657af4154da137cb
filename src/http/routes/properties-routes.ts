import {
  format,
  includeDemo,
  pagingParameters,
  propertyFilters,
  propertyInPath,
  sandbox,
} from "../../api-schemas/api-parameter-schemas.ts";
import { addAssumptionsToJson } from "../../api-schemas/assumptions-schema.ts";
import { EXAMPLE_IDS } from "../../api-schemas/definition/schema-field-types.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  portfolioItem,
  portfolioPage,
  portfolioSummarySchemaAccumulator,
  serializePortfolioItem,
  serializePortfolioTotals,
  summaryReply,
} from "../../api-schemas/portfolio-schema.ts";
import {
  newProperty,
  parseNewPropertyJson,
  parsePropertyChangeJson,
  parsePropertyMergeJson,
  propertyChange,
  propertyMerge,
} from "../../api-schemas/property-request-schema.ts";
import {
  propertyPage,
  propertyReply,
  serializeProperty,
  serializePropertyRow,
  serializeUnit,
  serializeWrittenProperty,
  unitPage,
  writtenPropertyReply,
} from "../../api-schemas/property-schema.ts";
import { addRecalculatingToJson } from "../../api-schemas/recalculating-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import { type Property, propertyNotFound } from "../../domain/property.ts";
import { runYielding } from "../../event-loop/event-loop.ts";
import { selectStoredComponents } from "../../store/select-stored-rows.ts";
import type { Store } from "../../store/store.ts";
import { loadActiveModelVersion } from "../../usecases/calibration/load-active-model.ts";
import { loadPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { loadEarlyInstallYearWarnings } from "../../usecases/portfolio/create-or-change-appliance.ts";
import {
  changeProperty,
  createPropertyAndQueueWebhook,
  loadDuplicateWarnings,
} from "../../usecases/portfolio/create-or-change-property.ts";
import { loadFilteredProperties } from "../../usecases/portfolio/load-filtered-properties.ts";
import {
  loadFilteredDemoProperties,
  loadPortfolioSummary,
} from "../../usecases/portfolio/load-portfolio-summary.ts";
import { mergeProperties } from "../../usecases/portfolio/merge-properties.ts";
import { isRecalculatingSums } from "../../usecases/recalculation/recalculate-sums.ts";
import { httpListReplies, listReply } from "../csv-replies.ts";
import {
  createdReplies,
  createdReply,
  type Operation,
  okReplies,
  okReply,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";
import {
  isDemoInHttpQuery,
  isSandboxInHttpQuery,
  parsePropertyFilterHttpQuery,
  parseRowRangeHttpQuery,
} from "../http-query-parameters.ts";
import {
  httpListAssumptionsColumn,
  httpReplyAssumptionsField,
  PORTFOLIO_ASSUMPTIONS_COLUMN,
} from "../portfolio-assumptions-reply.ts";

export function propertyOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "listProperties",
      method: "GET",
      cacheable: true,
      path: "/v1/properties",
      summary: "List properties, oldest first",
      tag: "Properties",
      description: FILTERS_DESCRIPTION,
      parameters: [...propertyFilters, ...pagingParameters, sandbox],
      replies: readOperationReplies("A page of properties", propertyPage),
      async handle({ partner, query, store, yieldNow }) {
        const slice = parseRowRangeHttpQuery(query);
        const filter = parsePropertyFilterHttpQuery(query, knowledge.knownHazards);
        if (isSandboxInHttpQuery(query)) {
          const demo = await loadFilteredDemoProperties(store.read, partner.id, filter);
          const rows = demo.slice(slice.offset, slice.offset + slice.limit);
          const records = rows.map((row) => serializePropertyRow(row.property));
          return okReply(propertyPage.of(records, slice, demo.length, partner.name));
        }
        if (filter) {
          const { rows, total } = await loadFilteredProperties(
            { store, yieldNow },
            partner.id,
            filter,
            slice,
          );
          const records = rows.map((row) => serializePropertyRow(row.property));
          return okReply(propertyPage.of(records, slice, total, partner.name));
        }
        const { rows, total } = await store.read.properties.countedPage(partner.id, slice);
        return okReply(propertyPage.of(rows.map(serializePropertyRow), slice, total, partner.name));
      },
    }),
    partnerOperation({
      id: "createProperty",
      method: "POST",
      path: "/v1/properties",
      summary: "Create a property with its units",
      description:
        "Creates a property and `unit_count` units, labeled from 1. A `partner_property_id` that is already in use is rejected with 409. A second property with the same address, but for case, punctuation and the usual abbreviations, is created, and `warnings` names the first.",
      tag: "Properties",
      request: {
        type: newProperty.type,
        example: {
          name: "Harbor View Apartments",
          address: "120 Harbor St",
          city: "New York",
          state: "NY",
          zip: "10013",
          unit_count: 24,
          year_built: 1987,
          partner_property_id: "HV-001",
        },
      },
      replies: createdReplies("The property", writtenPropertyReply),
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio }) {
        const input = parseNewPropertyJson(body);
        return await writePortfolio(async (writer) => {
          const property = await createPropertyAndQueueWebhook(writer, input, { source: "api" });
          const warnings = await loadDuplicateWarnings(writer, property);
          return createdReply(addPartnerToJson(serializeWrittenProperty(property, warnings), partner.name));
        });
      },
    }),
    partnerOperation({
      id: "getProperty",
      method: "GET",
      cacheable: true,
      path: "/v1/properties/{id}",
      summary: "Get a property",
      tag: "Properties",
      parameters: [propertyInPath],
      replies: readOperationReplies("The property", propertyReply),
      async handle({ params, partner, store }) {
        const property = await requirePropertyInPath(store, partner, params.id!);
        return okReply(addPartnerToJson(serializeProperty(property), partner.name));
      },
    }),
    partnerOperation({
      id: "updateProperty",
      method: "PUT",
      path: "/v1/properties/{id}",
      summary: "Update a property",
      description:
        "Accepts any subset of the fields; null clears an optional field. `retired_at` retires the property with its appliances from that day, null brings it back; any other change of a retired property is rejected with 409. Increasing `unit_count` adds units. Reducing it removes the units with the highest numbers; if any of them contains an appliance, the request is rejected with 409, which lists those units.",
      tag: "Properties",
      parameters: [propertyInPath],
      request: { type: propertyChange.type, example: { estimated_value: 8_500_000 } },
      replies: okReplies("The updated property", writtenPropertyReply),
      errors: [409],
      body: "json",
      async handle({ body, params, partner, writePortfolio }) {
        const change = parsePropertyChangeJson(body);
        return await writePortfolio(async (writer) => {
          const property = await changeProperty(writer, params.id!, change);
          const warnings = await loadDuplicateWarnings(writer, property);
          if (change.yearBuilt !== undefined)
            warnings.push(...(await loadEarlyInstallYearWarnings(writer.tx, property)));
          return okReply(addPartnerToJson(serializeWrittenProperty(property, warnings), partner.name));
        });
      },
    }),
    partnerOperation({
      id: "mergeProperties",
      method: "POST",
      path: "/v1/properties/{id}/merge",
      summary: "Merge a duplicate into a property",
      description:
        "The appliances of `from` move to the property with their service history and photos, to units of the same numbers; its claims and embeds move too. The property keeps its fields, takes those that it lacks from the duplicate, and has the larger number of units. A claim whose number a claim of the property has stays if both have the same type and date of loss, and moves with another number if not. `warnings` names these claims, and the number of units if it changed. The duplicate is retired, with `merged_into`. Merging it again returns the property as it is. A merge with itself is a 400; a retired property and the demo property cannot be merged (409).",
      tag: "Properties",
      parameters: [propertyInPath],
      request: { type: propertyMerge.type, example: { from: EXAMPLE_IDS.P } },
      replies: okReplies("The property with what it was merged with", writtenPropertyReply),
      errors: [409],
      body: "json",
      async handle({ body, params, partner, writePortfolio }) {
        const from = parsePropertyMergeJson(body);
        return await writePortfolio(async (writer) => {
          const { property, warnings } = await mergeProperties(writer, { into: params.id!, from });
          return okReply(addPartnerToJson(serializeWrittenProperty(property, warnings), partner.name));
        });
      },
    }),
    partnerOperation({
      id: "listUnits",
      method: "GET",
      cacheable: true,
      path: "/v1/property/{id}/units",
      summary: "List a property's units, by number",
      tag: "Properties",
      parameters: [propertyInPath, ...pagingParameters],
      replies: readOperationReplies("A page of units", unitPage),
      async handle({ params, partner, query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const property = await requirePropertyInPath(store, partner, params.id!);
        const units = await store.read.units.page(property.id, slice);
        const records = units.map(serializeUnit);
        return okReply(
          unitPage.of(records, slice, property.unitCount, partner.name, { property_id: property.id }),
        );
      },
    }),
    partnerOperation({
      id: "getPropertySummary",
      method: "GET",
      isLong: true,
      path: "/v1/property/{id}/summary",
      summary: "Get a summary of a property's counts, risk and costs",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: readOperationReplies("The property summary", summaryReply),
      async handle({ now, params, partner, store, yieldNow }) {
        const property = await requirePropertyInPath(store, partner, params.id!);
        const totals = await store.read.totals.ofProperty(property.id);
        const flags = await store.read.flags.ofProperty(partner.id, property.id);
        const prices = await loadPartnerPrices(store.read, knowledge, partner);
        const figure = addAssumptionsToJson(
          prices,
          portfolioSummarySchemaAccumulator(prices, { totals, flags }),
        );
        await selectStoredComponents(store, property.id, figure.add, yieldNow);
        const modelVersion = await loadActiveModelVersion(store.read, knowledge);
        const summary = await runYielding(figure.write(property, { now, modelVersion }), yieldNow);
        const noted = addRecalculatingToJson(summary, await isRecalculatingSums(store.read, partner.id));
        return okReply(addPartnerToJson(noted, partner.name));
      },
    }),
    partnerOperation({
      id: "getPortfolioSummary",
      method: "GET",
      cacheable: true,
      path: "/v1/portfolio/summary",
      summary: "List properties with their risk and costs, and portfolio totals",
      description: `The properties on the page with their figures, and totals for all properties that match the filters: for the whole portfolio without any. The totals leave out the demo property, except with \`include_demo=true\` or \`sandbox=true\`. ${FILTERS_DESCRIPTION}`,
      tag: "Figures",
      parameters: [...propertyFilters, ...pagingParameters, sandbox, includeDemo, format],
      replies: httpListReplies(
        "A page of the portfolio",
        portfolioPage,
        portfolioItem,
        PORTFOLIO_ASSUMPTIONS_COLUMN,
      ),
      async handle(call) {
        const { partner, query, store, sumsOf, yieldNow } = call;
        const slice = parseRowRangeHttpQuery(query);
        const found = await loadPortfolioSummary({ store, knowledge, sumsOf, yieldNow }, partner, {
          filter: parsePropertyFilterHttpQuery(query, knowledge.knownHazards),
          includeDemo: isDemoInHttpQuery(query),
          isSandbox: isSandboxInHttpQuery(query),
          slice,
        });
        const assumptions = await httpReplyAssumptionsField(store.read, knowledge, found.counted);
        const items = found.rows.map((row) => serializePortfolioItem(knowledge, row));
        const totals = serializePortfolioTotals(knowledge, found.totals, found.flags);
        const sums = addRecalculatingToJson({ totals, assumptions }, found.isRecalculating);
        const page = portfolioPage.of(items, slice, found.total, partner.name, sums);
        return listReply(
          call,
          page,
          "portfolio",
          portfolioItem,
          httpListAssumptionsColumn(page, assumptions),
        );
      },
    }),
  ];
}

const FILTERS_DESCRIPTION =
  "Filters can be combined. Retired properties are listed with `retired=true` alone, and with `include_retired=true` beside the others; no total includes them. A filtered list is read in full to count its matches, which takes about 0.2 s for 100,000 properties.";

/** Returns the partner's property. Throws not_found, also for a property of another partner. */
export async function requirePropertyInPath(store: Store, partner: Partner, id: string): Promise<Property> {
  const property = await store.read.properties.find(partner.id, id);
  if (!property) throw propertyNotFound();
  return property;
}
