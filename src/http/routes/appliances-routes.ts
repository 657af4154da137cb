import {
  applianceInPath,
  pagingParameters,
  propertyFilter,
  retirementFilters,
} from "../../api-schemas/api-parameter-schemas.ts";
import {
  applianceChange,
  appliancePage,
  applianceReply,
  appliancesBulkReply,
  applianceTypePage,
  changedApplianceReply,
  createdApplianceReply,
  newAppliance,
  newAppliances,
  parseApplianceChangeJson,
  parseNewApplianceJson,
  serializeAppliance,
  serializeApplianceType,
  serializeApplianceWithComponents,
  serializeChangedAppliance,
  serializeCreatedAppliance,
  serializeWrittenAppliance,
} from "../../api-schemas/appliance-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import type { Appliance, ListedAppliance } from "../../domain/appliance.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { notFound } from "../../domain/errors.ts";
import { isRetired } from "../../domain/rules/retirement-rule.ts";
import type { RetirementFilter } from "../../store/queries/appliances-queries.ts";
import { readStoreConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import type { Stores } from "../../store/stores.ts";
import { loadPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { prepareComponentActions } from "../../usecases/planning/prepare-component-actions.ts";
import {
  ApplianceCreator,
  type CreatedAppliance,
  changeAppliance,
  createAppliance,
} from "../../usecases/portfolio/create-or-change-appliance.ts";
import {
  bulkReplyBody,
  parseHttpBulkItems,
  saveHttpBulkItems,
  writeHttpBulkRequest,
} from "../http-bulk-request.ts";
import {
  createdReplies,
  createdReply,
  type Operation,
  okReplies,
  okReply,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";
import { parseRetiredFilterHttpQuery, parseRowRangeHttpQuery } from "../http-query-parameters.ts";
import { requirePropertyInPath } from "./properties-routes.ts";

const EXAMPLE = {
  property_id: "P_01m7xtfcg7e14a5g7edqadn8kz",
  type_id: "water_heater_gas",
  install_year: 2015,
  brand: "Rheem",
  model: "XG40T06",
  serial: "M291904321",
};

/** Lists all required fields, as the errors for other missing ones do. */
const MISSING_YEAR =
  "property_id, type_id, install_year required: the property has no year_built to take install_year from";

export function applianceOperations(knowledge: Knowledge, bulkItems: number): Operation[] {
  const types = [...knowledge.types.values()].map((type) => serializeApplianceType(knowledge, type));

  const view = (appliance: ListedAppliance) => serializeAppliance(knowledge, appliance);
  const written = ({ appliance, components, warnings }: CreatedAppliance) =>
    serializeWrittenAppliance(knowledge, appliance, components, warnings);

  return [
    partnerOperation({
      id: "listApplianceTypes",
      method: "GET",
      cacheable: true,
      path: "/v1/appliance-types",
      summary: "List appliance types and their components",
      tag: "Appliances",
      parameters: pagingParameters,
      replies: readOperationReplies("A page of appliance types", applianceTypePage),
      handle({ partner, query }) {
        const slice = parseRowRangeHttpQuery(query);
        const page = types.slice(slice.offset, slice.offset + slice.limit);
        return okReply(applianceTypePage.of(page, slice, types.length, partner.name));
      },
    }),
    partnerOperation({
      id: "createAppliance",
      method: "POST",
      path: "/v1/appliances",
      summary: "Create an appliance with its components",
      description:
        "Creates an appliance. Its components are created from its type and scored immediately. `brand_tier` defaults to the tier of the brand.",
      tag: "Appliances",
      request: { type: newAppliance.type, example: EXAMPLE },
      replies: createdReplies("The appliance and its components", createdApplianceReply),
      errors: [404, 409],
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio }) {
        const input = parseNewApplianceJson(body);
        return await writePortfolio(async (writer) => {
          const result = await createAppliance(writer, input, MISSING_YEAR);
          const record = serializeCreatedAppliance(
            knowledge,
            result.appliance,
            result.components,
            result.warnings,
          );
          return createdReply(addPartnerToJson(record, partner.name));
        });
      },
    }),
    partnerOperation({
      id: "createAppliances",
      method: "POST",
      path: "/v1/appliances/bulk",
      summary: "Bulk-create appliances",
      description:
        "Creates up to 1,000 appliances. Valid items are saved even if others fail. The created records are in `events`, the rejected items in `error_details`.",
      tag: "Appliances",
      request: { type: newAppliances.type, example: { appliances: [EXAMPLE] } },
      replies: createdReplies("Created items and errors", appliancesBulkReply),
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio, yieldNow, warn }) {
        const { appliances } = newAppliances.parse(body);
        const items = await parseHttpBulkItems(appliances, {
          most: bulkItems,
          read: parseNewApplianceJson,
          yieldNow,
        });
        return await writeHttpBulkRequest(items, warn, (left) =>
          writePortfolio(async (writer) => {
            const creator = new ApplianceCreator(writer, MISSING_YEAR);
            const result = await saveHttpBulkItems(left, writer, (item) => creator.add(item));
            const components = await creator.finish();
            const serializeItem = (appliance: Appliance) =>
              written({
                appliance,
                components: components.get(appliance.id)!,
                warnings: creator.warningsAbout(appliance),
              });
            return createdReply(
              addPartnerToJson(await bulkReplyBody(result, writer.tx, serializeItem), partner.name),
            );
          }),
        );
      },
    }),
    partnerOperation({
      id: "listAppliances",
      method: "GET",
      cacheable: true,
      path: "/v1/appliances",
      summary: "List appliances",
      tag: "Appliances",
      parameters: [propertyFilter, ...retirementFilters, ...pagingParameters],
      replies: readOperationReplies("A page of appliances", appliancePage),
      errors: [404],
      async handle({ partner, query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const propertyId = query.get("property_id");
        const which = parseRetiredFilterHttpQuery(query);
        if (propertyId === undefined) {
          const read = (read: Stores) => appliancesOfPartner(read, partner.id, slice, which);
          const { page, total } = await readStoreConsistently(store, partner.id, read, partner.revision);
          return okReply(appliancePage.of(page.map(view), slice, total, partner.name));
        }
        await requirePropertyInPath(store, partner, propertyId);
        const page = await store.read.appliances.pageOfProperty(propertyId, slice, which);
        const total = await store.read.appliances.countOfProperty(propertyId, which);
        return okReply(appliancePage.of(page.map(view), slice, total, partner.name));
      },
    }),
    partnerOperation({
      id: "getAppliance",
      method: "GET",
      cacheable: true,
      path: "/v1/appliances/{id}",
      summary: "Get an appliance with its components",
      tag: "Appliances",
      parameters: [applianceInPath],
      replies: readOperationReplies("The appliance with its components", applianceReply),
      async handle({ params, partner, store, yieldNow }) {
        const appliance = await store.read.appliances.find(partner.id, params.id!);
        if (!appliance) throw notFound("Appliance not found");
        const latestSnapshotAt = await store.read.snapshots.latestSnapshotAt();
        const { components: stored } = store.read;
        const components = isRetired(appliance)
          ? await stored.rowsOfRetired(appliance.id)
          : await stored.rowsOfAppliance(appliance.id);
        const prices = await loadPartnerPrices(store.read, knowledge, partner);
        const planned = isRetired(appliance) ? [] : components;
        const actions = await prepareComponentActions({ prices, yieldNow }, planned);
        const record = serializeApplianceWithComponents(
          prices,
          appliance,
          components,
          actions,
          latestSnapshotAt,
        );
        return okReply(addPartnerToJson(record, partner.name));
      },
    }),
    partnerOperation({
      id: "updateAppliance",
      method: "PUT",
      path: "/v1/appliances/{id}",
      summary: "Update an appliance",
      description:
        "Accepts any subset of the fields. Null clears an optional field. Another `property_id` moves the appliance to that property of yours, with its history and to none of its units unless `unit_id` names one; another `type_id` makes it an appliance of that type, without a size unless `size` states one: components that only the former type has leave every list, missing ones are created. `retired_at` retires it from that day, null brings it back; any other change of a retired appliance is rejected with 409. A new `install_year` also applies to its components without a year of their own.",
      tag: "Appliances",
      parameters: [applianceInPath],
      request: { type: applianceChange.type, example: { usage_intensity: 1.4 } },
      replies: okReplies("The updated appliance", changedApplianceReply),
      errors: [409],
      body: "json",
      async handle({ body, params, partner, writePortfolio }) {
        const change = parseApplianceChangeJson(body);
        return await writePortfolio(async (writer) => {
          const result = await changeAppliance(writer, params.id!, change);
          const rows = await writer.tx.components.rowsOfAppliance(result.appliance.id);
          const deps = { prices: await writer.prices(), yieldNow: writer.tx.yieldToEventLoop };
          const record = serializeChangedAppliance(
            knowledge,
            result,
            await prepareComponentActions(deps, rows),
          );
          return okReply(addPartnerToJson(record, partner.name));
        });
      },
    }),
  ];
}

/** Returns a page of the partner's appliances by creation, and the number of all. */
async function appliancesOfPartner(
  { appliances, totals }: Stores,
  partnerId: string,
  slice: StoredRowRange,
  which: RetirementFilter,
): Promise<{ page: ListedAppliance[]; total: number }> {
  const stored = await totals.stored(partnerId);
  const { appliances: all, retiredAppliances: retired } = stored;
  if (which === "all") {
    const page = await appliances.numbered(partnerId, slice.offset, slice.offset + slice.limit);
    return { page, total: all };
  }
  if (which === "retired") return { page: await appliances.pageOfRetired(partnerId, slice), total: retired };
  return { page: await appliances.page(partnerId, slice), total: all - retired };
}
