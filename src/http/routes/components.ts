import { tierOfHundredths } from "../../domain/component.ts";
import { notFound } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { usdOrNull } from "../../domain/money.ts";
import { addDays, dayOf } from "../../domain/time.ts";
import { trendPoints } from "../../domain/trend.ts";
import type { NarrowFilter } from "../../store/component-lists.ts";
import type { ComponentRow } from "../../store/component-rows.ts";
import type { Slice } from "../../store/kit.ts";
import { RETENTION_DAYS } from "../../usecases/take-snapshot.ts";
import { type Operation, ok, type PartnerCall, partnerOperation } from "../operation.ts";
import { envelope, parseSlice, parseTier, wantsSandbox } from "../query.ts";
import { componentName, componentView, installYearOf } from "../views.ts";

export function componentOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "listComponents",
      method: "GET",
      steady: true,
      path: "/v1/components",
      summary: "Components with their scores, in the order of their creation",
      query: ["property_id", "appliance_id", "tier", "limit", "offset", "sandbox"],
      async handle(call) {
        const { partner, query, store } = call;
        const slice = parseSlice(query);
        const { rows, total } = await findComponents(call, slice);
        const settledAt = await store.read.snapshots.settledAt();
        return ok({
          components: rows.map((row) => componentView(knowledge, row, settledAt)),
          ...envelope(slice, total, partner.name),
        });
      },
    }),
    partnerOperation({
      id: "getComponentHistory",
      method: "GET",
      steady: true,
      path: "/v1/components/{id}/history",
      summary: "A component's service events and its appliance's, the newest first",
      async handle(call) {
        const component = await getComponent(call);
        const events = await call.store.read.serviceEvents.ofComponent(component.applianceId, component.id);
        return ok({
          component: {
            id: component.id,
            component_name: componentName(knowledge, component.defId),
            appliance_id: component.applianceId,
            appliance_type: component.typeId,
            install_year: installYearOf(component),
            last_replaced: component.lastReplaced,
            last_serviced: component.lastServiced,
          },
          events: events.map((event) => ({
            id: event.id,
            event_type: event.eventType,
            date: event.date,
            technician: event.technician,
            total_cost: usdOrNull(event.totalCostCents),
            notes: event.notes,
            condition_after: event.conditionAfter,
          })),
          total_events: events.length,
          partner: call.partner.name,
        });
      },
    }),
    partnerOperation({
      id: "getComponentTrend",
      method: "GET",
      path: "/v1/components/{id}/trend",
      summary: "A component's score on each day of a snapshot, the oldest first",
      query: ["limit", "offset"],
      async handle(call) {
        const slice = parseSlice(call.query);
        const component = await getComponent(call);
        const from = addDays(dayOf(call.now), -RETENTION_DAYS);
        const days = await call.store.read.snapshots.days(from);
        const points = trendPoints(await call.store.read.snapshots.trendRows(component.id), days);
        return ok({
          component_id: component.id,
          trend: points.slice(slice.offset, slice.offset + slice.limit).map(({ day, riskScore }) => ({
            date: day,
            risk_score: riskScore / 100,
            risk_tier: tierOfHundredths(riskScore),
          })),
          ...envelope(slice, points.length, call.partner.name),
        });
      },
    }),
    partnerOperation({
      id: "listAlerts",
      method: "GET",
      steady: true,
      path: "/v1/alerts",
      summary: "CRITICAL and WARNING components, the highest score first",
      query: ["property_id", "limit", "offset", "sandbox"],
      async handle(call) {
        const { partner, query } = call;
        const slice = parseSlice(query);
        const { rows, critical, warning } = await findAlerts(call, slice);
        return ok({
          alerts: rows.map((row) => alertView(knowledge, row)),
          critical_count: critical,
          warning_count: warning,
          ...envelope(slice, critical + warning, partner.name),
        });
      },
    }),
  ];
}

/** The filters that hold few rows are counted as they are read; the others are found by their tallies. */
async function findComponents(
  call: PartnerCall,
  slice: Slice,
): Promise<{ rows: ComponentRow[]; total: number }> {
  const { partner, query, store } = call;
  const tier = parseTier(query);
  const where = await narrowFilter(call);
  const { components } = store.read;
  if (where) {
    const rows = await components.narrowPage({ ...where, ...(tier && { tier }) }, slice);
    const counts = await components.countNarrow(where);
    return { rows, total: tier ? counts[tier] : counts.GOOD + counts.WARNING + counts.CRITICAL };
  }
  if (tier)
    return {
      rows: await components.tierPage(partner.id, tier, slice),
      total: await components.countTier(partner.id, tier),
    };
  const { components: total } = await store.read.totals.ofPartner(partner.id);
  return { rows: await components.page(partner.id, slice), total };
}

async function findAlerts(
  call: PartnerCall,
  slice: Slice,
): Promise<{ rows: ComponentRow[]; critical: number; warning: number }> {
  const { partner, store } = call;
  const where = await narrowFilter(call);
  const { components } = store.read;
  if (where) {
    const rows = await components.narrowPage({ ...where, elevated: true }, slice);
    const { CRITICAL: critical, WARNING: warning } = await components.countNarrow(where);
    return { rows, critical, warning };
  }
  const { critical, warning } = await store.read.totals.ofPartner(partner.id);
  return { rows: await components.elevatedPage(partner.id, slice), critical, warning };
}

/** A filter to one property, one appliance or the demo properties; undefined when there is none of these. */
async function narrowFilter({ partner, query, store }: PartnerCall): Promise<NarrowFilter | undefined> {
  const propertyId = query.get("property_id");
  const applianceId = query.get("appliance_id");
  const sandbox = wantsSandbox(query);
  if (propertyId !== undefined && !(await store.read.properties.find(partner.id, propertyId)))
    throw notFound("Property not found");
  if (applianceId !== undefined && !(await store.read.appliances.find(partner.id, applianceId)))
    throw notFound("Appliance not found");
  const appliance = applianceId !== undefined && { applianceId };
  if (!sandbox && propertyId === undefined) return appliance || undefined;
  if (!sandbox) return { ...appliance, propertyIds: [propertyId!] };
  const demo = (await store.read.properties.demo(partner.id)).map((row) => row.property.id);
  return { ...appliance, propertyIds: demo.filter((id) => propertyId === undefined || id === propertyId) };
}

async function getComponent({ params, partner, store }: PartnerCall): Promise<ComponentRow> {
  const component = await store.read.components.find(partner.id, params.id!);
  if (!component) throw notFound("Component not found");
  return component;
}

function alertView(knowledge: Knowledge, row: ComponentRow) {
  const definition = knowledge.component(row.defId);
  return {
    id: row.id,
    component_id: row.id,
    component_name: definition.name,
    component_def_id: row.defId,
    appliance_id: row.applianceId,
    appliance_type: row.typeId,
    property_id: row.propertyId,
    property_name: row.propertyName,
    property_address: row.propertyAddress,
    risk_score: row.riskScore / 100,
    risk_tier: row.riskTier,
    confidence: row.confidence,
  };
}
