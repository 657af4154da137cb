import type { Appliance } from "../../domain/appliance.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { InspectionRecord } from "../../domain/figures/inspection-record.ts";
import { notedInspectionsOfFindings } from "../../domain/scoring/note-findings.ts";
import type { Day } from "../../domain/time.ts";
import { forEachYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { InspectionRow } from "../../store/queries/service-events-queries.ts";
import type { Stores } from "../../store/stores.ts";
import { loadNoteReadings } from "../history/load-note-findings.ts";
import { EVENT_ROWS, loadRowsOfAppliances } from "../history/load-rows-of-appliances.ts";

/** Loads what appliances' service events up to a day say about their inspections, by appliance, in short steps. */
export async function loadInspectionRecords(
  read: Stores,
  knowledge: Knowledge,
  appliances: readonly Pick<Appliance, "id" | "typeId">[],
  today: Day,
  yieldNow: Yield,
  sizes = EVENT_ROWS,
): Promise<Map<string, InspectionRecord>> {
  const records = new Map(
    appliances.map(({ id, typeId }) => [
      id,
      new InspectionRecord(knowledge.regimes(typeId), knowledge.type(typeId).components),
    ]),
  );
  const add = async (rows: readonly InspectionRow[]) => {
    const all = await loadNoteReadings(read, knowledge, rows, yieldNow);
    await forEachYielding(all, yieldNow, (row) => {
      const { id, eventType, date, conditionAfter, componentDefId, inspectionTypes } = row;
      if (date > today) return;
      records.get(row.applianceId)!.add({
        id,
        eventType,
        date,
        conditionAfter,
        isRated: Boolean(row.isRated),
        componentDefId,
        inspectionTypes: inspectionTypes === null ? null : JSON.parse(inspectionTypes),
        noted: notedInspectionsOfFindings(row.notedInspections),
      });
    });
  };
  const { version } = knowledge.keywords;
  await loadRowsOfAppliances(
    [...records.keys()],
    { atOnce: sizes.atOnce, yieldNow },
    (ids, limit) => read.serviceEvents.inspections(ids, version, limit),
    add,
    async (id) => {
      for (let last: InspectionRow | undefined; ; await yieldNow()) {
        const some = await read.serviceEvents.inspectionsAfter(id, version, last, sizes.page);
        await add(some);
        if (some.length < sizes.page) break;
        last = some.at(-1);
      }
    },
  );
  return records;
}
