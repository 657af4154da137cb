import type { Knowledge } from "../domain-knowledge.ts";
import { invalid } from "../errors.ts";
import { hazardCodesInList } from "../hazards/hazard-flags.ts";

/** The codes that a partner sets and clears, as stored. */
type StatedFlags = { flagsSet: string; flagsCleared: string };

/** Throws invalid_request for a code that is unknown or of another type, and for one that is both set and cleared. */
export function checkStatedHazardFlagsRule(knowledge: Knowledge, typeId: string, stated: StatedFlags): void {
  const [set, cleared] = [hazardCodesInList(stated.flagsSet), hazardCodesInList(stated.flagsCleared)];
  const codes = knowledge.hazardsOf(typeId).map(({ code }) => code);
  const possible = codes.length === 0 ? `${typeId} has none` : `${typeId} has ${codes.join(", ")}`;
  for (const [field, given] of [
    ["flags_set", set],
    ["flags_cleared", cleared],
  ] as const) {
    const wrong = given.find((code) => !codes.includes(code));
    if (wrong === undefined) continue;
    const message = `${JSON.stringify(wrong.slice(0, 60))} is not a flag of this type: ${possible}`;
    throw invalid(`${field}: ${message}`, [{ field, message }]);
  }
  const both = set.find((code) => cleared.includes(code));
  if (both === undefined) return;
  const message = `${both} cannot be set and cleared at once: leave it out of one of the lists`;
  throw invalid(`flags_cleared: ${message}`, [{ field: "flags_cleared", message }]);
}
