import { cacheDatedEventsInSteps } from "../../domain/scoring/dated-events.ts";
import type { NoteRules } from "../../domain/scoring/note-findings.ts";
import type { EventEvidence } from "../../domain/scoring/scoring-types.ts";
import { forEachYielding, runYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { EventEvidenceRow } from "../../store/queries/service-events-queries.ts";
import { type Tx, yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { loadNotesOfHistories } from "./load-note-findings.ts";
import { EVENT_ROWS, loadRowsOfAppliances } from "./load-rows-of-appliances.ts";

const SIZES = {
  ...EVENT_ROWS,
  /** More events than this are sorted in steps beforehand. */
  ordered: 1_000,
};

/** Loads the events that scoring reads, by appliance, in short steps if there are many. */
export async function loadServiceEventsOfHistories(
  stores: Stores | Tx,
  knowledge: NoteRules,
  applianceIds: readonly string[],
  sizes = SIZES,
  yieldNow: Yield = yieldOfStores(stores),
): Promise<Map<string, EventEvidence[]>> {
  const { version } = knowledge.keywords;
  const { serviceEvents } = stores;
  const events = new Map<string, EventEvidence[]>();
  await loadRowsOfAppliances(
    applianceIds,
    { atOnce: sizes.atOnce, yieldNow },
    (ids, limit) => serviceEvents.evidence(ids, version, limit),
    async (rows) => {
      const notes = await loadNotesOfHistories(stores, knowledge, rows, yieldNow);
      for (const [index, { applianceId, componentId, eventType, date, conditionAfter }] of rows.entries()) {
        const event = { componentId, eventType, date, conditionAfter, note: notes[index]! };
        const known = events.get(applianceId);
        if (known) known.push(event);
        else events.set(applianceId, [event]);
      }
    },
    async (id) => {
      const some = await loadOf(stores, knowledge, id, sizes.page, yieldNow);
      if (some.length > sizes.ordered) await runYielding(cacheDatedEventsInSteps(some), yieldNow);
      events.set(id, some);
    },
  );
  return events;
}

/**
 * Loads an appliance's events; those of one day that are equal except for the wording of their notes count as one.
 */
async function loadOf(
  stores: Stores | Tx,
  knowledge: NoteRules,
  applianceId: string,
  page: number,
  yieldNow: Yield,
): Promise<EventEvidence[]> {
  const all: EventEvidence[] = [];
  let day = { on: "", kinds: new Map<string, { event: EventEvidence; keys: Set<string | null> }>() };
  const endDay = () => {
    for (const { event, keys } of day.kinds.values()) all.push({ ...event, times: keys.size });
  };
  for (let last: EventEvidenceRow | undefined; ; await yieldNow()) {
    const rows = await stores.serviceEvents.evidenceAfter(
      applianceId,
      knowledge.keywords.version,
      last,
      page,
    );
    const notes = await loadNotesOfHistories(stores, knowledge, rows, yieldNow);
    await forEachYielding(
      rows.entries(),
      yieldNow,
      ([index, { componentId, eventType, date, conditionAfter }]) => {
        const note = notes[index]!;
        if (date !== day.on) {
          endDay();
          day = { on: date, kinds: new Map() };
        }
        const findings = note?.findings.map(({ groupId, share }) => `${groupId} ${share}`);
        const kind = JSON.stringify([componentId, eventType, conditionAfter, findings, note?.hazards]);
        const known = day.kinds.get(kind);
        if (known) known.keys.add(note?.key ?? null);
        else
          day.kinds.set(kind, {
            event: { componentId, eventType, date, conditionAfter, note },
            keys: new Set([note?.key ?? null]),
          });
      },
    );
    if (rows.length < page) break;
    last = rows.at(-1);
  }
  endDay();
  return all;
}
