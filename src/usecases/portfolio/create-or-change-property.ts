import { serializePropertyCreatedMessage } from "../../api-schemas/webhook-payload-schema.ts";
import type { Appliance } from "../../domain/appliance.ts";
import { applianceSizeForPricing } from "../../domain/costs/appliance-size.ts";
import { conflict } from "../../domain/errors.ts";
import { countryOf, parsePostalCode, placeOfSubdivision, subdivisionOf } from "../../domain/places/place.ts";
import { postalAddressKey } from "../../domain/places/postal-address.ts";
import {
  type NewProperty,
  type Property,
  type PropertyChange,
  type PropertySource,
  propertyNotFound,
} from "../../domain/property.ts";
import { checkBuildingYearRule } from "../../domain/rules/building-year-rule.ts";
import { checkPastDayRule } from "../../domain/rules/past-day-rule.ts";
import {
  checkNotRetiredRule,
  isRetired,
  isRetirementDueByRule,
  NOT_RETIRED,
  type Retirement,
  retirementAfterChange,
  retirementRuleConflict,
} from "../../domain/rules/retirement-rule.ts";
import { dayOf, yearOf } from "../../domain/time.ts";
import type { Tx } from "../../store/store.ts";
import { loadServiceRecordStart } from "../history/move-service-record-starts.ts";
import { rescoreProperty } from "../rescoring/rescore.ts";
import { changeUnitsInProperty, createUnitsInProperty } from "./change-property-units.ts";
import { applyBuildingYearToAppliances, prepareBuildingYearRemoval } from "./create-or-change-appliance.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";
import { auditRetirement, retireOrRestoreProperty } from "./retire-records.ts";

/**
 * Creates a property with its units and queues a webhook. A partner_property_id that is in use is a conflict; with
 * `isReferenceUnused` the caller has checked it already.
 */
export async function createPropertyAndQueueWebhook(
  writer: PortfolioWriter,
  input: NewProperty,
  origin: { source: PropertySource; isDemo?: boolean; isReferenceUnused?: boolean },
): Promise<Property> {
  const { tx, partner } = writer;
  if (input.yearBuilt !== null) checkBuildingYearRule("year_built", input.yearBuilt, yearOf(dayOf(tx.now)));
  if (input.partnerPropertyId !== null && !origin.isReferenceUnused)
    await refuseTakenReference(tx, partner.id, input.partnerPropertyId);
  const createdAt = writer.rows.nextInstant();
  const today = dayOf(createdAt);
  if (input.recordsSince != null) checkPastDayRule("records_since", input.recordsSince, today);
  const property: Property = {
    ...input,
    recordsSince: input.recordsSince ?? today,
    recordsSinceGiven: input.recordsSince != null,
    estimatedValueCents: input.estimatedValueCents ?? null,
    grossAreaSqft: input.grossAreaSqft ?? null,
    stories: input.stories ?? null,
    unitLabel: input.unitLabel ?? null,
    replacementValueCents: input.replacementValueCents ?? null,
    ...NOT_RETIRED,
    addressKey: origin.isDemo ? null : postalAddressKey(input),
    mergedInto: null,
    id: tx.newId("property"),
    partnerId: partner.id,
    seq: writer.nextSeq("properties"),
    isDemo: origin.isDemo ?? false,
    source: origin.source,
    createdAt,
    updatedAt: createdAt,
  };
  await writer.insertProperty(property);
  await createUnitsInProperty(tx, property.id, 0, property.unitCount);
  await writer.outbox.add(serializePropertyCreatedMessage(property));
  return property;
}

/**
 * Changes a property. Throws not_found, and conflict if units that contain an appliance would be removed, or if it is
 * retired and the change does not bring it back.
 */
export async function changeProperty(
  writer: PortfolioWriter,
  id: string,
  change: PropertyChange,
): Promise<Property> {
  const { tx, partner } = writer;
  const stored = await tx.properties.find(partner.id, id);
  if (!stored) throw propertyNotFound();
  const { retiredAt, retiredReason, ...others } = change;
  if (retiredAt === undefined && retiredReason === undefined) {
    checkNotRetiredRule("Property", stored);
    return await changeListed(writer, stored, others);
  }
  const retirement = retirementAfterChange(stored, change);
  const staysRetired = isRetired(stored) && isRetirementDueByRule(retirement, dayOf(tx.now));
  if (staysRetired && Object.keys(others).length > 0) throw retirementRuleConflict("Property", stored);
  // Brought back, a duplicate is a property of its own again.
  const mergedInto = staysRetired ? stored.mergedInto : null;
  let after = stored;
  const changeOthers = async () => {
    if (Object.keys(others).length > 0) after = await changeListed(writer, after, others);
  };
  // The other fields change while it is listed.
  if (!isRetired(stored)) await changeOthers();
  after = { ...after, ...retirement, mergedInto, updatedAt: tx.now };
  await tx.properties.update(id, { ...retirement, mergedInto, updatedAt: tx.now });
  after = await retireOrRestoreProperty(writer, after);
  if (isRetired(stored)) await changeOthers();
  await auditRetirement(writer, "property", id, stored, retirement);
  return after;
}

async function changeListed(
  writer: PortfolioWriter,
  before: Property,
  change: Omit<PropertyChange, keyof Retirement>,
): Promise<Property> {
  const { tx, partner } = writer;
  const { id } = before;
  if (change.yearBuilt != null) checkBuildingYearRule("year_built", change.yearBuilt, yearOf(dayOf(tx.now)));
  if (change.partnerPropertyId != null && change.partnerPropertyId !== before.partnerPropertyId)
    await refuseTakenReference(tx, partner.id, change.partnerPropertyId);
  const { recordsSince, country, state, ...others } = change;
  const rest = { ...others, ...placedChange(before, change) };
  const after: Property = { ...before, ...rest, updatedAt: tx.now };
  if (!before.isDemo) after.addressKey = postalAddressKey(after);
  if (recordsSince != null) checkPastDayRule("records_since", recordsSince, dayOf(tx.now));
  if (change.yearBuilt === null && before.yearBuilt !== null) await prepareBuildingYearRemoval(tx, id);
  // All other checks come before it, so that a refused change has written nothing.
  if (change.unitCount !== undefined) await changeUnitsInProperty(tx, id, change.unitCount);
  if (change.unitCount !== undefined || change.grossAreaSqft !== undefined) writer.markPlanStale(id);
  if (recordsSince !== undefined) {
    after.recordsSince = recordsSince ?? (await loadServiceRecordStart(writer, before));
    after.recordsSinceGiven = recordsSince !== null;
  }
  const { updatedAt, recordsSinceGiven, addressKey: key } = after;
  await tx.properties.update(id, {
    ...rest,
    updatedAt,
    recordsSince: after.recordsSince,
    recordsSinceGiven,
    addressKey: key,
  });
  if (PRICED_FIELDS.some((field) => after[field] !== before[field])) await reprice(writer, before, after);
  if (after.state !== before.state) await moveComponents(tx, after);
  if (after.yearBuilt !== before.yearBuilt) await applyBuildingYearToAppliances(writer, after);
  if (SCORED_FIELDS.some((field) => after[field] !== before[field]))
    await rescoreProperty(writer, after, "all", "history");
  return after;
}

/** Returns the changed place. Throws invalid_request for a state or a postal code that the country does not have. */
function placedChange(before: Property, { country, state, zip }: PropertyChange): Partial<Property> {
  if (country === undefined && state === undefined && zip === undefined) return {};
  const where = country ?? countryOf(before.state);
  const code = zip === undefined ? before.zip : zip;
  return {
    state: placeOfSubdivision(where, state ?? subdivisionOf(before.state)),
    zip: code === null ? null : parsePostalCode(where, code),
  };
}

/** Returns the property created before this one that has its address. */
export async function findFirstPropertyOfAddress(
  { tx, partner }: Pick<PortfolioWriter, "tx" | "partner">,
  property: Property,
): Promise<{ id: string; name: string } | undefined> {
  const { id, addressKey: key } = property;
  if (key === null || isRetired(property)) return undefined;
  const first = await tx.properties.firstOfAddress(partner.id, key);
  return first?.id === id ? undefined : first;
}

/** Returns what is probably wrong about a property: that one created before it has its address. */
export async function loadDuplicateWarnings(writer: PortfolioWriter, property: Property): Promise<string[]> {
  const first = await findFirstPropertyOfAddress(writer, property);
  if (!first) return [];
  return [
    `property ${first.id} (${JSON.stringify(first.name)}) has the same address. If it is the same building, merge this one into it: POST /v1/properties/${first.id}/merge with from: ${property.id}`,
  ];
}

const SCORED_FIELDS = ["state", "yearBuilt", "recordsSince"] as const;

const PRICED_FIELDS = ["state", "unitCount", "grossAreaSqft", "stories"] as const;
const MOVED_AT_ONCE = 500;

/** Notes the appliances whose costs follow a change of the property, so that its sums do. */
async function reprice(writer: PortfolioWriter, before: Property, after: Property): Promise<void> {
  const { tx, knowledge } = writer;
  const hasOtherCosts = (appliance: Appliance) => {
    const type = knowledge.type(appliance.typeId);
    return (
      before.state !== after.state ||
      applianceSizeForPricing(type, appliance, before) !== applianceSizeForPricing(type, appliance, after)
    );
  };
  for (let last: number | undefined = 0; last !== undefined; await tx.yieldToEventLoop()) {
    const some: Appliance[] = await tx.appliances.ofPropertyAfter(after.id, last, MOVED_AT_ONCE);
    for (const one of some) if (hasOtherCosts(one)) writer.priceChanges(one, before);
    last = some.length < MOVED_AT_ONCE ? undefined : some.at(-1)!.seq;
  }
  writer.seePlace(after);
}

/** Copies the property's state to its components; alerts are filtered by it. */
async function moveComponents(tx: Tx, { id, state }: Property): Promise<void> {
  let last: number | undefined = 0;
  while (last !== undefined) {
    last = await tx.components.setState(id, state, last, MOVED_AT_ONCE);
    await tx.yieldToEventLoop();
  }
}

async function refuseTakenReference(tx: Tx, partnerId: string, reference: string): Promise<void> {
  const taken = await tx.properties.findByReference(partnerId, reference);
  if (taken) throw conflict(`partner_property_id is already in use by property ${taken.id}`);
}
