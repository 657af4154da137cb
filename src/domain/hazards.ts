import type { HazardAction, Knowledge, KnownHazard } from "./knowledge.ts";
import type { EventEvidence, InstallYearBasis } from "./scoring/types.ts";

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
  /** Codes that the partner set, and that the partner cleared, as stored: separated by spaces. */
  flagsSet: string;
  flagsCleared: string;
};

/** The part of the service record that flags follow from. */
type HazardEvent = Pick<EventEvidence, "componentId" | "eventType" | "date" | "note">;

/** Returns the flags of an appliance, each hazard once, with its strongest basis, in the order of the knowledge base. */
export function hazardFlags(
  knowledge: Knowledge,
  appliance: FlaggedAppliance,
  yearBuilt: number | null,
  components: readonly { id: string; defId: string }[] = [],
  events: readonly HazardEvent[] = [],
): HazardFlag[] {
  const hazards = knowledge.hazardsOf(appliance.typeId);
  if (hazards.length === 0) return [];
  const set = flagCodesOf(appliance.flagsSet);
  const cleared = flagCodesOf(appliance.flagsCleared);
  const named = knowledge.namedHazards(appliance.typeId, appliance.brand, appliance.model);
  const open = hazards.filter(({ code }) => !cleared.includes(code));
  const known = new Map<string, FlagBasis>();
  for (const hazard of open) {
    const { code } = hazard;
    if (set.includes(code)) known.set(code, "stated");
    else if (named.has(code)) known.set(code, "brand");
    else if (isNoted(hazard, components, events)) known.set(code, "notes");
  }
  return open.flatMap((hazard): HazardFlag[] => {
    const { code, excludedBy } = hazard;
    const basis = known.get(code);
    if (basis) return [{ code, basis }];
    if (excludedBy.some((other) => known.has(other))) return [];
    const isSuspected =
      isOfEra(hazard, appliance, yearBuilt) && replacedOn(hazard, components, events) === "";
    return isSuspected ? [{ code, basis: "era" }] : [];
  });
}

/** Returns whether a note names the hazard on or after the last replacement of what carries it. */
function isNoted(
  hazard: KnownHazard,
  components: readonly { id: string; defId: string }[],
  events: readonly HazardEvent[],
): boolean {
  const noted = events.filter(({ note }) => note?.hazards?.includes(hazard.code));
  if (noted.length === 0) return false;
  const since = replacedOn(hazard, components, events);
  // The note of a replacement is about the part that was removed.
  return noted.some(({ date, eventType }) => date >= since && eventType !== "Replacement");
}

/** Returns the day of the last replacement of what carries the hazard; "" without one. */
function replacedOn(
  { componentIds, outlivesAppliance }: KnownHazard,
  components: readonly { id: string; defId: string }[],
  events: readonly HazardEvent[],
): string {
  const carriers = new Set(components.filter(({ defId }) => componentIds.has(defId)).map(({ id }) => id));
  let last = "";
  for (const { eventType, componentId, date } of events) {
    if (eventType !== "Replacement" || date <= last) continue;
    if (componentId === null ? !outlivesAppliance : carriers.has(componentId)) last = date;
  }
  return last;
}

function isOfEra({ era }: KnownHazard, appliance: FlaggedAppliance, yearBuilt: number | null): boolean {
  if (!era || (era.withoutBrand && appliance.brand !== null)) return false;
  const { installYear, installYearBasis } = appliance;
  const year = era.of === "building" ? yearBuilt : installYear;
  if (year === null || year < era.firstYear || year > era.lastYear) return false;
  return !era.original || installYearBasis === "year_built" || installYear === yearBuilt;
}

/** Returns what to do about a flag. */
export function actionOf(knowledge: Knowledge, { code, basis }: HazardFlag): HazardAction {
  const { action, actionSuspected } = knowledge.knownHazard(code);
  return basis === "era" ? actionSuspected : action;
}

/** Returns the label of a flag, which says of a suspicion that it is one. */
export function hazardFlagLabel(knowledge: Knowledge, { code, basis }: HazardFlag): string {
  const { label } = knowledge.knownHazard(code);
  return basis === "era" ? `Suspected by its years alone: ${label}` : label;
}

/** Writes flags as they are stored: `federal_pacific:brand aluminum_wiring:era`. */
export const storedFlags = (flags: readonly HazardFlag[]): string =>
  flags.map(({ code, basis }) => `${code}:${basis}`).join(" ");

const NO_FLAGS: readonly HazardFlag[] = [];

/** Flags by their stored text: a few combinations recur in all lists. */
const readFlags = new Map<string, readonly HazardFlag[]>();
const MOST_READ_FLAGS = 1_000;

/** Reads stored flags. */
export function parseFlags(stored: string): readonly HazardFlag[] {
  if (stored === "") return NO_FLAGS;
  const known = readFlags.get(stored);
  if (known) return known;
  const flags = stored.split(" ").map((flag) => {
    const [code, basis] = flag.split(":") as [string, FlagBasis];
    return { code, basis };
  });
  if (readFlags.size === MOST_READ_FLAGS) readFlags.clear();
  readFlags.set(stored, flags);
  return flags;
}

/** Returns the codes of a stored list. */
export const flagCodesOf = (stored: string): string[] => (stored === "" ? [] : stored.split(" "));

/** Returns codes as they are stored: each once, in the order of the alphabet. */
export const storedCodes = (codes: readonly string[]): string => [...new Set(codes)].sort().join(" ");

/** How many appliances have a flag of a code: those known to, and those that only their years suggest. */
export type FlagCount = { known: number; suspected: number };

/** Adds the flags of an appliance to counts by code, or with `sign` -1 takes them away. */
export function countFlags(counts: Map<string, FlagCount>, stored: string, sign: 1 | -1, times = 1): void {
  for (const { code, basis } of parseFlags(stored)) {
    let count = counts.get(code);
    if (!count) {
      count = { known: 0, suspected: 0 };
      counts.set(code, count);
    }
    count[basis === "era" ? "suspected" : "known"] += sign * times;
  }
}
