import { hazardFlagNotation, hazardFlagsOfAppliance } from "../../domain/hazards/hazard-flags.ts";
import { dayOf } from "../../domain/time.ts";
import type { LoadedProperty } from "../history/load-histories.ts";
import { loadOpenDeficiencyCounts } from "../inspections/load-open-deficiency-counts.ts";
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
    const flags = hazardFlagNotation(
      hazardFlagsOfAppliance(writer.knowledge, appliance, history.yearBuilt, components, events),
    );
    // A promise for each appliance takes longer than the comparison.
    if (flags !== writer.flagsOf(appliance)) await writer.saveFlags(appliance, flags);
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
  const open = await loadOpenDeficiencyCounts(tx, knowledge, inspected, dayOf(tx.now), tx.yieldToEventLoop);
  for (const { id } of history.appliances) {
    const [appliance, deficiencies] = [appliances.get(id)!, open.get(id) ?? 0];
    if (deficiencies !== writer.deficienciesOf(appliance))
      await writer.saveDeficiencies(appliance, deficiencies);
  }
}
