import type { Appliance } from "../../domain/appliance.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Day } from "../../domain/time.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { loadInspectionRecords } from "./load-inspection-records.ts";

/** Returns the number of inspections with an open deficiency of each of the appliances, by ID. */
export async function loadOpenDeficiencyCounts(
  read: Stores,
  knowledge: Knowledge,
  appliances: readonly Pick<Appliance, "id" | "typeId">[],
  today: Day,
  yieldNow: Yield,
): Promise<Map<string, number>> {
  if (appliances.length === 0) return new Map();
  const records = await loadInspectionRecords(read, knowledge, appliances, today, yieldNow);
  return new Map(
    appliances.map(({ id, typeId }) => {
      const record = records.get(id)!;
      return [id, knowledge.regimes(typeId).filter((regime) => record.stateOf(regime).isDeficient).length];
    }),
  );
}
