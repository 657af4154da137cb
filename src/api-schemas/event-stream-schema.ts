import type { Appliance } from "../domain/appliance.ts";
import type { PlacedComponent } from "../domain/component.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import { countryOf, subdivisionOf } from "../domain/places/place.ts";
import type { Property } from "../domain/property.ts";
import type { ServiceEvent } from "../domain/service-event.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { appliance } from "./appliance-schema.ts";
import { component } from "./component-schema.ts";
import { jsonScoreFromHundredths, jsonUsdFromCentsOrNull } from "./definition/json-unit-conversion.ts";
import {
  anyOfSchema,
  enumSchema,
  instantSchema,
  objectSchema,
  textSchema,
} from "./definition/schema-field-types.ts";
import { pageSchema } from "./paging-schema.ts";
import { property } from "./property-schema.ts";
import { serviceEvent } from "./service-event-schema.ts";

/* The entries of the event stream, distinguished by `type`. */

const dataDescription = "The event data";
const timestamp = instantSchema("When the event occurred");

const propertyData = objectSchema({
  id: property.fields.id,
  name: property.fields.name,
  address: property.fields.address,
  city: property.fields.city,
  country: property.fields.country,
  state: property.fields.state,
  source: property.fields.source,
});
const propertyEntry = objectSchema({
  type: enumSchema(["property.created"], "A property was created"),
  timestamp,
  data: propertyData.describedAs(dataDescription),
});

type StreamedProperty = Pick<Property, "id" | "name" | "address" | "city" | "state" | "source">;
export const serializePropertyEntry = propertyEntry.serializer((at: Instant, property: StreamedProperty) => ({
  type: "property.created",
  timestamp: isoTextOfInstant(at),
  data: {
    id: property.id,
    name: property.name,
    address: property.address,
    city: property.city,
    country: countryOf(property.state),
    state: subdivisionOf(property.state),
    source: property.source,
  },
}));

const applianceEntry = objectSchema({
  type: enumSchema(["appliance.created"], "An appliance was created"),
  timestamp,
  data: objectSchema({
    id: appliance.fields.id,
    type_id: appliance.fields.type_id,
    property_id: appliance.fields.property_id,
  }).describedAs(dataDescription),
});

type StreamedAppliance = Pick<Appliance, "id" | "typeId" | "propertyId">;
export const serializeApplianceEntry = applianceEntry.serializer(
  (at: Instant, appliance: StreamedAppliance) => ({
    type: "appliance.created",
    timestamp: isoTextOfInstant(at),
    data: { id: appliance.id, type_id: appliance.typeId, property_id: appliance.propertyId },
  }),
);

const serviceEventEntry = objectSchema({
  type: enumSchema(["service_event.created"], "A service event was created"),
  timestamp,
  data: objectSchema({
    id: serviceEvent.fields.id,
    event_type: serviceEvent.fields.event_type,
    appliance_id: serviceEvent.fields.appliance_id,
    total_cost: serviceEvent.fields.total_cost,
    date: serviceEvent.fields.date,
    voided: serviceEvent.fields.voided,
  }).describedAs(dataDescription),
});

type StreamedServiceEvent = Pick<
  ServiceEvent,
  "id" | "eventType" | "applianceId" | "totalCostCents" | "date" | "voidedAt"
>;
export const serializeServiceEventEntry = serviceEventEntry.serializer(
  (at: Instant, event: StreamedServiceEvent) => ({
    type: "service_event.created",
    timestamp: isoTextOfInstant(at),
    data: {
      id: event.id,
      event_type: event.eventType,
      appliance_id: event.applianceId,
      total_cost: jsonUsdFromCentsOrNull(event.totalCostCents),
      date: event.date,
      voided: event.voidedAt !== null,
    },
  }),
);

const elevatedEntry = objectSchema({
  type: enumSchema(
    ["component.critical", "component.warning"],
    "A component is currently CRITICAL or WARNING",
  ),
  timestamp: instantSchema("When the component was last scored"),
  data: objectSchema({
    id: component.fields.id.describedAs("The component"),
    component_name: component.fields.component_name,
    component_def_id: component.fields.component_def_id,
    appliance_id: component.fields.appliance_id,
    appliance_type: component.fields.appliance_type,
    risk_score: component.fields.risk_score,
    risk_tier: component.fields.risk_tier,
    property_id: component.fields.property_id,
  }).describedAs(dataDescription),
});

export const serializeElevatedComponentEntry = elevatedEntry.serializer(
  (knowledge: Knowledge, row: PlacedComponent, at: Instant) => ({
    type: row.riskTier === "CRITICAL" ? "component.critical" : "component.warning",
    timestamp: isoTextOfInstant(at),
    data: {
      id: row.id,
      component_name: knowledge.component(row.defId).name,
      component_def_id: row.defId,
      appliance_id: row.applianceId,
      appliance_type: row.typeId,
      risk_score: jsonScoreFromHundredths(row.riskScore),
      risk_tier: row.riskTier,
      property_id: row.propertyId,
    },
  }),
);

export const eventPage = pageSchema(
  "events",
  anyOfSchema(propertyEntry, applianceEntry, serviceEventEntry, elevatedEntry),
  { since: textSchema("The requested timestamp, as given", "2026-10-21T00:00:00Z") },
);
