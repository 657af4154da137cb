import type { Knowledge } from "../domain-knowledge.ts";
import type { EventEvidence, InstallYearBasis } from "../scoring/scoring-types.ts";
import type { HazardAction, HazardDef } from "./hazard-definition.ts";

/*
 * Known hazards: makes and materials that lenders and recall notices name, whatever the probability of failure
 * (docs/model/hazards.md). A flag says that an appliance is or contains one, and why.
 */

/** Why an appliance is flagged, strongest first. `era` alone is a suspicion. */
export const FLAG_BASES = ["stated", "brand", "notes", "era"] as const;
export type FlagBasis = (typeof FLAG_BASES)[number];

/** A flag as stored: everything else about it follows from the knowledge base. */
export type HazardFlag = { code: string; basis: FlagBasis };

/** The fields of an appliance that its flags follow from. */
export type FlaggedAppliance = {
  typeId: string;
  brand: string | null;
  model: string | null;
  installYear: number;
  installYearBasis: InstallYearBasis;
  /** The unit that it serves; null for the whole property. */
  unitId: string | null;
  /** Codes that the partner set, and that the partner cleared, as stored: separated by spaces. */
  flagsSet: string;
  flagsCleared: string;
};

/** The part of the service record that flags follow from. */
type HazardEvent = Pick<EventEvidence, "componentId" | "eventType" | "date" | "note">;

/** The mark of a note that names units: it says nothing about the rest of an appliance of the whole property. */
export const OF_UNITS = "/units";
/** Returns the mark of a note of units by which a hazard is gone from them. */
export const hazardGoneFromUnitsMark = (code: string): string => `${code}/gone`;

/** Returns the flags of an appliance, each hazard once, with its strongest basis, in the order of the knowledge base. */
export function hazardFlagsOfAppliance(
  knowledge: Knowledge,
  appliance: FlaggedAppliance,
  yearBuilt: number | null,
  components: readonly { id: string; defId: string }[] = [],
  events: readonly HazardEvent[] = [],
): HazardFlag[] {
  const hazards = knowledge.hazardsOf(appliance.typeId);
  const flags: HazardFlag[] = [];
  if (hazards.length === 0) return flags;
  // Every scoring asks for the flags of every appliance, and most have none.
  const set = hazardCodesInList(appliance.flagsSet);
  const cleared = hazardCodesInList(appliance.flagsCleared);
  const named = knowledge.namedHazards(appliance.typeId, appliance.brand, appliance.model);
  const isAnyNoted = events.some(({ note }) => note?.hazards);
  const known = new Map<string, FlagBasis>();
  for (const hazard of hazards) {
    const { code } = hazard;
    if (cleared.includes(code)) continue;
    if (set.includes(code)) known.set(code, "stated");
    else if (named.has(code)) known.set(code, "brand");
    else if (isAnyNoted && isNoted(hazard, appliance, components, events)) known.set(code, "notes");
  }
  for (const hazard of hazards) {
    const { code, excludedBy } = hazard;
    const basis = known.get(code);
    if (basis) flags.push({ code, basis });
    else if (
      isOfEra(knowledge, hazard, appliance, yearBuilt) &&
      !cleared.includes(code) &&
      !excludedBy.some((other) => known.has(other)) &&
      replacedOn(hazard, appliance, components, events) === ""
    )
      flags.push({ code, basis: "era" });
  }
  return flags;
}

/** Returns whether a note names the hazard on or after the last replacement of what carries it. */
function isNoted(
  hazard: HazardDef,
  appliance: FlaggedAppliance,
  components: readonly { id: string; defId: string }[],
  events: readonly HazardEvent[],
): boolean {
  const { code } = hazard;
  const noted = events.filter((event) =>
    isPartial(appliance, event)
      ? event.note!.hazards!.some((named) => named === code || named === hazardGoneFromUnitsMark(code))
      : // The note of a replacement is about the part that was removed.
        event.eventType !== "Replacement" && event.note?.hazards?.includes(code),
  );
  if (noted.length === 0) return false;
  const since = replacedOn(hazard, appliance, components, events);
  return noted.some(({ date }) => date >= since);
}

/** Returns whether an event of an appliance of the whole property concerns some units alone, by its note. */
const isPartial = ({ unitId }: FlaggedAppliance, { note }: HazardEvent): boolean =>
  unitId === null && note?.hazards?.includes(OF_UNITS) === true;

/** Returns the day of the last replacement of what carries the hazard; "" without one. */
function replacedOn(
  { componentIds, outlivesAppliance }: HazardDef,
  appliance: FlaggedAppliance,
  components: readonly { id: string; defId: string }[],
  events: readonly HazardEvent[],
): string {
  const carriers = new Set(components.filter(({ defId }) => componentIds.has(defId)).map(({ id }) => id));
  let last = "";
  for (const event of events) {
    const { eventType, componentId, date } = event;
    if (eventType !== "Replacement" || date <= last || isPartial(appliance, event)) continue;
    if (componentId === null ? !outlivesAppliance : carriers.has(componentId)) last = date;
  }
  return last;
}

function isOfEra(
  knowledge: Knowledge,
  { code, era }: HazardDef,
  appliance: FlaggedAppliance,
  yearBuilt: number | null,
): boolean {
  const { brand } = appliance;
  if (!era || (era.withoutBrand && knowledge.statesBrand(brand) && !knowledge.isSuspectBrand(code, brand)))
    return false;
  const { installYear, installYearBasis } = appliance;
  const year = era.of === "building" ? yearBuilt : installYear;
  if (year === null || year < era.firstYear || year > era.lastYear) return false;
  return !era.original || installYearBasis === "year_built" || installYear === yearBuilt;
}

/** Returns those of the stored flags that concern a part of the appliance: all of a hazard that is no part of its own. */
export function hazardFlagsOfPart(
  knowledge: Knowledge,
  storedFlags: string,
  defId: string,
): readonly HazardFlag[] {
  const flags = hazardFlagsOfNotation(storedFlags);
  if (flags.length === 0) return flags;
  return flags.filter(({ code }) => {
    const { componentIds } = knowledge.knownHazard(code);
    return componentIds.size === 0 || componentIds.has(defId);
  });
}

/** Returns what to do about a flag. */
export function hazardFlagAction(knowledge: Knowledge, { code, basis }: HazardFlag): HazardAction {
  const { action, actionSuspected } = knowledge.knownHazard(code);
  return basis === "era" ? actionSuspected : action;
}

/** Returns the label of a flag, which says of a suspicion that it is one. */
export function hazardFlagLabel(knowledge: Knowledge, { code, basis }: HazardFlag): string {
  const { label } = knowledge.knownHazard(code);
  return basis === "era" ? `Suspected only by its years: ${label}` : label;
}

/** Writes flags as they are stored: `federal_pacific:brand aluminum_wiring:era`. */
export const hazardFlagNotation = (flags: readonly HazardFlag[]): string =>
  flags.map(({ code, basis }) => `${code}:${basis}`).join(" ");

const NO_FLAGS: readonly HazardFlag[] = [];

/** Flags by their stored text: a few combinations recur in all lists. */
const readFlags = new Map<string, readonly HazardFlag[]>();
const MOST_READ_FLAGS = 1_000;

/** Reads stored flags. */
export function hazardFlagsOfNotation(storedFlags: string): readonly HazardFlag[] {
  if (storedFlags === "") return NO_FLAGS;
  const known = readFlags.get(storedFlags);
  if (known) return known;
  const flags = storedFlags.split(" ").map((flag) => {
    const [code, basis] = flag.split(":") as [string, FlagBasis];
    return { code, basis };
  });
  if (readFlags.size === MOST_READ_FLAGS) readFlags.clear();
  readFlags.set(storedFlags, flags);
  return flags;
}

/** Returns the codes of a stored list. */
export const hazardCodesInList = (storedCodes: string): string[] =>
  storedCodes === "" ? [] : storedCodes.split(" ");

/** Returns codes as they are stored: each once, in the order of the alphabet. */
export const hazardCodeList = (codes: readonly string[]): string => [...new Set(codes)].sort().join(" ");

/** How many appliances have a flag of a code: those known to, and those that only their years suggest. */
export type FlagCount = { known: number; suspected: number };

/** Adds the flags of an appliance to counts by code, or with `sign` -1 takes them away. */
export function countHazardFlags(
  counts: Map<string, FlagCount>,
  storedFlags: string,
  sign: 1 | -1,
  times = 1,
): void {
  for (const { code, basis } of hazardFlagsOfNotation(storedFlags)) {
    let count = counts.get(code);
    if (!count) {
      count = { known: 0, suspected: 0 };
      counts.set(code, count);
    }
    count[basis === "era" ? "suspected" : "known"] += sign * times;
  }
}
