import type { Appliance } from "../../domain/appliance.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import {
  type ComplianceItem,
  compareDueDays,
  inspectionComplianceOfAppliances,
} from "../../domain/figures/inspection-compliance.ts";
import type { Property } from "../../domain/property.ts";
import { sortInSteps } from "../../domain/steps/computation-steps.ts";
import type { Day } from "../../domain/time.ts";
import { runYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { Store } from "../../store/store.ts";
import { readStoreConsistently } from "../../store/store-consistent-reads.ts";
import type { Stores } from "../../store/stores.ts";
import { loadInspectionRecords } from "./load-inspection-records.ts";

/** Appliances whose events are read by one query. */
const APPLIANCES_A_STEP = 50;
/** The approximate memory of an item with its share of the appliance. */
const ITEM_BYTES = 700;

/**
 * Returns the inspections due for a property's appliances, earliest first, from one state of the database.
 * `reserve` receives the bytes that are retained as they grow; may throw to end the work.
 */
export async function loadPropertyCompliance(
  store: Pick<Store, "read" | "inReadSnapshot">,
  knowledge: Knowledge,
  { id, partnerId }: Pick<Property, "id" | "partnerId">,
  today: Day,
  yieldNow: Yield,
  reserve: (bytes: number) => void = () => {},
): Promise<ComplianceItem<Appliance>[]> {
  const readStep = async (read: Stores, after: number) => {
    const appliances = await read.appliances.ofPropertyAfter(id, after, APPLIANCES_A_STEP);
    const records = await loadInspectionRecords(read, knowledge, appliances, today, yieldNow);
    const items = inspectionComplianceOfAppliances(knowledge, appliances, records, today);
    return { items, last: appliances.length < APPLIANCES_A_STEP ? undefined : appliances.at(-1)!.seq };
  };
  // Most properties need a single step. A read snapshot would cost them more than their reads.
  const first = await readStoreConsistently(store, partnerId, (read) => readStep(read, 0));
  if (first.last === undefined) {
    reserve(first.items.length * ITEM_BYTES);
    return first.items;
  }
  return await store.inReadSnapshot(async (read) => {
    const all: ComplianceItem<Appliance>[] = [];
    for (let after: number | undefined = 0; after !== undefined; await yieldNow()) {
      const { items, last }: Awaited<ReturnType<typeof readStep>> = await readStep(read, after);
      reserve(items.length * ITEM_BYTES);
      for (const item of items) all.push(item);
      after = last;
    }
    return await runYielding(sortInSteps(all, compareDueDays), yieldNow);
  });
}
