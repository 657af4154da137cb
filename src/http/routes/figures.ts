import { assess, perDoor } from "../../domain/figures/assessment.ts";
import { complianceItems } from "../../domain/figures/compliance.ts";
import { conditionOf, METHODOLOGY } from "../../domain/figures/condition.ts";
import { exposureOf } from "../../domain/figures/exposure.ts";
import { FORECAST_DAYS } from "../../domain/figures/forecast.ts";
import { deferredPercent, systemValues } from "../../domain/figures/rcv.ts";
import { fullReplacementReserve, RESERVE_MONTHS, reserveOver } from "../../domain/figures/reserve.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { usdFromCents, usdOrNull } from "../../domain/money.ts";
import { dayOf, toIso } from "../../domain/time.ts";
import {
  complianceView,
  forecastView,
  reportView,
  reserveView,
  systemView,
  tierCounts,
} from "../figure-views.ts";
import { type Operation, ok, type PartnerCall, partnerOperation } from "../operation.ts";
import { propertyView } from "../views.ts";
import { getProperty } from "./properties.ts";

export function figureOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "getPropertyReport",
      method: "GET",
      path: "/v1/property/{id}/report",
      summary: "Every component of a property by tier, and what acting on them would cost and save",
      async handle(call) {
        const { property, components, partner } = await loadProperty(call);
        return ok({
          property: propertyView(property),
          ...reportView(knowledge, components, property.unitCount),
          assessed_at: toIso(call.now),
          partner,
        });
      },
    }),
    partnerOperation({
      id: "getPropertyForecast",
      method: "GET",
      path: "/v1/property/{id}/forecast",
      summary: "What is going to need work within 30, 60 and 90 days",
      async handle(call) {
        const { property, components, partner } = await loadProperty(call);
        const windows = FORECAST_DAYS.map(
          (days) => [`window_${days}_days`, forecastView(knowledge, components, days)] as const,
        );
        return ok({
          property_id: property.id,
          name: property.name,
          forecast: Object.fromEntries(windows),
          generated_at: toIso(call.now),
          partner,
        });
      },
    }),
    partnerOperation({
      id: "getPropertyReserve",
      method: "GET",
      path: "/v1/property/{id}/reserve",
      summary: "What to set aside each month for the replacements to come",
      async handle(call) {
        const { property, components, partner } = await loadProperty(call);
        const { unitCount } = property;
        const totals = assess(knowledge, components);
        const windows = RESERVE_MONTHS.map((months) => {
          const reserve = reserveOver(knowledge, components, unitCount, months);
          return [`${months}_month`, reserveView(`${months}-month reserve`, reserve)] as const;
        });
        const full = fullReplacementReserve(totals.rcvCents, unitCount);
        return ok({
          property_id: property.id,
          name: property.name,
          unit_count: unitCount,
          total_deferred: usdFromCents(exposureOf(totals).deferredCents),
          reserves: {
            ...Object.fromEntries(windows),
            "10_year_full_replacement": reserveView("10-year full replacement", full),
          },
          generated_at: toIso(call.now),
          partner,
        });
      },
    }),
    partnerOperation({
      id: "getPropertyConditionScore",
      method: "GET",
      path: "/v1/property/{id}/condition-score",
      summary: "A property's condition as one number, with its grade and rating",
      async handle(call) {
        const { property, components, partner } = await loadProperty(call);
        const totals = assess(knowledge, components);
        const { score, grade, rating } = conditionOf(totals);
        return ok({
          property_id: property.id,
          name: property.name,
          condition_score: score,
          grade,
          rating,
          components_assessed: totals.components,
          ...tierCounts(totals),
          methodology: METHODOLOGY,
          assessed_at: toIso(call.now),
          partner,
        });
      },
    }),
    partnerOperation({
      id: "getPropertyReplacementCost",
      method: "GET",
      path: "/v1/property/{id}/rcv",
      summary: "What replacing a property's equipment would cost, by system",
      async handle(call) {
        const { property, components, partner } = await loadProperty(call);
        const { unitCount, estimatedValueCents } = property;
        const totals = assess(knowledge, components);
        const { deferredCents } = exposureOf(totals);
        return ok({
          property_id: property.id,
          name: property.name,
          unit_count: unitCount,
          total_replacement_cost: usdFromCents(totals.rcvCents),
          rcv_per_unit: usdFromCents(perDoor(totals.rcvCents, unitCount)),
          // Exposure is what failures would cost, as in total_reactive_exposure, which these two add up to.
          critical_exposure: usdFromCents(totals.criticalReactiveCents),
          warning_exposure: usdFromCents(totals.warningReactiveCents),
          systems: systemValues(knowledge, components).map(systemView),
          estimated_value: usdOrNull(estimatedValueCents),
          deferred_as_pct_of_value: deferredPercent(deferredCents, estimatedValueCents),
          assessed_at: toIso(call.now),
          partner,
        });
      },
    }),
    partnerOperation({
      id: "getPropertyCompliance",
      method: "GET",
      path: "/v1/property/{id}/compliance",
      summary: "The inspections that a property's appliances are due for, the first due first",
      async handle({ now, params, partner, store }) {
        const property = await getProperty(store, partner, params.id!);
        const today = dayOf(now);
        const appliances = await store.read.appliances.ofProperty(property.id);
        const ids = appliances.map((appliance) => appliance.id);
        const events = await store.read.serviceEvents.newestByKind(ids, today);
        const items = complianceItems(knowledge, appliances, events, today);
        return ok({
          property_id: property.id,
          name: property.name,
          compliance_items: items.map(complianceView),
          overdue: items.filter((item) => item.status === "OVERDUE").length,
          partner: partner.name,
        });
      },
    }),
  ];
}

/** A property with its components. A figure is made of these alone, so that its parts agree while writes go on. */
async function loadProperty({ params, partner, store }: PartnerCall) {
  const property = await getProperty(store, partner, params.id!);
  const components = await store.read.components.rowsOfProperty(property.id);
  return { property, components, partner: partner.name };
}
