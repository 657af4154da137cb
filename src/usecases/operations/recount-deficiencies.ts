import type { Appliance } from "../../domain/appliance.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { dayOf } from "../../domain/time.ts";
import type { Tx } from "../../store/store.ts";
import { countOpenDeficiencies } from "../history/open-deficiencies.ts";

/** Appliances whose events are read by one query. */
const APPLIANCES_A_STEP = 50;

/** Stores the numbers of open deficiencies of the appliances of properties where their events say another. */
export async function recountDeficiencies(
  tx: Tx,
  knowledge: Knowledge,
  propertyIds: readonly string[],
): Promise<void> {
  for (const propertyId of propertyIds)
    for (let after: number | undefined = 0; after !== undefined; await tx.yieldToEventLoop()) {
      const page: Appliance[] = await tx.appliances.ofPropertyAfter(propertyId, after, APPLIANCES_A_STEP);
      const right = await openDeficienciesOf(tx, knowledge, page);
      for (const { id, deficiencies } of page) {
        const open = right.get(id) ?? 0;
        if (open === deficiencies) continue;
        await tx.appliances.saveDeficiencies(id, open);
        await tx.plans.touch(propertyId);
      }
      after = page.length < APPLIANCES_A_STEP ? undefined : page.at(-1)!.seq;
    }
}

/** Only a visit that found something wrong opens a deficiency, and few appliances have one. */
async function openDeficienciesOf(
  tx: Tx,
  knowledge: Knowledge,
  appliances: readonly Appliance[],
): Promise<Map<string, number>> {
  const failed = new Set(await tx.recounts.foundPoor(appliances.map(({ id }) => id)));
  const some = appliances.filter(({ id, typeId }) => failed.has(id) && knowledge.regimes(typeId).length > 0);
  return await countOpenDeficiencies(tx, knowledge, some, dayOf(tx.now), tx.yieldToEventLoop);
}
