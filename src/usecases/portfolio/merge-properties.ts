import { serializeProperty } from "../../api-schemas/property-schema.ts";
import type { Appliance } from "../../domain/appliance.ts";
import { conflict, invalid } from "../../domain/errors.ts";
import { type Property, propertyNotFound } from "../../domain/property.ts";
import { checkNotRetiredRule, isRetired } from "../../domain/rules/retirement-rule.ts";
import { dayOf } from "../../domain/time.ts";
import { cutText } from "../../domain/wording/cut-text-wording.ts";
import type { CountedClaim } from "../../store/queries/claims-queries.ts";
import { rederiveServiceRecordStarts } from "../history/move-service-record-starts.ts";
import { rescoreProperty } from "../rescoring/rescore.ts";
import { applyBuildingYearToAppliances } from "./create-or-change-appliance.ts";
import { changeProperty, loadDuplicateWarnings } from "./create-or-change-property.ts";
import { moveApplianceToProperty } from "./move-appliance.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";

/** Records read by one query. */
const APPLIANCES_A_STEP = 100;
const CLAIMS_A_STEP = 500;
const UNITS_A_STEP = 1_000;
/** The claims that warnings name. */
const CLAIMS_NAMED = 20;

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

/** A property after a merge, and what its partner must know of it. */
type Merged = { property: Property; warnings: string[] };

/**
 * Merges a duplicate into a property, which then has its appliances, events, claims and embeds, and the fields that it had
 * not. The duplicate is retired and names the property. To merge it again changes nothing. Throws not_found,
 * invalid_request for a merge with itself, and conflict for a retired or a demo property.
 */
export async function mergeProperties(
  writer: PortfolioWriter,
  { into: intoId, from: fromId }: { into: string; from: string },
): Promise<Merged> {
  const { tx, partner } = writer;
  const into = await tx.properties.find(partner.id, intoId);
  if (!into) throw propertyNotFound();
  if (fromId === intoId)
    throw invalid("from: a property cannot be merged with itself", [
      { field: "from", message: "is the property itself: specify its duplicate" },
    ]);
  const from = await tx.properties.find(partner.id, fromId);
  if (!from) throw propertyNotFound();
  if (from.mergedInto === into.id && isRetired(from))
    return { property: into, warnings: await loadDuplicateWarnings(writer, into) };
  checkNotRetiredRule("Property", into);
  checkNotRetiredRule("Property", from);
  if (into.isDemo || from.isDemo) throw conflict("The demo property cannot be merged");
  const merged = await takeFields(writer, into, from);
  const appliances = await moveAppliances(writer, from, merged);
  await applyBuildingYearToAppliances(writer, merged);
  const claims = await moveClaims(writer, from, merged);
  await tx.embeds.moveOfProperty(from.id, into.id);
  const moved = await rederiveServiceRecordStarts(writer, [merged, from]);
  const property = moved.find(({ id }) => id === into.id) ?? merged;
  await rescoreProperty(writer, property, "all", "history");
  await writer.auditCorrection("property.merge", into.id, serializeProperty(into), {
    ...serializeProperty(property),
    from: from.id,
    appliances,
    claims: claims.moved,
    ...(claims.left > 0 && { claims_left: claims.left }),
    ...(claims.warnings.length > 0 && { claims_to_check: claims.warnings }),
  });
  const warnings = [
    ...unitWarnings(into, property),
    ...claims.warnings,
    ...(await loadDuplicateWarnings(writer, property)),
  ];
  return { property, warnings };
}

function unitWarnings({ unitCount: before }: Property, { unitCount: now }: Property): string[] {
  if (before === now || before === 0) return [];
  return [
    `unit_count is now ${now}, as the duplicate had, instead of ${before}: costs by the number of units follow. Correct it if ${before} is right`,
  ];
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
      await moveApplianceToProperty(writer, appliance, into);
      await tx.yieldToEventLoop();
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
  const ids = new Map<number, string>();
  const numbers = new Map<string, number>();
  for (let offset = 0; offset < into.unitCount; offset += UNITS_A_STEP) {
    const some = { limit: UNITS_A_STEP, offset };
    for (const { number, id } of await tx.units.page(into.id, some)) ids.set(number, id);
    for (const { number, id } of await tx.units.page(from.id, some)) numbers.set(id, number);
    await tx.yieldToEventLoop();
  }
  return (unitId: string): string | null => ids.get(numbers.get(unitId) ?? 0) ?? null;
}

/** The claims of a duplicate after its merge: how many moved and stayed, and warnings that name those to check. */
type MovedClaims = { moved: number; left: number; warnings: string[] };

/**
 * Moves the claims. One with a number that a claim of the property has stays if it is of the same type and day, as the same
 * loss recorded twice, and moves with another number if not.
 */
async function moveClaims(writer: PortfolioWriter, from: Property, into: Property): Promise<MovedClaims> {
  const { tx } = writer;
  const result: MovedClaims = { moved: 0, left: 0, warnings: [] };
  const copies = new Map<string, number>();
  let toCheck = 0;
  const warn = (text: string) => {
    if (++toCheck <= CLAIMS_NAMED) result.warnings.push(text);
  };
  for (let last = { dateOfLoss: "", id: "" }; ; await tx.yieldToEventLoop()) {
    const some = await tx.claims.countedAfter(from.id, last, CLAIMS_A_STEP);
    const numbers = some.flatMap(({ claimNumber }) => claimNumber ?? []);
    const known = Map.groupBy(await tx.claims.ofNumbers(into.id, numbers), ({ claimNumber }) => claimNumber!);
    const namesakesOf = ({ claimNumber, voidedAt }: CountedClaim) =>
      claimNumber === null || voidedAt !== null ? [] : (known.get(claimNumber) ?? []);
    const free = some.filter((claim) => namesakesOf(claim).length === 0);
    await tx.claims.move(
      free.map(({ id }) => id),
      into.id,
    );
    result.moved += free.length;
    for (const claim of some) {
      const [namesake, ...others] = namesakesOf(claim);
      if (!namesake) continue;
      const same = [namesake, ...others].find((other) => isSameLoss(claim, other));
      if (same) {
        result.left++;
        warn(
          `claim ${claim.id} stays with the duplicate: claim ${same.id} has its number, ${claim.claimNumber}, its type and its date of loss. If its amounts are the right ones, correct ${same.id}`,
        );
        continue;
      }
      const number = await renumber(writer, claim, into, copies);
      result.moved++;
      await tx.yieldToEventLoop();
      warn(
        `claim ${claim.id} has the claim_number "${number}" now: claim ${namesake.id} of the property has "${claim.claimNumber}". If they are one claim, void one; otherwise give it its own number`,
      );
    }
    if (some.length < CLAIMS_A_STEP) break;
    last = some.at(-1)!;
  }
  if (toCheck > CLAIMS_NAMED)
    result.warnings.push(`${toCheck - CLAIMS_NAMED} more claims had numbers of claims of the property`);
  return result;
}

const isSameLoss = (a: CountedClaim, b: Pick<CountedClaim, "claimType" | "dateOfLoss">) =>
  a.claimType === b.claimType && a.dateOfLoss === b.dateOfLoss;

/**
 * Moves a claim with a number that no claim of the property has, with an entry in the audit log. Returns the number. `copies`
 * has the last copy of each number: thousands of claims may be cut to the same one, and each would try all copies again.
 */
async function renumber(
  writer: PortfolioWriter,
  { id, claimNumber }: CountedClaim,
  into: Property,
  copies: Map<string, number>,
): Promise<string> {
  const { tx } = writer;
  const isTaken = async (number: string) => (await tx.claims.ofNumbers(into.id, [number])).length > 0;
  // A stored text has 500 characters at most.
  const start = cutText(claimNumber!, 480);
  const copyOf = (copy: number) => `${start} (${copy})`;
  let taken = copies.get(start) ?? 1;
  let copy = taken + 1;
  while (await isTaken(copyOf(copy))) [taken, copy] = [copy, 2 * copy];
  while (copy - taken > 1) {
    const between = Math.floor((taken + copy) / 2);
    if (await isTaken(copyOf(between))) taken = between;
    else copy = between;
  }
  copies.set(start, copy);
  const number = copyOf(copy);
  await tx.claims.update(id, { claimNumber: number });
  await tx.claims.move([id], into.id);
  await writer.auditCorrection("claim.update", id, { claim_number: claimNumber }, { claim_number: number });
  return number;
}
