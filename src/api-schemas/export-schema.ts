import type { Appliance } from "../domain/appliance.ts";
import type { Claim } from "../domain/claim.ts";
import { type PlacedComponent, tierOfHundredths } from "../domain/component.ts";
import type { StoredCostLine } from "../domain/costs/cost-book-lines.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import type { Delivery } from "../domain/delivery.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import type { EmbedView, ListedEmbed } from "../domain/embed.ts";
import type { ConditionPoint } from "../domain/figures/condition-trend.ts";
import { DELIVERY_STATUSES, type Partner, type WebhookEvent } from "../domain/partner.ts";
import type { Photo } from "../domain/photo.ts";
import type { Action } from "../domain/planning/action.ts";
import type { Property, Unit } from "../domain/property.ts";
import type { Brand } from "../domain/rules/partner-brand-rule.ts";
import type { TrendRow } from "../domain/rules/score-trend-rule.ts";
import type { SavedFilter } from "../domain/saved-filter.ts";
import type { SensorEvent } from "../domain/sensor-event.ts";
import type { EventType, ServiceEvent } from "../domain/service-event.ts";
import { type Day, type Instant, isoTextOfInstant } from "../domain/time.ts";
import type { Work } from "../domain/work-mark.ts";
import { serializeActionOrNull } from "./action-schema.ts";
import { appliance, serializeAppliance } from "./appliance-schema.ts";
import { serializeStoredClaim, storedClaim } from "./claim-schema.ts";
import { component, ownedComponent, serializeComponent } from "./component-schema.ts";
import { conditionPoint, serializeConditionPoint } from "./condition-trend-schema.ts";
import { costLine, serializeCostLine } from "./cost-book-schema.ts";
import type { Fields, JsonOf, RecordType } from "./definition/api-schema-type.ts";
import { jsonInstantOrNull, jsonScoreFromHundredths } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  idSchema,
  instantSchema,
  mapSchema,
  numberSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { delivery } from "./delivery-schema.ts";
import { embed, serializeEmbed } from "./embed-schema.ts";
import { brand, serializeBrand } from "./partner-brand-schema.ts";
import { photoFields } from "./photo-schema.ts";
import { property, serializeProperty, serializeUnit, unit } from "./property-schema.ts";
import { savedFilter, serializeSavedFilter } from "./saved-filter-schema.ts";
import { ageYearsField, riskScore, riskTier } from "./score-schema.ts";
import { sensorEventFields } from "./sensor-event-schema.ts";
import { serializeServiceEvent, serviceEvent } from "./service-event-schema.ts";
import { markedWork, workMarkJson } from "./work-mark-schema.ts";

/*
 * The lines of an export: one JSON object per line, distinguished by `type`. Every field is listed, so that a new column
 * of a table is only exported once it is added here.
 */

const lineOf = <const K extends string, F extends Fields>(type: K, record: RecordType<F>) =>
  objectSchema({ type: enumSchema([type], "Type of the record"), ...record.fields });

const partnerLine = objectSchema({
  type: enumSchema(["partner"], "Type of the record"),
  id: idSchema("PARTNER", "The partner's ID"),
  name: textSchema("The partner's company name", "Acme Insurance"),
  created_at: instantSchema("When the partner was created"),
  exported_at: instantSchema("When the export started"),
});

export const serializePartnerLine = partnerLine.serializer((partner: Partner, now: Instant) => ({
  type: "partner",
  id: partner.id,
  name: partner.name,
  created_at: isoTextOfInstant(partner.createdAt),
  exported_at: isoTextOfInstant(now),
}));

const endLine = objectSchema({
  type: enumSchema(["end"], "Type of the record"),
  finished_at: instantSchema("When the export ended"),
  counts: mapSchema("Number of records by type", wholeNumberSchema("Number of records", 12)),
});

/** Serializes the last line. A file without one is incomplete. */
export const serializeEndLine = endLine.serializer(
  (now: Instant, counts: Readonly<Record<string, number>>) => ({
    type: "end",
    finished_at: isoTextOfInstant(now),
    counts: { ...counts },
  }),
);

const propertyLine = lineOf("property", property);
export const serializePropertyLine = propertyLine.serializer((property: Property) => ({
  type: "property",
  ...serializeProperty(property),
}));

const unitLine = lineOf("unit", unit);
export const serializeUnitLine = unitLine.serializer((unit: Unit) => ({
  type: "unit",
  ...serializeUnit(unit),
}));

const applianceLine = lineOf("appliance", appliance);
export const serializeApplianceLine = applianceLine.serializer(
  (knowledge: Knowledge, appliance: Appliance) => ({
    type: "appliance",
    ...serializeAppliance(knowledge, appliance),
  }),
);

const componentLine = lineOf("component", ownedComponent);
export const serializeComponentLine = componentLine.serializer(
  (
    prices: PriceList,
    row: PlacedComponent,
    action: Action | undefined,
    latestSnapshotAt: Instant | null,
  ) => ({
    type: "component",
    ...serializeComponent(prices, row, latestSnapshotAt),
    ...serializeActionOrNull(action),
  }),
);

const { service_event_id: _, ...workMarkFields } = markedWork.fields;
const workMarkLine = objectSchema({
  type: enumSchema(["work_mark"], "Type of the record"),
  ...workMarkFields,
});
export const serializeWorkMarkLine = workMarkLine.serializer((work: Work) => ({
  type: "work_mark",
  ...workMarkJson(work),
}));

const serviceEventLine = lineOf("service_event", serviceEvent);
export const serializeServiceEventLine = serviceEventLine.serializer((event: ServiceEvent) => ({
  type: "service_event",
  ...serializeServiceEvent(event),
}));

const claimLine = lineOf("claim", storedClaim);
export const serializeClaimLine = claimLine.serializer((claim: Claim) => ({
  type: "claim",
  ...serializeStoredClaim(claim),
}));

const costLineLine = lineOf("cost_line", costLine);
export const serializeCostLineLine = costLineLine.serializer((line: StoredCostLine) => ({
  type: "cost_line",
  ...serializeCostLine(line),
}));

const savedFilterLine = lineOf("saved_filter", savedFilter);
export const serializeSavedFilterLine = savedFilterLine.serializer((filter: SavedFilter) => ({
  type: "saved_filter",
  ...serializeSavedFilter(filter),
}));

const { partner_id: _partner, ...brandFields } = brand.fields;
const brandLine = objectSchema({ type: enumSchema(["brand"], "Type of the record"), ...brandFields });
export const serializeBrandLine = brandLine.serializer((looks: Brand) => {
  const { partner_id: _, ...view } = serializeBrand("", looks);
  return { type: "brand", ...view };
});

const { embed_id: embedId, partner_id: _owner, ...embedFields } = embed.fields;
const embedLine = objectSchema({
  type: enumSchema(["embed"], "Type of the record"),
  id: embedId,
  ...embedFields,
});
export const serializeEmbedLine = embedLine.serializer((listed: ListedEmbed, now: Instant) => {
  const { embed_id: id, partner_id: _, ...view } = serializeEmbed(listed, now);
  return { type: "embed", id, ...view };
});

const embedViewLine = objectSchema({
  type: enumSchema(["embed_view"], "Type of the record"),
  embed_id: embedId,
  viewed_at: instantSchema("When the page was viewed"),
  address: textSchema("IP address of the viewer", "203.0.113.7"),
});
export const serializeEmbedViewLine = embedViewLine.serializer(
  (id: string, { viewedAt, address }: EmbedView) => ({
    type: "embed_view",
    embed_id: id,
    viewed_at: isoTextOfInstant(viewedAt),
    address,
  }),
);

const sensorEventLine = objectSchema({
  type: enumSchema(["sensor_event"], "Type of the record"),
  id: idSchema("PE", "The sensor event's ID"),
  property_id: sensorEventFields.property_id,
  appliance_id: sensorEventFields.appliance_id,
  component_id: sensorEventFields.component_id,
  kind: enumSchema(["meter", "smart"], "Meter reading or smart sensor event"),
  event_type: sensorEventFields.event_type.orNull(),
  severity: sensorEventFields.severity.orNull(),
  sensor_id: sensorEventFields.sensor_id,
  metric: sensorEventFields.metric.orNull(),
  value: sensorEventFields.value.orNull(),
  unit: sensorEventFields.unit,
  notes: sensorEventFields.notes,
  recorded_at: sensorEventFields.recorded_at,
  created_at: instantSchema("When it was received"),
});

export const serializeSensorEventLine = sensorEventLine.serializer((event: SensorEvent) => ({
  type: "sensor_event",
  id: event.id,
  property_id: event.propertyId,
  appliance_id: event.applianceId,
  component_id: event.componentId,
  kind: event.kind,
  event_type: event.eventType,
  severity: event.severity,
  sensor_id: event.sensorId,
  metric: event.metric,
  value: event.value,
  unit: event.unit,
  notes: event.notes,
  recorded_at: isoTextOfInstant(event.recordedAt),
  created_at: isoTextOfInstant(event.createdAt),
}));

const photoLine = objectSchema({
  type: enumSchema(["photo"], "Type of the record"),
  id: idSchema("PH", "The photo's ID"),
  appliance_id: idSchema("A", "The appliance"),
  ...photoFields,
  media_type: textSchema("Media type of the image", "image/jpeg"),
  bytes: wholeNumberSchema("Size of the file in bytes", 183_760),
  sha256: textSchema("SHA-256 of the file, in hexadecimal", "9f86d081884c7d659a2feaa0c55ad015…"),
});

export const serializePhotoLine = photoLine.serializer((photo: Photo) => ({
  type: "photo",
  id: photo.id,
  appliance_id: photo.applianceId,
  service_event_id: photo.serviceEventId,
  filename: photo.filename,
  original_name: photo.originalName,
  media_type: photo.mediaType,
  bytes: photo.bytes,
  sha256: photo.sha256,
  uploaded_at: isoTextOfInstant(photo.uploadedAt),
}));

const trendLine = objectSchema({
  type: enumSchema(["trend_row"], "Type of the record"),
  component_id: component.fields.component_id,
  day: daySchema("First date of the score, which applies until the component's next row"),
  risk_score: riskScore,
});

export const serializeTrendRowLine = trendLine.serializer((row: TrendRow & { componentId: string }) => ({
  type: "trend_row",
  component_id: row.componentId,
  day: row.day,
  risk_score: jsonScoreFromHundredths(row.riskScore),
}));

const conditionTrendLine = objectSchema({
  type: enumSchema(["condition_trend_row"], "Type of the record"),
  property_id: idSchema("P", "The property; null for the portfolio").orNull(),
  ...conditionPoint.fields,
});
export const serializeConditionTrendLine = conditionTrendLine.serializer(
  (propertyId: string | null, point: ConditionPoint) => ({
    type: "condition_trend_row",
    property_id: propertyId,
    ...serializeConditionPoint(point),
  }),
);

const outcomeLine = objectSchema({
  type: enumSchema(["outcome"], "Type of the record"),
  service_event_id: idSchema("SE", "The service event that ended the component's life"),
  component_id: component.fields.component_id,
  def_id: component.fields.component_def_id,
  event_type: textSchema("Type of service", "Replacement"),
  date: serviceEvent.fields.date,
  age_years: ageYearsField,
  probability: numberSchema("Probability of failure just before the event", 0.8134, {
    minimum: 0,
    maximum: 1,
  }),
  risk_score: riskScore.describedAs("Score just before the event"),
  model_version: textSchema("Version of the scoring model", "2"),
  created_at: instantSchema("When the record was created"),
  risk_tier: riskTier.describedAs("Tier just before the event"),
});

type Outcome = {
  serviceEventId: string;
  componentId: string;
  defId: string;
  eventType: EventType | string;
  date: Day;
  ageYears: number;
  probability: number;
  riskScore: number;
  modelVersion: string;
  createdAt: Instant;
};
export const serializeOutcomeLine = outcomeLine.serializer((outcome: Outcome) => ({
  type: "outcome",
  service_event_id: outcome.serviceEventId,
  component_id: outcome.componentId,
  def_id: outcome.defId,
  event_type: outcome.eventType,
  date: outcome.date,
  age_years: outcome.ageYears,
  probability: outcome.probability,
  risk_score: jsonScoreFromHundredths(outcome.riskScore),
  model_version: outcome.modelVersion,
  created_at: isoTextOfInstant(outcome.createdAt),
  risk_tier: tierOfHundredths(outcome.riskScore),
}));

const deliveryLine = objectSchema({
  type: enumSchema(["delivery"], "Type of the record"),
  id: delivery.fields.id,
  event: delivery.fields.event,
  request_id: delivery.fields.request_id,
  status: enumSchema(DELIVERY_STATUSES, "Whether it is pending, was delivered, or failed in all attempts"),
  attempts: delivery.fields.attempt_count,
  created_at: delivery.fields.created_at,
  finished_at: delivery.fields.finished_at,
});

type ExportedDelivery = Pick<
  Delivery,
  "id" | "event" | "requestId" | "status" | "attempts" | "createdAt" | "finishedAt"
>;
export const serializeDeliveryLine = deliveryLine.serializer((delivery: ExportedDelivery) => ({
  type: "delivery",
  id: delivery.id,
  event: delivery.event as WebhookEvent,
  request_id: delivery.requestId,
  status: delivery.status,
  attempts: delivery.attempts,
  created_at: isoTextOfInstant(delivery.createdAt),
  finished_at: jsonInstantOrNull(delivery.finishedAt),
}));

/** A line of an export. */
export type ExportLine = JsonOf<
  | typeof partnerLine
  | typeof endLine
  | typeof propertyLine
  | typeof unitLine
  | typeof applianceLine
  | typeof componentLine
  | typeof workMarkLine
  | typeof serviceEventLine
  | typeof claimLine
  | typeof costLineLine
  | typeof savedFilterLine
  | typeof brandLine
  | typeof embedLine
  | typeof embedViewLine
  | typeof sensorEventLine
  | typeof photoLine
  | typeof trendLine
  | typeof conditionTrendLine
  | typeof outcomeLine
  | typeof deliveryLine
>;
