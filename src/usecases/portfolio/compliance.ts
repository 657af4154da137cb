import type { Appliance } from "../../domain/appliance.ts";
import { byDueDay, type ComplianceItem, complianceItems } from "../../domain/figures/compliance.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { sortInSteps } from "../../domain/steps.ts";
import type { Day } from "../../domain/time.ts";
import { runYielding, yieldToEventLoop } from "../../event-loop.ts";
import type { Store } from "../../store/store.ts";
import { loadEvents } from "../history/event-histories.ts";

/** Appliances whose events are read in one step. */
const APPLIANCES_A_STEP = 50;
/** About what an item and its share of the appliance take. */
const ITEM_BYTES = 700;

/**
 * Every inspection that a property's appliances are due for, the first due first, made in steps as all stood at one
 * moment. `hold` is told how many bytes more there are; what it throws ends it.
 */
export function complianceOf(
  store: Pick<Store, "inReadSnapshot">,
  knowledge: Knowledge,
  propertyId: string,
  today: Day,
  hold: (bytes: number) => void,
): Promise<ComplianceItem<Appliance>[]> {
  return store.inReadSnapshot(async (read) => {
    const all: ComplianceItem<Appliance>[] = [];
    for (let after = 0; ; await yieldToEventLoop()) {
      const appliances = await read.appliances.ofPropertyAfter(propertyId, after, APPLIANCES_A_STEP);
      const events = await loadEvents(
        read,
        knowledge,
        appliances.map(({ id }) => id),
      );
      const items = complianceItems(knowledge, appliances, events, today);
      hold(items.length * ITEM_BYTES);
      for (const item of items) all.push(item);
      if (appliances.length < APPLIANCES_A_STEP)
        return await runYielding(sortInSteps(all, byDueDay), yieldToEventLoop);
      after = appliances.at(-1)!.seq;
    }
  });
}
