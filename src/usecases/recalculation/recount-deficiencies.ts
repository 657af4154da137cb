import type { Appliance } from "../../domain/appliance.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Day } from "../../domain/time.ts";
import { yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { loadOpenDeficiencyCounts } from "../inspections/load-open-deficiency-counts.ts";
import type { RecountRepair, RecountStep } from "./recount-step.ts";

/** Appliances whose events are read by one query. */
const APPLIANCES_A_STEP = 50;

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
  for (const propertyId of propertyIds)
    for (let after: number | undefined = 0; after !== undefined; await yieldOfStores(read)()) {
      const page: Appliance[] = await read.appliances.ofPropertyAfter(propertyId, after, APPLIANCES_A_STEP);
      const right = await openDeficienciesOf(read, knowledge, page, today);
      let wrong = page.filter(differsFrom(right));
      for (const day of earlier)
        wrong = wrong.filter(differsFrom(await openDeficienciesOf(read, knowledge, wrong, day)));
      for (const { id } of wrong)
        repairs.push(async (tx) => {
          await tx.appliances.saveDeficiencies(id, right.get(id) ?? 0);
          await tx.plans.touch(propertyId);
        });
      after = page.length < APPLIANCES_A_STEP ? undefined : page.at(-1)!.seq;
    }
  return { found: repairs.length, repairs };
}

const differsFrom =
  (open: ReadonlyMap<string, number>) =>
  ({ id, deficiencies }: Appliance) =>
    deficiencies !== (open.get(id) ?? 0);

/** Only a visit that found something wrong opens a deficiency, and few appliances have one. */
async function openDeficienciesOf(
  read: Stores,
  knowledge: Knowledge,
  appliances: readonly Appliance[],
  day: Day,
): Promise<Map<string, number>> {
  if (appliances.length === 0) return new Map();
  const failed = new Set(await read.recounts.foundPoor(appliances.map(({ id }) => id)));
  const some = appliances.filter(({ id, typeId }) => failed.has(id) && knowledge.regimes(typeId).length > 0);
  return await loadOpenDeficiencyCounts(read, knowledge, some, day, yieldOfStores(read));
}
