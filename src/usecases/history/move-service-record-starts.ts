import type { Property } from "../../domain/property.ts";
import {
  findServiceRecordStart,
  movesServiceRecordStartBack,
} from "../../domain/scoring/service-record-start.ts";
import { type Day, dayOf } from "../../domain/time.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/**
 * Moves the start of properties' service records back over added events, where these adjoin the record. Returns the
 * properties that changed.
 */
export async function extendServiceRecordStarts(
  writer: PortfolioWriter,
  properties: readonly Property[],
  added: ReadonlyMap<string, readonly Day[]>,
): Promise<Property[]> {
  const reached = properties.filter((property) =>
    added.get(property.id)?.some((day) => movesServiceRecordStartBack(writer.knowledge.model, property, day)),
  );
  return await moveRecordStarts(writer, reached, ({ recordsSince }) => recordsSince);
}

/**
 * Derives the start of properties' service records again, after events were changed or voided. Returns the properties that
 * changed.
 */
export async function rederiveServiceRecordStarts(
  writer: PortfolioWriter,
  properties: readonly Property[],
): Promise<Property[]> {
  return await moveRecordStarts(writer, properties, ({ createdAt }) => dayOf(createdAt));
}

/** Moves the starts that partners do not state to where the days before `knownFrom` end. */
async function moveRecordStarts(
  writer: PortfolioWriter,
  properties: readonly Property[],
  knownFrom: (property: Property) => Day,
): Promise<Property[]> {
  const derived = properties.filter(({ recordsSinceGiven }) => !recordsSinceGiven);
  const starts = await recordStartsBefore(
    writer,
    derived.map((property) => ({ propertyId: property.id, day: knownFrom(property) })),
  );
  const moved: Property[] = [];
  for (const [at, property] of derived.entries()) {
    const recordsSince = starts[at]!;
    if (recordsSince === property.recordsSince) continue;
    await writer.tx.properties.saveRecord(property.id, recordsSince);
    moved.push({ ...property, recordsSince });
  }
  return moved;
}

/** Derives the start of the record from the property's creation and its service events. */
export async function loadServiceRecordStart(
  writer: PortfolioWriter,
  { id, createdAt }: Pick<Property, "id" | "createdAt">,
): Promise<Day> {
  const [start] = await recordStartsBefore(writer, [{ propertyId: id, day: dayOf(createdAt) }]);
  return start!;
}

/** Returns the start of each record. Each step asks for all properties together, since a round trip takes longer than most. */
async function recordStartsBefore(
  { tx, knowledge }: PortfolioWriter,
  records: readonly { propertyId: string; day: Day }[],
): Promise<Day[]> {
  const searches = records.map(({ propertyId, day }) => {
    const steps = findServiceRecordStart(day, knowledge.model);
    return { propertyId, steps, step: steps.next() };
  });
  for (;;) {
    const ranges = searches.flatMap(({ propertyId, step }) =>
      step.done ? [] : [{ propertyId, ...step.value }],
    );
    if (ranges.length === 0) return searches.map(({ step }) => step.value as Day);
    const days = await tx.serviceEvents.earliestDays(ranges, tx.yieldToEventLoop);
    for (const search of searches)
      if (!search.step.done) search.step = search.steps.next(days.get(search.propertyId));
    await tx.yieldToEventLoop();
  }
}
