import type { Appliance } from "../domain/appliance.ts";
import { perDoor } from "../domain/figures/assessment.ts";
import type { ComplianceItem } from "../domain/figures/compliance.ts";
import { conditionOf } from "../domain/figures/condition.ts";
import { exposureOf } from "../domain/figures/exposure.ts";
import { forecastWithin } from "../domain/figures/forecast.ts";
import type { SystemValue } from "../domain/figures/rcv.ts";
import { reportOn } from "../domain/figures/report.ts";
import { type Reserve, reserveOver } from "../domain/figures/reserve.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import { usdFromCents } from "../domain/money.ts";
import { projectionOf } from "../domain/projections.ts";
import { ageYears } from "../domain/scoring/virtual-age.ts";
import type { PropertyTotals } from "../domain/totals.ts";
import type { ComponentRow } from "../store/component-rows.ts";
import { round } from "./views.ts";

/* The parts of the figures' answers, as they are written on the wire. */

type Counts = Pick<PropertyTotals, "components" | "critical" | "warning">;

export const tierCounts = ({ components, critical, warning }: Counts) => ({
  critical,
  warning,
  good: components - critical - warning,
});

/** The body of a property's report but for the property and the moment. */
export function reportView(knowledge: Knowledge, components: readonly ComponentRow[], unitCount: number) {
  const { totals, categories, byTier } = reportOn(knowledge, components);
  const { rating, score } = conditionOf(totals);
  const exposure = exposureOf(totals);
  const items = (rows: readonly ComponentRow[]) =>
    rows.map((row) => ({ ...itemView(knowledge, row), age_years: round(ageYears(row, row.scoredOn), 2) }));
  return {
    overall: { rating, nci_equivalent: score, components_assessed: totals.components },
    categories: Object.fromEntries(
      [...categories].map(([typeId, group]) => [
        typeId,
        { ...tierCounts(group), deferred: usdFromCents(exposureOf(group).deferredCents) },
      ]),
    ),
    critical: items(byTier.CRITICAL),
    warning: items(byTier.WARNING),
    good: items(byTier.GOOD),
    financials: {
      total_deferred: usdFromCents(exposure.deferredCents),
      total_reactive_exposure: usdFromCents(exposure.reactiveCents),
      deferred_per_door: usdFromCents(perDoor(exposure.deferredCents, unitCount)),
      estimated_savings_if_acted: usdFromCents(exposure.savingsCents),
      recommended_monthly_reserve_per_unit: recommendedReserve(knowledge, components, unitCount),
    },
  };
}

export function forecastView(knowledge: Knowledge, components: readonly ComponentRow[], days: number) {
  const { items, proactiveCents, reactiveCents } = forecastWithin(knowledge, components, days);
  return {
    label: `Next ${days} days`,
    component_count: items.length,
    proactive_cost: usdFromCents(proactiveCents),
    emergency_cost_if_ignored: usdFromCents(reactiveCents),
    savings_potential: usdFromCents(reactiveCents - proactiveCents),
    components: items.map(({ component, failureProbability }) => ({
      ...itemView(knowledge, component),
      failure_probability: round(failureProbability, 4),
    })),
  };
}

/** What a property should set aside a month and unit over the next 12 months, in USD. */
export function recommendedReserve(
  knowledge: Knowledge,
  components: readonly ComponentRow[],
  unitCount: number,
): number {
  return usdFromCents(reserveOver(knowledge, components, unitCount, 12).perUnitPerMonth);
}

export function reserveView(label: string, reserve: Reserve) {
  return {
    label,
    per_unit_per_month: usdFromCents(reserve.perUnitPerMonth),
    per_unit_per_year: usdFromCents(reserve.perUnitPerYear),
    property_per_month: usdFromCents(reserve.propertyPerMonth),
  };
}

export function systemView({ system, totals }: SystemValue) {
  return {
    system,
    total_rcv: usdFromCents(totals.rcvCents),
    components: totals.components,
    ...tierCounts(totals),
  };
}

export function complianceView(item: ComplianceItem<Appliance>) {
  const { appliance, regime } = item;
  return {
    appliance_id: appliance.id,
    appliance_type: appliance.typeId,
    brand: appliance.brand,
    unit: appliance.unitId,
    inspection_type: regime.inspectionType,
    authority: regime.authority,
    mandatory: regime.mandatory,
    interval_months: regime.intervalMonths,
    last_inspection: item.lastInspection,
    due_date: item.dueDate,
    days_until_due: item.daysUntilDue,
    status: item.status,
  };
}

/** A component in a figure's list. */
function itemView(knowledge: Knowledge, row: ComponentRow) {
  const { name, proactiveCents, reactiveCents } = knowledge.component(row.defId);
  return {
    component_id: row.id,
    component_name: name,
    appliance_id: row.applianceId,
    appliance_type: row.typeId,
    unit: row.unitId,
    risk_score: row.riskScore / 100,
    risk_tier: row.riskTier,
    confidence: row.confidence,
    projected_failure_year: projectionOf(knowledge, row, row.brandTier).projectedFailureYear,
    proactive_cost: usdFromCents(proactiveCents),
    reactive_cost: usdFromCents(reactiveCents),
  };
}
