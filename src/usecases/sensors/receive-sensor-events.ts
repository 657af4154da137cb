import {
  serializeReadingReceivedMessage,
  serializeSmartEventReceivedMessage,
} from "../../api-schemas/webhook-payload-schema.ts";
import type { Appliance } from "../../domain/appliance.ts";
import type { Component } from "../../domain/component.ts";
import { invalid, notFound } from "../../domain/errors.ts";
import {
  countryCodeOfText,
  countryOf,
  parsePostalCode,
  placeOfSubdivision,
  subdivisionOf,
  UNITED_STATES,
} from "../../domain/places/place.ts";
import { type Property, propertyNotFound } from "../../domain/property.ts";
import { checkNotRetiredRule } from "../../domain/rules/retirement-rule.ts";
import type {
  MeterEvent,
  RiskSummary,
  SensorApplianceReference,
  SensorEvent,
  SensorPropertyReference,
  SmartEvent,
} from "../../domain/sensor-event.ts";
import { type Instant, MS_PER_DAY } from "../../domain/time.ts";
import { createAppliance } from "../portfolio/create-or-change-appliance.ts";
import { createPropertyAndQueueWebhook } from "../portfolio/create-or-change-property.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { rescoreProperty } from "../rescoring/rescore.ts";

const EARLIEST: Instant = Date.UTC(1970, 0, 1);

/** Stores a meter reading and queues its webhook; scores do not change. */
export async function receiveMeterEvent(writer: PortfolioWriter, input: MeterEvent): Promise<SensorEvent> {
  const { tx, partner } = writer;
  const appliance = await tx.appliances.find(partner.id, input.applianceId);
  if (!appliance) throw notFound(`Appliance not found: ${input.applianceId}`);
  checkNotRetiredRule("Appliance", appliance);
  if (input.componentId !== null) await loadComponentOfPartner(writer, appliance, input.componentId, null);
  const event: SensorEvent = {
    ...input,
    id: tx.newId("sensorEvent"),
    partnerId: partner.id,
    propertyId: appliance.propertyId,
    kind: "meter",
    eventType: null,
    severity: null,
    notes: null,
    recordedAt: recordedAt(input.recordedAt, tx.now),
    createdAt: tx.now,
  };
  await tx.sensorEvents.insert(event);
  await writer.outbox.add(serializeReadingReceivedMessage(event));
  return event;
}

type SmartOutcome = {
  event: SensorEvent;
  property: Property;
  appliance: Appliance;
  propertyCreated: boolean;
  applianceCreated: boolean;
  /** The components that the event concerns, as scored. */
  affected: Component[];
  /** The sums over all rescored components. */
  summary: RiskSummary;
  warnings: string[];
};

/**
 * Records a smart event: finds or creates the property and appliance, rescores the appliance and announces tier
 * changes. Throws not_found for an unknown id, and invalid_request if a field needed for creation is missing.
 */
export async function receiveSmartEvent(
  writer: PortfolioWriter,
  input: SmartEvent,
  reported: "sensor.smart" | "sensor.smart.processed",
): Promise<SmartOutcome> {
  const { tx, partner, knowledge } = writer;
  const found = await resolve(writer, input);
  const { property, appliance } = found;
  const component = await loadComponentOfPartner(writer, appliance, input.componentId, input.componentDefId);
  const event: SensorEvent = {
    id: tx.newId("sensorEvent"),
    partnerId: partner.id,
    propertyId: property.id,
    applianceId: appliance.id,
    componentId: component?.id ?? null,
    kind: "smart",
    eventType: input.eventType,
    severity: input.severity,
    sensorId: input.sensorId,
    metric: input.metric,
    value: input.value,
    unit: input.unit,
    notes: input.notes,
    recordedAt: recordedAt(input.recordedAt, tx.now),
    createdAt: tx.now,
  };
  await tx.sensorEvents.insert(event);
  const scored = await rescoreProperty(writer, property, [appliance], "sensor");
  const type = knowledge.smartEvent(input.eventType);
  const affected = scored.filter((scoredComponent) =>
    component
      ? scoredComponent.id === component.id
      : scoredComponent.applianceId === appliance.id && type?.componentIds.has(scoredComponent.defId),
  );
  const summary = {
    scored: scored.length,
    critical: scored.filter((component) => component.riskTier === "CRITICAL").length,
    warning: scored.filter((component) => component.riskTier === "WARNING").length,
  };
  await writer.outbox.add(serializeSmartEventReceivedMessage(reported, event, summary));
  const warnings = type ? [] : [`Unknown event_type ${input.eventType}: stored, no effect on scores`];
  return { ...found, event, affected, summary, warnings };
}

async function resolve(writer: PortfolioWriter, input: SmartEvent) {
  const known = await findAppliance(writer, input);
  if (known) {
    checkNotRetiredRule("Appliance", known);
    const property = (await writer.tx.properties.find(writer.partner.id, known.propertyId))!;
    return { property, appliance: known, propertyCreated: false, applianceCreated: false };
  }
  const existing = await findProperty(writer, input.property);
  if (existing) checkNotRetiredRule("Property", existing);
  refuseIncomplete(input, existing);
  const property = existing ?? (await registerProperty(writer, input.property));
  const matching = existing && (await findMatchingAppliance(writer, existing, input.appliance));
  const appliance = matching ?? (await registerAppliance(writer, property, input.appliance));
  return { property, appliance, propertyCreated: !existing, applianceCreated: !matching };
}

/** Finds the appliance by id or by serial, within the property if one is given. */
async function findAppliance(writer: PortfolioWriter, { appliance, property }: SmartEvent) {
  const { tx, partner } = writer;
  if (appliance.applianceId === null && appliance.serial === null) return undefined;
  const named = await findProperty(writer, property);
  if (appliance.applianceId !== null) {
    const found = await tx.appliances.find(partner.id, appliance.applianceId);
    if (!found || (named && named.id !== found.propertyId))
      throw notFound(`Appliance not found: ${appliance.applianceId}`);
    return found;
  }
  if (named) return onlyOne(await tx.appliances.withSerial(named.id, appliance.serial!));
  if (property.partnerPropertyId !== null || property.address !== null) return undefined;
  return onlyOne(await tx.appliances.withSerialOfPartner(partner.id, appliance.serial!));
}

/**
 * Returns undefined if there is none. Several matches are ambiguous and none is used: a guess could score another
 * building.
 */
function onlyOne(found: readonly Appliance[]): Appliance | undefined {
  if (found.length < 2) return found[0];
  const message = "belongs to several appliances: specify the property, or send appliance_id instead";
  throw invalid(`serial ${message}`, [{ field: "serial", message }]);
}

/** Properties or appliances per query. */
const STEP = 500;

async function findProperty({ tx, partner }: PortfolioWriter, reference: SensorPropertyReference) {
  if (reference.propertyId !== null) {
    const found = await tx.properties.find(partner.id, reference.propertyId);
    if (!found) throw propertyNotFound();
    return found;
  }
  if (reference.partnerPropertyId !== null)
    return await tx.properties.findByReference(partner.id, reference.partnerPropertyId);
  if (reference.name === null || reference.address === null) return undefined;
  const { country, state, city, zip } = reference;
  const fiveOf = (text: string | null) => text?.slice(0, 5) ?? null;
  const matches = (given: string | null, has: string | null) =>
    given === null || has === null || given.toUpperCase() === has.toUpperCase();
  const isMeant = (property: Property) =>
    matches(country, countryOf(property.state)) &&
    matches(state, subdivisionOf(property.state)) &&
    matches(city, property.city) &&
    matches(fiveOf(zip), fiveOf(property.zip));
  const known = { name: reference.name, address: reference.address };
  for (const list of ["ofAddressAfter", "retiredOfAddressAfter"] as const)
    for (let after = 0, left = true; left; await tx.yieldToEventLoop()) {
      const some = await tx.properties[list](partner.id, known, after, STEP);
      const found = some.find(isMeant);
      if (found) return found;
      left = some.length === STEP;
      after = some.at(-1)?.seq ?? after;
    }
  return undefined;
}

/** Without a serial, an appliance that agrees in every given field is the one that is meant. */
async function findMatchingAppliance(
  { tx }: PortfolioWriter,
  property: Property,
  wanted: SensorApplianceReference,
) {
  if (wanted.serial !== null || wanted.typeId === null) return undefined;
  const agrees = <T>(given: T | null, has: T | null) => given === null || given === has;
  for (let after = 0; ; await tx.yieldToEventLoop()) {
    const some = await tx.appliances.ofPropertyAfter(property.id, after, STEP);
    const found = some.find(
      (appliance) =>
        appliance.typeId === wanted.typeId &&
        agrees(wanted.installYear, appliance.installYear) &&
        agrees(wanted.brand, appliance.brand) &&
        agrees(wanted.model, appliance.model) &&
        agrees(wanted.unitId, appliance.unitId),
    );
    if (found || some.length < STEP) return found;
    after = some.at(-1)!.seq;
  }
}

/** Throws an error that names every field that creation would need, of property and appliance together. */
function refuseIncomplete({ property, appliance }: SmartEvent, existing: Property | undefined): void {
  const lacking: string[] = [];
  if (!existing)
    for (const field of ["name", "address", "state"] as const)
      if (property[field] === null) lacking.push(field);
  const describesOne = existing !== undefined && appliance.serial === null && appliance.typeId !== null;
  if (appliance.typeId === null) lacking.push("type_id");
  const hasYear = appliance.installYear !== null || (existing !== undefined && existing.yearBuilt !== null);
  if (!hasYear && !describesOne) lacking.push("install_year");
  if (lacking.length === 0) return;
  throw invalid(
    `${lacking.join(", ")} ${lacking.length === 1 ? "is" : "are"} required to create a new ${existing ? "appliance" : "property and appliance"}`,
    lacking.map((field) => ({ field, message: "is required" })),
  );
}

async function registerProperty(
  writer: PortfolioWriter,
  reference: SensorPropertyReference,
): Promise<Property> {
  const { name, address, city, zip, partnerPropertyId, unitCount } = reference;
  const country = countryCodeOfText(reference.country ?? UNITED_STATES);
  return await createPropertyAndQueueWebhook(
    writer,
    {
      name: name!,
      address: address!,
      city,
      state: placeOfSubdivision(country, reference.state!),
      zip: zip === null ? null : parsePostalCode(country, zip),
      partnerPropertyId,
      unitCount: unitCount ?? 0,
      yearBuilt: null,
      notes: null,
    },
    { source: "sensor_event" },
  );
}

async function registerAppliance(
  writer: PortfolioWriter,
  property: Property,
  { typeId, installYear, brand, model, serial, unitId }: SensorApplianceReference,
): Promise<Appliance> {
  if (installYear === null && property.yearBuilt === null)
    throw invalid("install_year is required to create a new appliance", [
      { field: "install_year", message: "is required" },
    ]);
  const { appliance } = await createAppliance(writer, {
    propertyId: property.id,
    typeId: typeId!,
    installYear,
    brand,
    model,
    serial,
    unitId,
    brandTier: null,
    usageIntensity: null,
    warrantyExpiry: null,
  });
  return appliance;
}

async function loadComponentOfPartner(
  { tx }: PortfolioWriter,
  appliance: Appliance,
  componentId: string | null,
  defId: string | null,
): Promise<Component | undefined> {
  if (componentId === null && defId === null) return undefined;
  const found = (await tx.components.ofAppliance(appliance.id)).find(
    (component) =>
      (componentId === null || component.id === componentId) && (defId === null || component.defId === defId),
  );
  if (!found) throw notFound(`Component not found: ${componentId ?? defId}`);
  return found;
}

/** Returns the time of the event; the clock of a sensor may be ahead by at most a day. */
function recordedAt(given: Instant | null, now: Instant): Instant {
  if (given === null) return now;
  if (given >= EARLIEST && given <= now + MS_PER_DAY) return given;
  const message = "must be between 1970 and 24 hours from now";
  throw invalid(`recorded_at ${message}`, [{ field: "recorded_at", message }]);
}
