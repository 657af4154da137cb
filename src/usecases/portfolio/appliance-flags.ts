import { invalid } from "../../domain/errors.ts";
import { formatStoredFlags, hazardFlagsOfAppliance, parseStoredCodes } from "../../domain/hazards.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { dayOf } from "../../domain/time.ts";
import type { LoadedProperty } from "../history/load-histories.ts";
import { countOpenDeficiencies } from "../inspections/count-open-deficiencies.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";

/**
 * Stores the flags that follow from the appliances of a loaded property and their service record, where they changed. Every
 * scoring calls it: whatever changes a flag also changes the input of a score.
 */
export async function saveDerivedFlagsAndDeficiencies(
  writer: PortfolioWriter,
  loaded: LoadedProperty,
): Promise<void> {
  const { history, appliances } = loaded;
  await refreshDeficiencies(writer, loaded);
  for (const { id, components, events } of history.appliances) {
    const appliance = appliances.get(id)!;
    const flags = formatStoredFlags(
      hazardFlagsOfAppliance(writer.knowledge, appliance, history.yearBuilt, components, events),
    );
    await writer.saveFlags(appliance, flags);
  }
}

/** Counts the open deficiencies of the appliances that may have some: those with a visit that found something wrong. */
async function refreshDeficiencies(
  writer: PortfolioWriter,
  { history, appliances }: LoadedProperty,
): Promise<void> {
  const { tx, knowledge } = writer;
  const inspected = history.appliances.filter(
    ({ typeId, events }) =>
      knowledge.regimes(typeId).length > 0 && events.some(({ conditionAfter }) => conditionAfter === "poor"),
  );
  const open = await countOpenDeficiencies(tx, knowledge, inspected, dayOf(tx.now), tx.yieldToEventLoop);
  for (const { id } of history.appliances)
    await writer.saveDeficiencies(appliances.get(id)!, open.get(id) ?? 0);
}

/** The codes that a partner sets and clears, as stored. */
type StatedFlags = { flagsSet: string; flagsCleared: string };

/** Throws invalid_request for a code that is unknown or of another type, and for one that is both set and cleared. */
export function checkStatedHazardFlags(knowledge: Knowledge, typeId: string, stated: StatedFlags): void {
  const [set, cleared] = [parseStoredCodes(stated.flagsSet), parseStoredCodes(stated.flagsCleared)];
  const codes = knowledge.hazardsOf(typeId).map(({ code }) => code);
  const possible = codes.length === 0 ? `${typeId} has none` : `${typeId} has ${codes.join(", ")}`;
  for (const [field, given] of [
    ["flags_set", set],
    ["flags_cleared", cleared],
  ] as const) {
    const wrong = given.find((code) => !codes.includes(code));
    if (wrong === undefined) continue;
    const message = `${JSON.stringify(wrong.slice(0, 60))} is no flag of this type: ${possible}`;
    throw invalid(`${field}: ${message}`, [{ field, message }]);
  }
  const both = set.find((code) => cleared.includes(code));
  if (both === undefined) return;
  const message = `${both} cannot be set and cleared at once: leave it out of one of the lists`;
  throw invalid(`flags_cleared: ${message}`, [{ field: "flags_cleared", message }]);
}
