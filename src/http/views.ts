import type { Appliance } from "../domain/appliance.ts";
import type { Component } from "../domain/component.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import { usdFromCents, usdOrNull } from "../domain/money.ts";
import { failureWithin, projectionOf } from "../domain/projections.ts";
import type { Property, Unit } from "../domain/property.ts";
import { ageYears } from "../domain/scoring/virtual-age.ts";
import type { ServiceEvent } from "../domain/service-event.ts";
import { DAYS_PER_YEAR, type Instant, toIso, yearOf } from "../domain/time.ts";
import type { ComponentRow } from "../store/component-rows.ts";
import type { PropertyRow } from "../store/properties.ts";

/*
 * What is read, as it is written on the wire: the one place where domain values become snake_case JSON. Optional
 * values that are absent are null.
 */

export function propertyRowView(row: PropertyRow) {
  return {
    id: row.id,
    name: row.name,
    address: row.address,
    city: row.city,
    state: row.state,
    zip: row.zip,
    unit_count: row.unitCount,
    created_at: toIso(row.createdAt),
  };
}

export function propertyView(property: Property) {
  return {
    ...propertyRowView(property),
    year_built: property.yearBuilt,
    estimated_value: usdOrNull(property.estimatedValueCents),
    is_demo: property.isDemo,
    partner_property_id: property.partnerPropertyId,
    notes: property.notes,
    source: property.source,
    updated_at: toIso(property.updatedAt),
  };
}

export function unitView(unit: Unit) {
  return {
    id: unit.id,
    property_id: unit.propertyId,
    label: String(unit.number),
    created_at: toIso(unit.createdAt),
  };
}

export function applianceView(appliance: Appliance) {
  return {
    id: appliance.id,
    property_id: appliance.propertyId,
    unit_id: appliance.unitId,
    type_id: appliance.typeId,
    brand: appliance.brand,
    model: appliance.model,
    serial: appliance.serial,
    brand_tier: appliance.brandTier,
    install_year: appliance.installYear,
    usage_intensity: appliance.usageIntensity,
    warranty_expiry: appliance.warrantyExpiry,
    created_at: toIso(appliance.createdAt),
    updated_at: toIso(appliance.updatedAt),
  };
}

export const componentName = (knowledge: Knowledge, defId: string) => knowledge.component(defId).name;

/** The short form that creating an appliance answers with. */
export function componentStub(knowledge: Knowledge, component: Component) {
  return {
    id: component.id,
    component_def_id: component.defId,
    component_name: componentName(knowledge, component.defId),
  };
}

/** The year that the component's age counts from. */
export const installYearOf = (component: Component) =>
  component.lastReplaced === null ? component.installYear : yearOf(component.lastReplaced);

/**
 * The component view of lists: the union of both documented variants. `settledAt` is the moment of the latest
 * snapshot, when a component was last scored unless it was scored by itself since.
 */
export function componentView(knowledge: Knowledge, row: ComponentRow, settledAt: Instant | null) {
  const definition = knowledge.component(row.defId);
  const projection = projectionOf(knowledge, row, row.brandTier);
  const yearly = failureWithin(knowledge, row, row.brandTier, DAYS_PER_YEAR);
  return {
    id: row.id,
    component_id: row.id,
    component_name: definition.name,
    component_def_id: row.defId,
    appliance_id: row.applianceId,
    appliance_type: row.typeId,
    appliance_brand: row.brand,
    unit: row.unitId,
    property_id: row.propertyId,
    property_name: row.propertyName,
    risk_score: row.riskScore / 100,
    risk_tier: row.riskTier,
    confidence: row.confidence,
    age_years: round(ageYears(row, row.scoredOn), 2),
    install_year: installYearOf(row),
    last_replaced: row.lastReplaced,
    last_serviced: row.lastServiced,
    override_lifespan: row.overrideLifespan,
    projected_failure_year: projection.projectedFailureYear,
    projected_failure_range: {
      earliest: projection.projectedFailureRange.earliest,
      latest: projection.projectedFailureRange.latest,
      confidence_pct: projection.projectedFailureRange.confidencePct,
    },
    failure_probability_12m: round(yearly, 4),
    proactive_cost: usdFromCents(definition.proactiveCents),
    reactive_cost: usdFromCents(definition.reactiveCents),
    last_scored: toIso(row.rescoredAt ?? settledAt ?? row.createdAt),
  };
}

export function serviceEventView(event: ServiceEvent) {
  return {
    id: event.id,
    appliance_id: event.applianceId,
    component_id: event.componentId,
    event_type: event.eventType,
    date: event.date,
    parts_cost: usdOrNull(event.partsCostCents),
    labor_cost: usdOrNull(event.laborCostCents),
    total_cost: usdOrNull(event.totalCostCents),
    technician: event.technician,
    notes: event.notes,
    condition_after: event.conditionAfter,
    created_at: toIso(event.createdAt),
  };
}

export function round(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}
