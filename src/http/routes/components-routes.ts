import { addActionsToComponentsJson } from "../../api-schemas/action-schema.ts";
import {
  alertOrder,
  alertTier,
  applianceFilter,
  componentInPath,
  format,
  includeDemo,
  pagingParameters,
  propertyFilter,
  sandbox,
  stateFilter,
  systemFilter,
  tier,
} from "../../api-schemas/api-parameter-schemas.ts";
import {
  changedComponentReply,
  componentChange,
  parseComponentChangeJson,
  serializeChangedComponent,
} from "../../api-schemas/component-change-schema.ts";
import {
  alertPage,
  componentPage,
  historyReply,
  listedAlert,
  listedComponent,
  serializeAlertWithAge,
  serializeComponent,
  serializeComponentHistory,
  serializeTrendPoint,
  trendPage,
} from "../../api-schemas/component-schema.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  explainedComponentReply,
  serializeExplainedComponent,
} from "../../api-schemas/score-reason-schema.ts";
import { serializeHistoryEvent } from "../../api-schemas/service-event-schema.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import { type Knowledge, SYSTEMS } from "../../domain/domain-knowledge.ts";
import { notFound } from "../../domain/errors.ts";
import { placeOfStateOrSubdivision } from "../../domain/places/place.ts";
import { propertyNotFound } from "../../domain/property.ts";
import { scoreTrendByRule } from "../../domain/rules/score-trend-rule.ts";
import { scoredComponentOutlookWithDefinition } from "../../domain/scoring/score-projections.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import { addDays, dayOf } from "../../domain/time.ts";
import { mapYielding } from "../../event-loop/event-loop.ts";
import type { NarrowFilter } from "../../store/queries/component-lists-queries.ts";
import { readStoreConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import type { Stores } from "../../store/stores.ts";
import { loadPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { loadScoreReasons } from "../../usecases/explanation/load-score-reasons.ts";
import { loadComponentHistory } from "../../usecases/history/load-component-history.ts";
import { loadActionsOfListedComponents } from "../../usecases/planning/load-actions-by-component.ts";
import { changeComponent, loadComponentOfPartner } from "../../usecases/portfolio/change-component.ts";
import { isRecalculatingSums } from "../../usecases/recalculation/recalculate-sums.ts";
import { RETENTION_DAYS } from "../../usecases/snapshot/score-snapshot-properties.ts";
import { httpListReplies, listReply } from "../csv-replies.ts";
import { httpCompileComponentRowsWithoutLastTier } from "../http-component-rows-compiler-tier.ts";
import { EXAMPLE_UNIT_LABELS, httpListUnitLabelColumn } from "../http-list-unit-labels.ts";
import {
  type Operation,
  okReplies,
  okReply,
  type PartnerCall,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";
import {
  isDemoInHttpQuery,
  isSandboxInHttpQuery,
  isSortedByCostInHttpQuery,
  parseAlertTierHttpQuery,
  parseChoiceHttpQueryParameter,
  parseRowRangeHttpQuery,
  parseTierHttpQuery,
} from "../http-query-parameters.ts";

export function componentOperations(knowledge: Knowledge): Operation[] {
  httpCompileComponentRowsWithoutLastTier();
  return [
    partnerOperation({
      id: "listComponents",
      method: "GET",
      cacheable: true,
      path: "/v1/components",
      summary: "List components with their scores",
      description: "Sorted by creation, oldest first. Filters can be combined.",
      tag: "Components",
      parameters: [propertyFilter, applianceFilter, tier, ...pagingParameters, sandbox, format],
      replies: httpListReplies("A page of components", componentPage, listedComponent, EXAMPLE_UNIT_LABELS),
      errors: [404],
      async handle(call) {
        const { partner, query, store } = call;
        const slice = parseRowRangeHttpQuery(query);
        const { latestSnapshotAt, isRecalculating, components } = await stateOfLists(call);
        const { rows, total } = await findComponents(call, slice, components);
        const prices = await loadPartnerPrices(store.read, knowledge, partner);
        const outlooks = rows.map((row) => scoredComponentOutlookWithDefinition(knowledge, row));
        const records = rows.map((row, index) =>
          serializeComponent(prices, row, latestSnapshotAt, outlooks[index]),
        );
        return listReply(
          call,
          componentPage.of(
            addActionsToComponentsJson(
              records,
              await loadActionsOfListedComponents({ ...call, prices, isRecalculating }, rows, outlooks),
            ),
            slice,
            total,
            partner.name,
          ),
          "components",
          listedComponent,
          await httpListUnitLabelColumn(call, rows),
        );
      },
    }),
    partnerOperation({
      id: "getComponent",
      method: "GET",
      cacheable: true,
      path: "/v1/components/{id}",
      summary: "Get a component, with the main reasons for its score",
      tag: "Components",
      parameters: [componentInPath],
      replies: readOperationReplies("The component", explainedComponentReply),
      async handle({ params, partner, store: { read }, yieldNow }) {
        const component = await loadComponentOfPartner(read, partner.id, params.id!);
        const prices = await loadPartnerPrices(read, knowledge, partner);
        const latestSnapshotAt = await read.snapshots.latestSnapshotAt();
        const property = (await read.properties.find(partner.id, component.propertyId))!;
        const reasons = await loadScoreReasons(read, knowledge, property, [component], yieldNow);
        const view = serializeExplainedComponent(
          prices,
          component,
          latestSnapshotAt,
          reasons.get(component.id),
        );
        return okReply(addPartnerToJson(view, partner.name));
      },
    }),
    partnerOperation({
      id: "updateComponent",
      method: "PUT",
      path: "/v1/components/{id}",
      summary: "Correct a component",
      description:
        "Accepts any subset of the fields; a value that the record already has changes nothing, so that a whole record can be sent back. Scores, plans and sums are updated before the response, and the audit log has the values before and after.",
      tag: "Components",
      parameters: [componentInPath],
      request: {
        type: componentChange.type,
        example: { override_lifespan: 18, install_year: 2015, proactive_cost: 1900 },
      },
      replies: okReplies("The updated component", changedComponentReply),
      errors: [409],
      body: "json",
      async handle({ body, params, partner, writePortfolio }) {
        const change = parseComponentChangeJson(body);
        return await writePortfolio(async (writer) => {
          const changed = await changeComponent(writer, params.id!, change);
          const latestSnapshotAt = await writer.tx.snapshots.latestSnapshotAt();
          const record = serializeChangedComponent(await writer.prices(), changed, latestSnapshotAt);
          return okReply(addPartnerToJson(record, partner.name));
        });
      },
    }),
    partnerOperation({
      id: "getComponentHistory",
      method: "GET",
      cacheable: true,
      path: "/v1/components/{id}/history",
      summary: "List the service events of a component and its appliance, newest first",
      tag: "Components",
      parameters: [componentInPath],
      replies: readOperationReplies("The component and its events, newest first", historyReply),
      async handle(call) {
        const component = await loadComponentOfPartner(call.store.read, call.partner.id, call.params.id!);
        const events = await loadComponentHistory(call.store, component, call.yieldNow, call.reserveMemory);
        const serialized = await mapYielding(events, call.yieldNow, serializeHistoryEvent);
        return okReply(
          addPartnerToJson(serializeComponentHistory(knowledge, component, serialized), call.partner.name),
        );
      },
    }),
    partnerOperation({
      id: "getComponentTrend",
      method: "GET",
      path: "/v1/components/{id}/trend",
      summary: "Get a component's daily scores, oldest first",
      description:
        "One point per day on which a snapshot ran since the component was created, for the last 365 days.",
      tag: "Components",
      parameters: [componentInPath, ...pagingParameters],
      replies: readOperationReplies("A page of the trend", trendPage),
      async handle(call) {
        const slice = parseRowRangeHttpQuery(call.query);
        const component = await loadComponentOfPartner(call.store.read, call.partner.id, call.params.id!);
        const from = addDays(dayOf(call.now), -RETENTION_DAYS);
        const days = await call.store.read.snapshots.days(from);
        const points = scoreTrendByRule(await call.store.read.snapshots.trendRows(component.id), days);
        const page = points.slice(slice.offset, slice.offset + slice.limit).map(serializeTrendPoint);
        const subject = { component_id: component.id };
        return okReply(trendPage.of(page, slice, points.length, call.partner.name, subject));
      },
    }),
    partnerOperation({
      id: "listAlerts",
      method: "GET",
      cacheable: true,
      path: "/v1/alerts",
      summary: "List CRITICAL and WARNING components, highest score or expected cost first",
      description:
        "The demo property's components are listed, but `critical_count` and `warning_count` leave them out unless they are asked for: with `include_demo=true`, `sandbox=true`, `property_id` or `appliance_id`.",
      tag: "Components",
      parameters: [
        propertyFilter,
        alertTier,
        systemFilter,
        stateFilter,
        alertOrder,
        ...pagingParameters,
        sandbox,
        includeDemo,
        format,
      ],
      replies: httpListReplies("A page of alerts", alertPage, listedAlert, EXAMPLE_UNIT_LABELS),
      errors: [404],
      async handle(call) {
        const { partner, query } = call;
        const slice = parseRowRangeHttpQuery(query);
        const { rows, critical, warning, demo } = await findAlerts(call, slice);
        const counts = {
          critical_count: critical - (demo?.CRITICAL ?? 0),
          warning_count: warning - (demo?.WARNING ?? 0),
        };
        const { latestSnapshotAt, isRecalculating } = await stateOfLists(call);
        const prices = await loadPartnerPrices(call.store.read, knowledge, partner);
        const outlooks = rows.map((row) => scoredComponentOutlookWithDefinition(knowledge, row));
        const alerts = rows.map((row, index) =>
          serializeAlertWithAge(prices, row, latestSnapshotAt, outlooks[index]!),
        );
        const listed = addActionsToComponentsJson(
          alerts,
          await loadActionsOfListedComponents({ ...call, prices, isRecalculating }, rows, outlooks),
        );
        const page = alertPage.of(listed, slice, critical + warning, partner.name, counts);
        return listReply(call, page, "alerts", listedAlert, await httpListUnitLabelColumn(call, rows));
      },
    }),
  ];
}

/** Returns what the pages of all lists follow from beside their rows. It is read once for each revision of the partner's data. */
const stateOfLists = ({ partner, store: { read }, sumsOf }: PartnerCall) =>
  sumsOf("components", partner.revision, async () => ({
    latestSnapshotAt: await read.snapshots.latestSnapshotAt(),
    isRecalculating: await isRecalculatingSums(read, partner.id),
    components: (await read.totals.ofPartner(partner.id)).components,
  }));

/**
 * Filters that match few rows are counted as they are read; a tier has a stored count. Without either, `total` is the number of
 * the partner's components.
 */
async function findComponents(
  call: PartnerCall,
  slice: StoredRowRange,
  total: number,
): Promise<{ rows: PlacedComponent[]; total: number }> {
  const { partner, query, store, sumsOf } = call;
  const tier = parseTierHttpQuery(query);
  const where = await scopeFilter(call);
  const { components } = store.read;
  if (where) {
    const rows = await components.narrowPage({ ...where, ...(tier && { tier }) }, slice);
    const counts = await components.countNarrow(where);
    return { rows, total: tier ? counts[tier] : counts.GOOD + counts.WARNING + counts.CRITICAL };
  }
  if (tier)
    return await readStoreConsistently(
      store,
      partner.id,
      async ({ components }, revision) => {
        const { total } = await sumsOf(`components ${tier}`, revision, async () => ({
          total: await components.countTier(partner.id, tier),
        }));
        return { rows: await components.tierPage(partner.id, tier, slice), total };
      },
      partner.revision,
    );
  return { rows: await components.page(partner.id, slice), total };
}

type FoundAlerts = {
  rows: PlacedComponent[];
  critical: number;
  warning: number;
  /** The counts of the demo properties among them, if the counts of the response leave them out. */
  demo?: Record<RiskTier, number> | undefined;
};

async function findAlerts(call: PartnerCall, slice: StoredRowRange): Promise<FoundAlerts> {
  const { partner, query, store, sumsOf } = call;
  const includesDemo = isDemoInHttpQuery(query);
  const tier = parseAlertTierHttpQuery(query);
  const system = parseChoiceHttpQueryParameter(query, "system", SYSTEMS);
  const given = query.get("state");
  const state = given === undefined ? undefined : placeOfStateOrSubdivision(given);
  const byCost = isSortedByCostInHttpQuery(query);
  const where = await scopeFilter(call);
  const { components } = store.read;
  if (where) {
    const filter = { ...where, ...(tier && { tier }), ...(system && { system }), ...(state && { state }) };
    const rows = await components.narrowPage({ ...filter, elevated: true, byCost }, slice);
    const { CRITICAL: critical, WARNING: warning } = await components.countNarrow(filter);
    return { rows, critical, warning };
  }
  const demoAlerts = async ({ components, properties }: Stores) => {
    if (includesDemo) return undefined;
    const propertyIds = await properties.demoIds(partner.id);
    if (propertyIds.length === 0) return undefined;
    return await components.countNarrow({
      propertyIds,
      ...(tier && { tier }),
      ...(system && { system }),
      ...(state && { state }),
    });
  };
  if (system !== undefined || state !== undefined) {
    const filter = { partnerId: partner.id, system, state };
    const read = async (read: Stores) => {
      const counts = await read.components.countAlerts(filter, tier);
      const rows = byCost
        ? await read.components.costliestPage(filter, tier, slice)
        : await read.components.alertPage(filter, tier, slice);
      return { rows, ...counts, demo: await demoAlerts(read) };
    };
    return await readStoreConsistently(store, partner.id, read, partner.revision);
  }
  const read = async (read: Stores, revision: string | undefined) => {
    const name = `alerts ${tier ?? ""} ${includesDemo}`;
    const { byScore, critical, warning, demo } = await sumsOf(name, revision, async () => ({
      byScore: await read.components.countElevated(partner.id),
      ...(await read.totals.ofPartner(partner.id)),
      demo: await demoAlerts(read),
    }));
    return {
      rows: byCost
        ? await read.components.costliestPage({ partnerId: partner.id }, tier, slice)
        : await read.components.elevatedPage(partner.id, slice, tier, byScore),
      critical: tier === "WARNING" ? 0 : critical,
      warning: tier === "CRITICAL" ? 0 : warning,
      demo,
    };
  };
  return await readStoreConsistently(store, partner.id, read, partner.revision);
}

/** Returns the filter for one property, one appliance or the demo properties; undefined without one of these. */
async function scopeFilter({ partner, query, store }: PartnerCall): Promise<NarrowFilter | undefined> {
  const propertyId = query.get("property_id");
  const applianceId = query.get("appliance_id");
  const sandbox = isSandboxInHttpQuery(query);
  if (propertyId !== undefined && !(await store.read.properties.find(partner.id, propertyId)))
    throw propertyNotFound();
  if (applianceId !== undefined && !(await store.read.appliances.find(partner.id, applianceId)))
    throw notFound("Appliance not found");
  const appliance = applianceId !== undefined && { applianceId };
  if (!sandbox && propertyId === undefined) return appliance || undefined;
  if (!sandbox) return { ...appliance, propertyIds: [propertyId!] };
  const demo = await store.read.properties.demoIds(partner.id);
  return { ...appliance, propertyIds: demo.filter((id) => propertyId === undefined || id === propertyId) };
}
