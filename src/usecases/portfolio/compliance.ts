import type { Appliance } from "../../domain/appliance.ts";
import { byDueDay, type ComplianceItem, complianceItems } from "../../domain/figures/compliance.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { sortInSteps } from "../../domain/steps.ts";
import type { Day } from "../../domain/time.ts";
import { runYielding, type Yield } from "../../event-loop.ts";
import type { Store } from "../../store/store.ts";
import { loadEvents } from "../history/event-histories.ts";

/** Appliances whose events are read by one query. */
const APPLIANCES_A_STEP = 50;
/** The approximate memory of an item with its share of the appliance. */
const ITEM_BYTES = 700;

/**
 * Returns the inspections due for a property's appliances, earliest first, from one snapshot of the database.
 * `reserve` receives the bytes that are retained as they grow; may throw to end the work.
 */
export function complianceOf(
  store: Pick<Store, "inReadSnapshot">,
  knowledge: Knowledge,
  propertyId: string,
  today: Day,
  yieldNow: Yield,
  reserve: (bytes: number) => void = () => {},
): Promise<ComplianceItem<Appliance>[]> {
  return store.inReadSnapshot(async (read) => {
    const all: ComplianceItem<Appliance>[] = [];
    for (let after = 0; ; await yieldNow()) {
      const appliances = await read.appliances.ofPropertyAfter(propertyId, after, APPLIANCES_A_STEP);
      const events = await loadEvents(
        read,
        knowledge,
        appliances.map(({ id }) => id),
        undefined,
        yieldNow,
      );
      const items = complianceItems(knowledge, appliances, events, today);
      reserve(items.length * ITEM_BYTES);
      for (const item of items) all.push(item);
      if (appliances.length < APPLIANCES_A_STEP)
        return await runYielding(sortInSteps(all, byDueDay), yieldNow);
      after = appliances.at(-1)!.seq;
    }
  });
}
