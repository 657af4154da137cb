import type { Appliance } from "../../domain/appliance.ts";
import { conflict, invalid } from "../../domain/errors.ts";
import { type Property, propertyNotFound } from "../../domain/property.ts";
import { isRetired, refuseRetired } from "../../domain/retirement.ts";
import { dayOf } from "../../domain/time.ts";
import { renewRecords } from "../history/service-record.ts";
import { followYearBuilt } from "./appliances.ts";
import { moveToProperty } from "./moved-appliance.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";
import { changeProperty } from "./properties.ts";
import { rescore } from "./rescore.ts";

/** Records read by one query. */
const APPLIANCES_A_STEP = 100;
const CLAIMS_A_STEP = 500;

/** The fields that the property takes from its duplicate where it has none itself. */
const FILLED = [
  "city",
  "zip",
  "yearBuilt",
  "estimatedValueCents",
  "grossAreaSqft",
  "stories",
  "unitLabel",
  "replacementValueCents",
  "notes",
  "partnerPropertyId",
] as const;

/**
 * Merges a duplicate into a property, which then has its appliances, events, claims and embeds, and the fields that it had
 * not. The duplicate is retired and names the property. To merge it again changes nothing. Throws not_found,
 * invalid_request for a merge with itself, and conflict for a retired or a demo property.
 */
export async function mergeProperties(
  writer: PortfolioWriter,
  { into: intoId, from: fromId }: { into: string; from: string },
): Promise<Property> {
  const { tx, partner } = writer;
  const into = await tx.properties.find(partner.id, intoId);
  if (!into) throw propertyNotFound();
  if (fromId === intoId)
    throw invalid("from: a property cannot be merged with itself", [
      { field: "from", message: "is the property itself: name its duplicate" },
    ]);
  const from = await tx.properties.find(partner.id, fromId);
  if (!from) throw propertyNotFound();
  if (from.mergedInto === into.id) return into;
  refuseRetired("Property", into);
  refuseRetired("Property", from);
  if (into.isDemo || from.isDemo) throw conflict("The demo property cannot be merged");
  const merged = await takeFields(writer, into, from);
  const appliances = await moveAppliances(writer, from, merged);
  await followYearBuilt(tx, merged);
  const claims = await moveClaims(writer, from, merged);
  await tx.embeds.moveOfProperty(from.id, into.id);
  const [renewed = merged] = await renewRecords(writer, [merged]);
  await rescore(writer, renewed, "all", "history");
  await writer.auditCorrection("property.merge", into.id, {}, { from: from.id, appliances, claims });
  return renewed;
}

/** Retires the duplicate, and gives the property the larger number of units and the fields that it lacks. */
async function takeFields(writer: PortfolioWriter, into: Property, from: Property): Promise<Property> {
  const { tx } = writer;
  const taken = Object.fromEntries(
    FILLED.flatMap((field) =>
      into[field] === null && from[field] !== null ? [[field, from[field]] as const] : [],
    ),
  );
  if ("partnerPropertyId" in taken) await tx.properties.update(from.id, { partnerPropertyId: null });
  const recordsSince =
    from.recordsSinceGiven && !into.recordsSinceGiven ? { recordsSince: from.recordsSince } : {};
  const unitCount = Math.max(into.unitCount, from.unitCount);
  return await changeProperty(writer, into.id, { ...taken, ...recordsSince, unitCount });
}

/** Moves all appliances, retired ones too; returns their number. The duplicate is retired then. */
async function moveAppliances(writer: PortfolioWriter, from: Property, into: Property): Promise<number> {
  const { tx } = writer;
  const unitOf = await unitsByNumber(writer, from, into);
  let moved = 0;
  const move = async (some: readonly Appliance[]) => {
    for (const appliance of some) {
      const unitId = appliance.unitId === null ? null : unitOf(appliance.unitId);
      await tx.appliances.update(appliance.id, { propertyId: into.id, unitId, updatedAt: tx.now });
      // The sums leave out a retired one.
      if (!isRetired(appliance)) writer.moveSums(appliance, into.id);
      await moveToProperty(writer, appliance, into);
      moved++;
    }
    return some.length === APPLIANCES_A_STEP;
  };
  // Moved records are in the list of the other property by then.
  while (await move(await tx.appliances.ofPropertyAfter(from.id, 0, APPLIANCES_A_STEP)))
    await tx.yieldToEventLoop();
  while (await move(await tx.appliances.retiredOfPropertyAfter(from.id, 0, APPLIANCES_A_STEP)))
    await tx.yieldToEventLoop();
  const reason = `Merged into ${into.id}`;
  await changeProperty(writer, from.id, { retiredAt: dayOf(tx.now), retiredReason: reason });
  await tx.properties.update(from.id, { mergedInto: into.id });
  return moved;
}

/** Returns a function from a unit of the duplicate to that of the property with the same number. */
async function unitsByNumber({ tx }: PortfolioWriter, from: Property, into: Property) {
  const all = { limit: into.unitCount, offset: 0 };
  const ids = new Map((await tx.units.page(into.id, all)).map(({ number, id }) => [number, id]));
  const numbers = new Map((await tx.units.page(from.id, all)).map(({ number, id }) => [id, number]));
  return (unitId: string): string | null => ids.get(numbers.get(unitId) ?? 0) ?? null;
}

/** Moves the claims whose numbers the property does not have; returns how many. */
async function moveClaims({ tx }: PortfolioWriter, from: Property, into: Property): Promise<number> {
  let moved = 0;
  for (let last = { dateOfLoss: "", id: "" }; ; await tx.yieldToEventLoop()) {
    const some = await tx.claims.countedAfter(from.id, last, CLAIMS_A_STEP);
    const numbers = some.flatMap(({ claimNumber }) => claimNumber ?? []);
    const known = await tx.claims.ofNumbers(into.id, numbers);
    const taken = new Set(known.map(({ claimNumber }) => claimNumber));
    const moving = some.filter(({ claimNumber }) => claimNumber === null || !taken.has(claimNumber));
    await tx.claims.move(
      moving.map(({ id }) => id),
      into.id,
    );
    moved += moving.length;
    if (some.length < CLAIMS_A_STEP) return moved;
    last = some.at(-1)!;
  }
}
