import { serializeApplianceCreatedMessage } from "../../api-schemas/webhook-payload-schema.ts";
import {
  type Appliance,
  type ApplianceChange,
  DEFAULT_USAGE,
  type NewAppliance,
} from "../../domain/appliance.ts";
import type { Component } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { conflict, invalid, notFound } from "../../domain/errors.ts";
import {
  hazardCodesInList,
  hazardFlagNotation,
  hazardFlagsOfAppliance,
} from "../../domain/hazards/hazard-flags.ts";
import { type Property, propertyNotFound } from "../../domain/property.ts";
import { applianceSizeRuleWarnings } from "../../domain/rules/appliance-size-rule.ts";
import { checkBuildingYearRule } from "../../domain/rules/building-year-rule.ts";
import {
  checkNotRetiredRule,
  checkRetirementDayRule,
  isRetired,
  isRetirementDueByRule,
  NOT_RETIRED,
  type Retirement,
  retirementAfterChange,
  retirementRuleConflict,
} from "../../domain/rules/retirement-rule.ts";
import { checkStatedHazardFlagsRule } from "../../domain/rules/stated-hazard-flags-rule.ts";
import type { BrandTier } from "../../domain/scoring/scoring-types.ts";
import { type Day, dayOf, yearOf } from "../../domain/time.ts";
import type { Tx } from "../../store/store.ts";
import { type RescoreInput, rescoreProperties, rescoreProperty } from "../rescoring/rescore.ts";
import type { BatchScores } from "../rescoring/rescore-batch.ts";
import { createComponentForPortfolioWriter } from "./create-component.ts";
import { moveAppliance } from "./move-appliance.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";
import { auditRetirement, retireOrRestoreAppliance } from "./retire-records.ts";

/** Appliances per query. */
const APPLIANCES_PER_STEP = 500;

export type CreatedAppliance = { appliance: Appliance; components: Component[]; warnings: string[] };

/**
 * Creates an appliance with the components of its type, scored. Throws not_found for the property or unit, and
 * invalid_request for a type that is not in the knowledge base, or with the message `missingYear` if neither the
 * appliance nor its property has a year.
 */
export async function createAppliance(
  writer: PortfolioWriter,
  input: NewAppliance,
  missingYear?: string,
): Promise<CreatedAppliance> {
  const intake = new ApplianceCreator(writer, missingYear);
  const appliance = await intake.add(input);
  const components = (await intake.finish()).get(appliance.id) ?? [];
  return { appliance, components, warnings: intake.warningsAbout(appliance) };
}

/**
 * Creates appliances, and scores them together with the appliances that they cascade to when `finish` is called.
 */
export class ApplianceCreator {
  #properties = new Map<string, Property>();
  #added = new Map<string, Appliance[]>();

  constructor(
    private readonly writer: PortfolioWriter,
    private readonly missingYear = MISSING_YEAR,
  ) {}

  /** Caches properties that the caller has read already. */
  cacheProperties(properties: readonly Property[]): void {
    for (const property of properties) {
      if (this.#properties.has(property.id)) continue;
      this.#properties.set(property.id, property);
      this.#added.set(property.id, []);
    }
  }

  /** Writes one appliance. Its components are inserted with their first score. Throws as `createAppliance` does. */
  async add(input: NewAppliance): Promise<Appliance> {
    const { tx, partner, knowledge } = this.writer;
    const property = await this.#property(input.propertyId);
    checkNotRetiredRule("Property", property);
    const type = requireType(knowledge, input.typeId);
    const installed = installYearOf(input.installYear, property, dayOf(tx.now), this.missingYear);
    if (input.unitId !== null) await checkUnit(tx, property.id, input.unitId);
    const createdAt = this.writer.rows.nextInstant();
    const { flagsSet = "", flagsCleared = "" } = input;
    const stated = { flagsSet, flagsCleared };
    checkStatedHazardFlagsRule(knowledge, input.typeId, stated);
    const flags = hazardFlagsOfAppliance(
      knowledge,
      { ...input, ...installed, ...stated },
      property.yearBuilt,
    );
    const appliance: Appliance = {
      ...input,
      ...installed,
      ...stated,
      flags: hazardFlagNotation(flags),
      deficiencies: 0,
      dueCents: 0,
      unitTiming: null,
      dueHoldsUntil: null,
      ...NOT_RETIRED,
      id: tx.newId("appliance"),
      partnerId: partner.id,
      seq: this.writer.nextSeq("appliances"),
      brandTier: input.brandTier ?? tierOfBrand(knowledge, input.typeId, input.brand),
      brandTierGiven: input.brandTier !== null,
      usageIntensity: input.usageIntensity ?? DEFAULT_USAGE,
      size: input.size ?? null,
      createdAt,
      updatedAt: createdAt,
    };
    await this.writer.insertAppliance(appliance);
    for (const definition of type.components)
      this.writer.addComponent(createComponentForPortfolioWriter(this.writer, appliance, definition.id));
    await this.writer.outbox.add(serializeApplianceCreatedMessage(appliance));
    this.#added.get(property.id)!.push(appliance);
    return appliance;
  }

  /** Returns what is probably wrong about an added appliance. */
  warningsAbout(appliance: Appliance): string[] {
    return warningsAbout(this.writer.knowledge, appliance, this.#properties.get(appliance.propertyId)!);
  }

  /** Returns the scored components of each added appliance. */
  async finish(): Promise<Map<string, Component[]>> {
    const components = new Map<string, Component[]>();
    const rescorings: RescoreInput[] = [];
    for (const [propertyId, changed] of this.#added) {
      if (changed.length === 0) continue;
      for (const { id } of changed) components.set(id, []);
      rescorings.push({ property: this.#properties.get(propertyId)!, changed, cause: "history" });
    }
    for (const scored of await rescoreProperties(this.writer, rescorings))
      components.get(scored.applianceId)?.push(scored);
    return components;
  }

  async #property(id: string): Promise<Property> {
    const known = this.#properties.get(id);
    if (known) return known;
    const property = await this.writer.tx.properties.find(this.writer.partner.id, id);
    if (!property) throw propertyNotFound();
    this.cacheProperties([property]);
    return property;
  }
}

/**
 * Changes an appliance; also its type, and its property to another of the same partner. Throws not_found, invalid_request,
 * and conflict if it is retired and the change does not bring it back. With `scores`, its property is scored when those are
 * finished; a move is scored at once.
 */
export async function changeAppliance(
  writer: PortfolioWriter,
  id: string,
  change: ApplianceChange,
  scores?: BatchScores,
): Promise<CreatedAppliance> {
  const { tx, partner } = writer;
  const stored = await tx.appliances.find(partner.id, id);
  if (!stored) throw notFound("Appliance not found");
  const property = (await tx.properties.find(partner.id, stored.propertyId))!;
  checkNotRetiredRule("Property", property);
  const { retiredAt, retiredReason, ...others } = change;
  if (retiredAt === undefined && retiredReason === undefined) {
    checkNotRetiredRule("Appliance", stored);
    return await changeListed(writer, property, stored, others, scores);
  }
  const retirement = retirementAfterChange(stored, change);
  const staysRetired = isRetired(stored) && isRetirementDueByRule(retirement, dayOf(tx.now));
  if (staysRetired && Object.keys(others).length > 0) throw retirementRuleConflict("Appliance", stored);
  if (retiredAt !== undefined) {
    const installYear = others.installYear === null ? property.yearBuilt : others.installYear;
    checkRetirementDayRule(retirement.retiredAt, installYear ?? stored.installYear);
  }
  // The building's year may have changed while the appliance was retired.
  const isBroughtBack = isRetired(stored) && !staysRetired;
  if (isBroughtBack && stored.installYearBasis === "year_built") others.installYear ??= null;
  let [after, place] = [stored, property];
  const changeOthers = async () => {
    if (Object.keys(others).length > 0)
      ({ appliance: after, property: place } = await changeListed(writer, place, after, others, scores));
  };
  // The other fields change while it is listed.
  if (!isRetired(stored)) await changeOthers();
  after = { ...after, ...retirement, updatedAt: tx.now };
  await tx.appliances.update(id, { ...retirement, updatedAt: tx.now });
  after = await retireOrRestoreAppliance(writer, place, after, scores);
  if (isBroughtBack) await changeOthers();
  await auditRetirement(writer, "appliance", id, stored, retirement);
  const components = isRetired(after)
    ? await tx.components.retiredOfAppliances([id])
    : await tx.components.ofAppliance(id);
  return { appliance: after, components, warnings: warningsAbout(writer.knowledge, after, place) };
}

async function changeListed(
  writer: PortfolioWriter,
  property: Property,
  before: Appliance,
  change: Omit<ApplianceChange, keyof Retirement>,
  scores: BatchScores | undefined,
): Promise<CreatedAppliance & { property: Property }> {
  const { tx, knowledge } = writer;
  const { id } = before;
  const { brandTier, usageIntensity, typeId, propertyId, unitId, size, installYear, ...others } = change;
  const { flagsSet, flagsCleared, ...rest } = others;
  const place = await placeOf(writer, property, propertyId);
  const isElsewhere = place.id !== property.id;
  const after: Appliance = { ...before, ...rest, propertyId: place.id, updatedAt: tx.now };
  if (typeId !== undefined) after.typeId = requireType(knowledge, typeId).id;
  const isOtherType = after.typeId !== before.typeId;
  if (unitId != null) await checkUnit(tx, place.id, unitId);
  if (unitId !== undefined || isElsewhere) after.unitId = unitId ?? null;
  // The unit of the size is that of the type.
  if (size !== undefined || isOtherType) after.size = size ?? null;
  const isBuildings = isElsewhere && before.installYearBasis === "year_built";
  if (installYear !== undefined || isBuildings)
    Object.assign(after, installYearOf(installYear ?? null, place, dayOf(tx.now)));
  if (usageIntensity !== undefined) after.usageIntensity = usageIntensity ?? DEFAULT_USAGE;
  if (brandTier !== undefined) after.brandTierGiven = brandTier !== null;
  after.brandTier = after.brandTierGiven
    ? (brandTier ?? before.brandTier)
    : tierOfBrand(knowledge, after.typeId, after.brand);
  after.flagsSet = flagsSet ?? flagsOfType(knowledge, after.typeId, before.flagsSet);
  after.flagsCleared = flagsCleared ?? flagsOfType(knowledge, after.typeId, before.flagsCleared);
  checkStatedHazardFlagsRule(knowledge, after.typeId, after);
  await writer.auditCorrection("appliance.flags", id, statedFlags(before), statedFlags(after));
  const isMoved = isElsewhere || isOtherType;
  if (!isMoved && (after.size !== before.size || after.unitId !== before.unitId))
    writer.priceChanges(before, property);
  await tx.appliances.update(id, { ...changedFields(before, after), updatedAt: after.updatedAt });
  await moveComponents(writer, before, after.installYear);
  // The whole property is scored: an appliance that moves to another unit leaves the cascades of the old one.
  const isWhole = after.unitId !== before.unitId;
  let components: Component[] = [];
  if (isMoved) components = await moveAppliance(writer, { before, after, from: property, to: place });
  else if (!scores)
    components = await rescoreProperty(writer, property, isWhole ? "all" : [after], "history");
  else {
    scores.add(property, after);
    if (isWhole) scores.addWhole(property);
  }
  after.flags = writer.flagsOf(before);
  return {
    appliance: after,
    components: components.filter((component) => component.applianceId === id),
    warnings: [...warningsAbout(knowledge, after, place), ...droppedSize(before, after)],
    property: place,
  };
}

/** Returns the fields that differ: a score of this write may have stored others that follow from them. */
const changedFields = (before: Appliance, after: Appliance): Partial<Omit<Appliance, "id">> =>
  Object.fromEntries(
    Object.entries(after).filter(([field, value]) => value !== before[field as keyof Appliance]),
  );

/** Returns the property that an appliance is moved to. Throws not_found, and conflict for a retired one. */
async function placeOf(
  { tx, partner }: PortfolioWriter,
  present: Property,
  asked: string | undefined,
): Promise<Property> {
  if (asked === undefined || asked === present.id) return present;
  const property = await tx.properties.find(partner.id, asked);
  if (!property) throw propertyNotFound();
  checkNotRetiredRule("Property", property);
  return property;
}

/** Gives the listed appliances that have the building's year for lack of their own its new year. */
export async function applyBuildingYearToAppliances(
  writer: PortfolioWriter,
  { id, yearBuilt }: Property,
): Promise<void> {
  if (yearBuilt === null) return;
  const { tx } = writer;
  for await (const appliance of appliancesWithBuildingYear(tx, id)) {
    await tx.appliances.update(appliance.id, { installYear: yearBuilt, updatedAt: tx.now });
    await moveComponents(writer, appliance, yearBuilt);
    await tx.yieldToEventLoop();
  }
}

/** Throws a conflict if a listed appliance of the property has the building's year for lack of its own. */
export async function prepareBuildingYearRemoval(tx: Tx, propertyId: string): Promise<void> {
  for await (const { id } of appliancesWithBuildingYear(tx, propertyId))
    throw conflict(
      `year_built cannot be cleared: appliance ${id} has no install_year of its own. Set it first`,
    );
}

/** Yields the listed appliances of a property that have the building's year for lack of their own. */
async function* appliancesWithBuildingYear(tx: Tx, propertyId: string): AsyncGenerator<Appliance> {
  for (let after = 0, left = true; left; await tx.yieldToEventLoop()) {
    const some = await tx.appliances.ofPropertyAfter(propertyId, after, APPLIANCES_PER_STEP);
    yield* some.filter(({ installYearBasis }) => installYearBasis === "year_built");
    left = some.length === APPLIANCES_PER_STEP;
    after = some.at(-1)?.seq ?? after;
  }
}

/** Moves the components whose year is that of their appliance to its new year. */
async function moveComponents(
  writer: PortfolioWriter,
  { id, installYear }: Appliance,
  to: number,
): Promise<void> {
  if (to === installYear) return;
  const { tx } = writer;
  const follows = (component: Component) =>
    !component.installYearGiven && component.installYear === installYear;
  for (const component of [...writer.unscoredOf(id)])
    if (follows(component)) writer.addComponent({ ...component, installYear: to });
  const former = await tx.components.retiredOfAppliances([id]);
  for (const component of [...(await tx.components.ofAppliance(id)), ...former])
    if (follows(component)) await tx.components.update(component.id, { installYear: to });
}

const MISSING_YEAR = "install_year is required where the property has no year_built";

/** Returns the install year; the building's for lack of one. Throws invalid_request if it has none either. */
function installYearOf(
  given: number | null,
  { yearBuilt }: Property,
  today: Day,
  missingYear = MISSING_YEAR,
): Pick<Appliance, "installYear" | "installYearBasis"> {
  if (given !== null) checkBuildingYearRule("install_year", given, yearOf(today));
  const installYear = given ?? yearBuilt;
  if (installYear === null)
    throw invalid(missingYear, [
      { field: "install_year", message: "is required where the property has no year_built" },
    ]);
  return { installYear, installYearBasis: given === null ? "year_built" : "given" };
}

/** Returns the flags that a partner sets and clears, by their names in the API. */
const statedFlags = ({ flagsSet, flagsCleared }: Appliance) => ({
  flags_set: hazardCodesInList(flagsSet),
  flags_cleared: hazardCodesInList(flagsCleared),
});

/** Returns a warning about appliances that are older than the building, as `loadInstallYearWarnings` does of one. */
export async function loadEarlyInstallYearWarnings(tx: Tx, { id, yearBuilt }: Property): Promise<string[]> {
  if (yearBuilt === null) return [];
  let count = 0;
  let first: Appliance | undefined;
  for (let after = 0, left = true; left; await tx.yieldToEventLoop()) {
    const some = await tx.appliances.ofPropertyAfter(id, after, APPLIANCES_PER_STEP);
    const early = some.filter(({ installYear }) => installYear < yearBuilt);
    count += early.length;
    first ??= early[0];
    left = some.length === APPLIANCES_PER_STEP;
    after = some.at(-1)?.seq ?? after;
  }
  if (!first) return [];
  const others = count > 1 ? `, and of ${count - 1} more` : "";
  return [
    `install_year ${first.installYear} of appliance ${first.id}${others} is before year_built ${yearBuilt} of the property`,
  ];
}

/** Returns what is probably wrong about an appliance. */
const warningsAbout = (knowledge: Knowledge, appliance: Appliance, property: Property): string[] => [
  ...loadInstallYearWarnings(appliance, property),
  ...applianceSizeRuleWarnings(knowledge.type(appliance.typeId), appliance.size),
];

/** Returns a warning about a size that went with the former type, whose unit it was in. */
const droppedSize = (before: Appliance, after: Appliance): string[] =>
  before.size !== null && after.size === null && after.typeId !== before.typeId
    ? [
        `size ${before.size} was that of a ${before.typeId} and is dropped: state the size of the ${after.typeId}`,
      ]
    : [];

/** Returns a warning about an install year before the building's: it is accepted, since equipment may come from an older one. */
export function loadInstallYearWarnings(
  { installYear }: Pick<Appliance, "installYear">,
  { yearBuilt }: Pick<Property, "yearBuilt">,
): string[] {
  return yearBuilt !== null && installYear < yearBuilt
    ? [`install_year ${installYear} is before year_built ${yearBuilt} of the property`]
    : [];
}

/** Returns the tier of the brand in the knowledge base, else standard. */
function tierOfBrand(knowledge: Knowledge, typeId: string, brand: string | null): BrandTier {
  return knowledge.brandTier(typeId, brand) ?? "standard";
}

/** Returns a type of the knowledge base. Throws invalid_request. */
function requireType(knowledge: Knowledge, id: string) {
  const type = knowledge.findType(id);
  if (type) return type;
  throw invalid(`Unknown type_id: ${id}`, [
    { field: "type_id", message: "must be an appliance type from GET /v1/appliance-types" },
  ]);
}

/** Returns those of the stated flags that the type can have. */
function flagsOfType(knowledge: Knowledge, typeId: string, stated: string): string {
  const possible = new Set(knowledge.hazardsOf(typeId).map(({ code }) => code));
  return hazardCodesInList(stated)
    .filter((code) => possible.has(code))
    .join(" ");
}

async function checkUnit(tx: Tx, propertyId: string, unitId: string): Promise<void> {
  const unit = await tx.units.find(unitId);
  if (unit?.propertyId !== propertyId) throw notFound("Unit not found");
}
