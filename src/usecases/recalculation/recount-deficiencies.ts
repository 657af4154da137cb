import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Day } from "../../domain/time.ts";
import type { InspectedAppliance } from "../../store/queries/recounts-queries.ts";
import { yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { loadOpenDeficiencyCounts } from "../inspections/load-open-deficiency-counts.ts";
import { loadApplianceCounts, prepareGroupsWithRows } from "./recount-property-rows.ts";
import type { RecountRepair, RecountStep } from "./recount-step.ts";

/** Appliances of properties that one query looks through. */
const APPLIANCES_A_QUERY = 1_000;

/**
 * Counts the appliances of properties whose events give another number of open deficiencies than the stored one. A number is
 * right if it was counted on any of the days: events may be dated tomorrow. A repair stores the number of the first day.
 */
export async function recountDeficiencies(
  read: Stores,
  knowledge: Knowledge,
  propertyIds: readonly string[],
  [today, ...earlier]: readonly [Day, ...Day[]],
): Promise<RecountStep<number>> {
  const repairs: RecountRepair[] = [];
  const yieldNow = yieldOfStores(read);
  const counts = await loadApplianceCounts(read, propertyIds);
  for (const ids of prepareGroupsWithRows(propertyIds, (id) => counts.get(id) ?? 0, APPLIANCES_A_QUERY)) {
    const found = await read.recounts.withDeficiencies(ids);
    const countOn = async (some: readonly InspectedAppliance[], day: Day) => {
      const inspected = some.filter(({ typeId }) => knowledge.regimes(typeId).length > 0);
      return await loadOpenDeficiencyCounts(read, knowledge, inspected, day, yieldNow);
    };
    const right = await countOn(found, today);
    let wrong = found.filter(differsFrom(right));
    for (const day of earlier) wrong = wrong.filter(differsFrom(await countOn(wrong, day)));
    for (const { id, propertyId } of wrong)
      repairs.push(async (tx) => {
        await tx.appliances.saveDeficiencies(id, right.get(id) ?? 0);
        await tx.plans.touch(propertyId);
      });
    await yieldNow();
  }
  return { found: repairs.length, repairs };
}

const differsFrom =
  (open: ReadonlyMap<string, number>) =>
  ({ id, deficiencies }: InspectedAppliance) =>
    deficiencies !== (open.get(id) ?? 0);
