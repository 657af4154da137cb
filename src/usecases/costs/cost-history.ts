import { CostHistory, historyStart, type KindHistory } from "../../domain/costs/cost-history.ts";
import type { Day } from "../../domain/time.ts";
import type { Yield } from "../../event-loop.ts";
import type { Store } from "../../store/store.ts";

/** Appliances whose events are read together, and the most events of a read. */
const APPLIANCES_A_STEP = 500;
const EVENTS_A_STEP = 2_000;

/**
 * Returns what the partner has paid for replacements, by kind. Reads the appliances in their order, and the events of some at
 * a time by their index, so that a portfolio of any size needs little memory and holds up nobody.
 */
export async function costHistoryOf(
  { read }: Pick<Store, "read">,
  partnerId: string,
  today: Day,
  yieldNow: Yield,
): Promise<KindHistory[]> {
  const history = new CostHistory(today);
  const from = historyStart(today);
  // Payments for retired appliances count too.
  for (let after = 0; ; after += APPLIANCES_A_STEP) {
    const page = await read.appliances.numbered(partnerId, after, after + APPLIANCES_A_STEP);
    if (page.length === 0) return history.kinds();
    const typeOf = new Map(page.map(({ id, typeId }) => [id, typeId]));
    for (let last: Awaited<ReturnType<typeof read.serviceEvents.billedAfter>>[number] | undefined; ; ) {
      const events = await read.serviceEvents.billedAfter([...typeOf.keys()], from, last, EVENTS_A_STEP);
      for (const event of events) history.add(typeOf.get(event.applianceId)!, event);
      last = events.at(-1);
      await yieldNow();
      if (events.length < EVENTS_A_STEP) break;
    }
  }
}
