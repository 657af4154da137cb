import { priceBasisOf } from "../../domain/costs/price-basis.ts";
import type { AssumptionCounts } from "../../domain/figures/assumptions.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import { type Property, propertyNotFound, type SummarizedProperty } from "../../domain/property.ts";
import { matchesPropertyFilter, type PropertyFilter } from "../../domain/property-filter.ts";
import type { PropertyTotals } from "../../domain/property-totals.ts";
import { runYielding } from "../../event-loop.ts";
import { readConsistently } from "../../store/consistent-read.ts";
import { iterateComponents } from "../../store/iterate-components.ts";
import type { LimitAndOffset } from "../../store/limit-and-offset.ts";
import type { CodeCount } from "../../store/queries/flags.ts";
import type { Store } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { modelVersionOf } from "../../usecases/calibration/active-model.ts";
import { isRecalculating } from "../../usecases/costs/recalculate.ts";
import { earlyInstallYearWarnings } from "../../usecases/portfolio/appliances.ts";
import { filteredPortfolio, filteredProperties } from "../../usecases/portfolio/filtered-properties.ts";
import { mergeProperties } from "../../usecases/portfolio/merge-properties.ts";
import { portfolioAssumptionCounts } from "../../usecases/portfolio/portfolio-assumption-counts.ts";
import {
  type PortfolioTotals,
  portfolioSums,
  subtractFlagCounts,
  subtractProperties,
  sumOfProperties,
} from "../../usecases/portfolio/portfolio-totals.ts";
import { partnerPrices } from "../../usecases/portfolio/price-list.ts";
import { changeProperty, createProperty, duplicateWarnings } from "../../usecases/portfolio/properties.ts";
import { assumptionSentences } from "../../web/assumption-sentences.ts";
import { NO_GUARANTEE, serializeAssumptions, withAssumptions } from "../../wire/assumptions.ts";
import { withPartner } from "../../wire/paging.ts";
import {
  portfolioItem,
  portfolioPage,
  portfolioSummaryAccumulator,
  serializePortfolioItem,
  serializePortfolioTotals,
  summaryReply,
} from "../../wire/portfolio.ts";
import {
  propertyPage,
  propertyReply,
  serializeProperty,
  serializePropertyRow,
  serializeUnit,
  serializeWrittenProperty,
  unitPage,
  writtenPropertyReply,
} from "../../wire/property.ts";
import {
  newProperty,
  propertyChange,
  propertyMerge,
  readNewProperty,
  readPropertyChange,
  readPropertyMerge,
} from "../../wire/property-input.ts";
import { withRecalculating } from "../../wire/recalculating-field.ts";
import {
  format,
  includeDemo,
  pagingParameters,
  propertyFilters,
  propertyInPath,
  sandbox,
} from "../../wire/request-parameters.ts";
import { EXAMPLE_IDS } from "../../wire/schema/fields.ts";
import { type AddedColumn, listReplies, listReply } from "../csv-replies.ts";
import {
  created,
  createdReplies,
  type Operation,
  ok,
  okReplies,
  type PartnerCall,
  partnerOperation,
  readOperationReplies,
} from "../operation.ts";
import { parsePropertyFilter, parseRowRange, wantsDemo, wantsSandboxEvents } from "../query.ts";

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
        const slice = parseRowRange(query);
        const filter = parsePropertyFilter(query, knowledge.knownHazards);
        if (wantsSandboxEvents(query)) {
          const demo = await demoProperties(store, partner, filter);
          const rows = demo.slice(slice.offset, slice.offset + slice.limit);
          const records = rows.map((row) => serializePropertyRow(row.property));
          return ok(propertyPage.of(records, slice, demo.length, partner.name));
        }
        if (filter) {
          const { rows, total } = await filteredProperties({ store, yieldNow }, partner.id, filter, slice);
          const records = rows.map((row) => serializePropertyRow(row.property));
          return ok(propertyPage.of(records, slice, total, partner.name));
        }
        const { rows, total } = await store.read.properties.countedPage(partner.id, slice);
        return ok(propertyPage.of(rows.map(serializePropertyRow), slice, total, partner.name));
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
        const input = readNewProperty(body);
        return await writePortfolio(async (writer) => {
          const property = await createProperty(writer, input, { source: "api" });
          const warnings = await duplicateWarnings(writer, property);
          return created(withPartner(serializeWrittenProperty(property, warnings), partner.name));
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
        const property = await requireProperty(store, partner, params.id!);
        return ok(withPartner(serializeProperty(property), partner.name));
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
        const change = readPropertyChange(body);
        return await writePortfolio(async (writer) => {
          const property = await changeProperty(writer, params.id!, change);
          const warnings = await duplicateWarnings(writer, property);
          if (change.yearBuilt !== undefined)
            warnings.push(...(await earlyInstallYearWarnings(writer.tx, property)));
          return ok(withPartner(serializeWrittenProperty(property, warnings), partner.name));
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
        const from = readPropertyMerge(body);
        return await writePortfolio(async (writer) => {
          const { property, warnings } = await mergeProperties(writer, { into: params.id!, from });
          return ok(withPartner(serializeWrittenProperty(property, warnings), partner.name));
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
        const slice = parseRowRange(query);
        const property = await requireProperty(store, partner, params.id!);
        const units = await store.read.units.page(property.id, slice);
        const records = units.map(serializeUnit);
        return ok(
          unitPage.of(records, slice, property.unitCount, partner.name, { property_id: property.id }),
        );
      },
    }),
    partnerOperation({
      id: "getPropertySummary",
      method: "GET",
      path: "/v1/property/{id}/summary",
      summary: "Get a summary of a property's counts, risk and costs",
      tag: "Figures",
      parameters: [propertyInPath],
      replies: readOperationReplies("The property summary", summaryReply),
      async handle({ now, params, partner, store, yieldNow }) {
        const property = await requireProperty(store, partner, params.id!);
        const totals = await store.read.totals.ofProperty(property.id);
        const flags = await store.read.flags.ofProperty(partner.id, property.id);
        const prices = await partnerPrices(store.read, knowledge, partner);
        const figure = withAssumptions(prices, portfolioSummaryAccumulator(prices, { totals, flags }));
        await iterateComponents(store, property.id, figure.add, yieldNow);
        const modelVersion = await modelVersionOf(store.read, knowledge);
        const summary = await runYielding(figure.write(property, { now, modelVersion }), yieldNow);
        const noted = withRecalculating(summary, await isRecalculating(store.read, partner.id));
        return ok(withPartner(noted, partner.name));
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
      replies: listReplies("A page of the portfolio", portfolioPage, portfolioItem, ASSUMPTIONS),
      async handle(call) {
        const slice = parseRowRange(call.query);
        const { partner, store } = call;
        const { rows, total, totals, flags, counted } = await findPortfolio(knowledge, call, slice);
        const modelVersion = await modelVersionOf(store.read, knowledge);
        const assumptions =
          counted && serializeAssumptions({ ...counted, ...priceBasisOf(knowledge) }, modelVersion);
        const flagsOf = await store.read.flags.ofProperties(
          rows.map(({ property }) => property.id),
          partner.id,
        );
        const items = rows.map((row) =>
          serializePortfolioItem(knowledge, { ...row, flags: flagsOf.get(row.property.id) ?? [] }),
        );
        const sums = withRecalculating(
          { totals: serializePortfolioTotals(knowledge, totals, flags), assumptions },
          await isRecalculating(store.read, partner.id),
        );
        const page = portfolioPage.of(items, slice, total, partner.name, sums);
        const isFirst = (record: unknown) => slice.offset === 0 && record === items[0];
        return listReply(call, page, "portfolio", portfolioItem, {
          ...ASSUMPTIONS,
          valueOf: (record) =>
            isFirst(record) && assumptions ? assumptionSentences(assumptions).join(" ") : null,
        });
      },
    }),
  ];
}

const FILTERS_DESCRIPTION =
  "Filters can be combined. Retired properties are listed with `retired=true` alone, and with `include_retired=true` beside the others; no total includes them. A filtered list is read in full to count its matches, which takes about 0.2 s for 100,000 properties.";

/** The column of a table of properties that says in its first row what they rest on. */
const ASSUMPTIONS: AddedColumn = { after: "is_demo", name: "assumptions", valueOf: () => NO_GUARANTEE };

type PortfolioRow<P = SummarizedProperty> = { property: P; totals: PropertyTotals };

/** Returns the demo properties that match the filter. */
async function demoProperties(
  store: Store,
  partner: Partner,
  filter: PropertyFilter | undefined,
): Promise<PortfolioRow<Property>[]> {
  const demo = await store.read.properties.demo(partner.id);
  if (!filter) return demo;
  const matching = demo.filter(({ property }) => matchesPropertyFilter(filter, property));
  if (filter.flag === undefined) return matching;
  const ids = matching.map(({ property }) => property.id);
  const flags = await store.read.flags.ofProperties(ids);
  return matching.filter(({ property }) => flags.get(property.id)?.some(({ code }) => code === filter.flag));
}

async function findPortfolio(
  knowledge: Knowledge,
  { partner, query, store, yieldNow, sumsOf }: PartnerCall,
  slice: LimitAndOffset,
): Promise<{
  rows: PortfolioRow[];
  total: number;
  totals: PortfolioTotals;
  flags: readonly CodeCount[];
  /** The components that the figures rest on; null if too many properties have changed since their plans. */
  counted: AssumptionCounts | null;
}> {
  const filter = parsePropertyFilter(query, knowledge.knownHazards);
  const includesDemo = wantsDemo(query);
  const prices = await partnerPrices(store.read, knowledge, partner);
  const countAmong = (read: Stores, included: Parameters<typeof portfolioAssumptionCounts>[2]) =>
    portfolioAssumptionCounts({ read, prices, yieldNow }, partner.id, included);
  const countedOf = (ids: readonly string[]) =>
    readConsistently(store, partner.id, (read) => countAmong(read, { ids }), partner.revision);
  if (wantsSandboxEvents(query)) {
    const demo = await demoProperties(store, partner, filter);
    const rows = demo.slice(slice.offset, slice.offset + slice.limit);
    const ids = demo.map(({ property }) => property.id);
    const flags = await store.read.flags.sumOf(ids);
    const totals = sumOfProperties(demo.map((row) => row.totals));
    return { rows, total: demo.length, totals, flags, counted: await countedOf(ids) };
  }
  if (filter) {
    const { summedIds, ...found } = await filteredPortfolio({ store, yieldNow }, partner.id, filter, slice);
    if (includesDemo || filter.retired === "only") return { ...found, counted: await countedOf(summedIds) };
    const demo = await demoProperties(store, partner, filter);
    const totals = demo.map((row) => row.totals);
    const demoIds = new Set(demo.map(({ property }) => property.id));
    const flags = await store.read.flags.sumOf([...demoIds]);
    return {
      ...found,
      counted: await countedOf(summedIds.filter((id) => !demoIds.has(id))),
      totals: subtractProperties(found.totals, totals),
      flags: subtractFlagCounts(found.flags, flags),
    };
  }
  const read = async (read: Stores, revision: number | undefined) => {
    const found = await read.properties.summaryPage(partner.id, slice);
    const sums = await sumsOf(`portfolio ${includesDemo}`, revision, async () => {
      const all = await read.totals.ofPartner(partner.id);
      const { totals, flags, demo } = await portfolioSums(read, partner.id, includesDemo, all);
      return { total: all.properties, totals, flags, counted: await countAmong(read, { without: demo }) };
    });
    return { rows: found.map((row) => ({ property: row, totals: row })), ...sums };
  };
  return await readConsistently(store, partner.id, read, partner.revision);
}

/** Returns the partner's property. Throws not_found, also for a property of another partner. */
export async function requireProperty(store: Store, partner: Partner, id: string): Promise<Property> {
  const property = await store.read.properties.find(partner.id, id);
  if (!property) throw propertyNotFound();
  return property;
}
