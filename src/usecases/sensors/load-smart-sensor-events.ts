import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { ScoreRelevantReadings } from "../../domain/scoring/score-relevant-readings.ts";
import type { SmartEvidence } from "../../domain/scoring/scoring-types.ts";
import { type Day, dayNumber, type Instant, MS_PER_DAY } from "../../domain/time.ts";
import { forEachYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { SmartEvidenceRow, SmartPlace } from "../../store/queries/sensor-events-queries.ts";
import { type Tx, yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/** Smart events per step. */
const SIZES = {
  /** The limit for one query over any number of appliances. */
  atOnce: 10_000,
  /** Beyond that, the page size of a single appliance. */
  page: 10_000,
};
/** A margin beyond the days after which a smart event has faded, since events have a time of day. */
const SPARE_DAYS = 2;

/**
 * Loads the smart events that scoring on the given days reads, by appliance. Where there are very many, they are
 * read in short steps and only those that can count are retained.
 */
export async function loadSmartSensorEvents(
  stores: Stores | Tx,
  knowledge: Knowledge,
  applianceIds: readonly string[],
  days: readonly Day[],
  sizes = SIZES,
  yieldNow: Yield = yieldOfStores(stores),
): Promise<Map<string, SmartEvidence[]>> {
  const numbers = days.map(dayNumber).sort((a, b) => a - b);
  const smartDays = knowledge.model.evidence.smartEvent.spanDays + SPARE_DAYS;
  const since = (numbers[0]! - smartDays) * MS_PER_DAY;
  const events = new Map<string, SmartEvidence[]>();
  const rows = await stores.sensorEvents.smartEvidence(applianceIds, since, sizes.atOnce + 1);
  if (rows.length <= sizes.atOnce) {
    for (const row of rows) {
      const known = events.get(row.applianceId);
      if (known) known.push(evidenceOf(row));
      else events.set(row.applianceId, [evidenceOf(row)]);
    }
    return events;
  }
  for (const id of applianceIds) {
    const counting = new ScoreRelevantReadings(knowledge, numbers);
    const until = (numbers.at(-1)! + 1) * MS_PER_DAY;
    for await (const page of pagesOf(stores, id, { since, until }, sizes.page)) {
      await yieldNow();
      await forEachYielding(page, yieldNow, (row) => counting.add(evidenceOf(row)));
    }
    events.set(id, counting.kept);
  }
  return events;
}

const evidenceOf = (row: SmartEvidenceRow): SmartEvidence => ({
  componentId: row.componentId,
  eventType: row.eventType!,
  severity: row.severity ?? "medium",
  sensorId: row.sensorId,
  recordedAt: row.recordedAt,
});

/** Yields an appliance's smart events, newest first. */
async function* pagesOf(
  { sensorEvents }: Pick<Stores, "sensorEvents">,
  applianceId: string,
  { since, until }: { since: Instant; until: Instant },
  limit: number,
): AsyncGenerator<SmartEvidenceRow[], void> {
  let before: SmartPlace | undefined = { recordedAt: until, id: "" };
  while (before) {
    const page: (SmartEvidenceRow & SmartPlace)[] = await sensorEvents.smartEvidenceBefore(
      applianceId,
      since,
      before,
      limit,
    );
    yield page;
    before = page.length < limit ? undefined : page.at(-1);
  }
}
