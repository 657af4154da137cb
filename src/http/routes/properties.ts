import { notFound } from "../../domain/errors.ts";
import { perDoor } from "../../domain/figures/assessment.ts";
import { conditionOf } from "../../domain/figures/condition.ts";
import { exposureOf } from "../../domain/figures/exposure.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { usdFromCents } from "../../domain/money.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Property } from "../../domain/property.ts";
import { toIso } from "../../domain/time.ts";
import type { PropertyTotals } from "../../domain/totals.ts";
import { readNewProperty, readPropertyChange } from "../../shapes/property.ts";
import type { Store } from "../../store/store.ts";
import { changeProperty, createProperty } from "../../usecases/properties.ts";
import { recommendedReserve, tierCounts } from "../figure-views.ts";
import { created, type Operation, ok, partnerOperation } from "../operation.ts";
import { envelope, parseSlice, wantsSandbox } from "../query.ts";
import { propertyRowView, propertyView, unitView } from "../views.ts";

export function propertyOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "listProperties",
      method: "GET",
      steady: true,
      path: "/v1/properties",
      summary: "Properties, in the order of their creation",
      query: ["limit", "offset", "sandbox"],
      async handle({ partner, query, store }) {
        const slice = parseSlice(query);
        if (wantsSandbox(query)) {
          const demo = await store.read.properties.demo(partner.id);
          const rows = demo.slice(slice.offset, slice.offset + slice.limit);
          return ok({
            properties: rows.map((row) => propertyRowView(row.property)),
            ...envelope(slice, demo.length, partner.name),
          });
        }
        const { properties: total } = await store.read.totals.ofPartner(partner.id);
        const rows = await store.read.properties.page(partner.id, slice);
        return ok({ properties: rows.map(propertyRowView), ...envelope(slice, total, partner.name) });
      },
    }),
    partnerOperation({
      id: "createProperty",
      method: "POST",
      path: "/v1/properties",
      summary: "Register a property; its units are made from unit_count",
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio }) {
        const input = readNewProperty(body);
        return await writePortfolio(async (writer) => {
          const property = await createProperty(writer, input, { source: "api" });
          return created({ ...propertyView(property), partner: partner.name });
        });
      },
    }),
    partnerOperation({
      id: "getProperty",
      method: "GET",
      steady: true,
      path: "/v1/properties/{id}",
      summary: "A property's full record",
      async handle({ params, partner, store }) {
        const property = await getProperty(store, partner, params.id!);
        return ok({ ...propertyView(property), partner: partner.name });
      },
    }),
    partnerOperation({
      id: "updateProperty",
      method: "PUT",
      path: "/v1/properties/{id}",
      summary: "Change any of a property's fields",
      body: "json",
      async handle({ body, params, partner, writePortfolio }) {
        const change = readPropertyChange(body);
        return await writePortfolio(async (writer) => {
          const property = await changeProperty(writer, params.id!, change);
          return ok({ ...propertyView(property), partner: partner.name });
        });
      },
    }),
    partnerOperation({
      id: "listUnits",
      method: "GET",
      steady: true,
      path: "/v1/property/{id}/units",
      summary: "A property's units, by number",
      query: ["limit", "offset"],
      async handle({ params, partner, query, store }) {
        const slice = parseSlice(query);
        const property = await getProperty(store, partner, params.id!);
        const units = await store.read.units.page(property.id, slice);
        return ok({
          units: units.map(unitView),
          property_id: property.id,
          ...envelope(slice, property.unitCount, partner.name),
        });
      },
    }),
    partnerOperation({
      id: "getPropertySummary",
      method: "GET",
      path: "/v1/property/{id}/summary",
      summary: "A property's counts, risk and money at a glance",
      async handle({ now, params, partner, store }) {
        const property = await getProperty(store, partner, params.id!);
        const totals = await store.read.totals.ofProperty(property.id);
        const components = await store.read.components.rowsOfProperty(property.id);
        const { id, name, address, city, state, unitCount: unit_count } = property;
        return ok({
          property: { id, name, address, city, state, unit_count },
          counts: {
            appliances: totals.appliances,
            components: totals.components,
            service_events: totals.serviceEvents,
          },
          risk: { ...tierCounts(totals), overall_rating: conditionOf(totals).rating },
          financials: {
            ...exposure(totals, property.unitCount),
            recommended_monthly_reserve_per_unit: recommendedReserve(
              knowledge,
              components,
              property.unitCount,
            ),
          },
          assessed_at: toIso(now),
          partner: partner.name,
        });
      },
    }),
    partnerOperation({
      id: "getPortfolioSummary",
      method: "GET",
      steady: true,
      path: "/v1/portfolio/summary",
      summary: "Every property with its risk and money, and the portfolio's totals",
      query: ["limit", "offset", "sandbox"],
      async handle({ partner, query, store }) {
        const slice = parseSlice(query);
        const sandbox = wantsSandbox(query);
        const demo = sandbox ? await store.read.properties.demo(partner.id) : [];
        const rows = sandbox
          ? demo.slice(slice.offset, slice.offset + slice.limit)
          : await store.read.properties.portfolioPage(partner.id, slice);
        const totals = sandbox
          ? sumOf(demo.map((row) => row.totals))
          : await store.read.totals.ofPartner(partner.id);
        const { deferredCents, reactiveCents } = exposureOf(totals);
        return ok({
          portfolio: rows.map(({ property, totals }) => portfolioItem(property, totals)),
          totals: {
            properties: totals.properties,
            appliances: totals.appliances,
            components: totals.components,
            ...tierCounts(totals),
            total_deferred: usdFromCents(deferredCents),
            total_reactive: usdFromCents(reactiveCents),
          },
          ...envelope(slice, totals.properties, partner.name),
        });
      },
    }),
  ];
}

/** The partner's property; another's is as unknown as one that does not exist. */
export async function getProperty(store: Store, partner: Partner, id: string): Promise<Property> {
  const property = await store.read.properties.find(partner.id, id);
  if (!property) throw notFound("Property not found");
  return property;
}

/** What the elevated components cost now and would cost once failed. */
function exposure(totals: PropertyTotals, unitCount: number) {
  const { deferredCents, reactiveCents } = exposureOf(totals);
  return {
    total_deferred_maintenance: usdFromCents(deferredCents),
    total_reactive_exposure: usdFromCents(reactiveCents),
    deferred_per_door: usdFromCents(perDoor(deferredCents, unitCount)),
  };
}

function portfolioItem(property: Property, totals: PropertyTotals) {
  return {
    property_id: property.id,
    name: property.name,
    address: property.address,
    city: property.city,
    state: property.state,
    unit_count: property.unitCount,
    appliances: totals.appliances,
    components: totals.components,
    ...tierCounts(totals),
    overall_rating: conditionOf(totals).rating,
    ...exposure(totals, property.unitCount),
  };
}

function sumOf(all: readonly PropertyTotals[]) {
  const add = (pick: (totals: PropertyTotals) => number) =>
    all.reduce((sum, totals) => sum + pick(totals), 0);
  return {
    properties: all.length,
    appliances: add((totals) => totals.appliances),
    components: add((totals) => totals.components),
    critical: add((totals) => totals.critical),
    warning: add((totals) => totals.warning),
    criticalProactiveCents: add((totals) => totals.criticalProactiveCents),
    warningProactiveCents: add((totals) => totals.warningProactiveCents),
    criticalReactiveCents: add((totals) => totals.criticalReactiveCents),
    warningReactiveCents: add((totals) => totals.warningReactiveCents),
  };
}
