import type { Property } from "../../domain/property.ts";
import { serviceRecordStart } from "../../domain/scoring/service-record-start.ts";
import { type Day, dayOf, daysBetween } from "../../domain/time.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/** Properties whose days are loaded together. */
const BATCH = 50;

/**
 * Moves the start of properties' service records back over added events, where these adjoin the record. Returns the
 * properties that changed.
 */
export async function extendRecordStarts(
  { tx, knowledge }: PortfolioWriter,
  properties: readonly Property[],
  added: ReadonlyMap<string, readonly Day[]>,
): Promise<Property[]> {
  const { longestGapDays } = knowledge.model.record;
  const reached = properties.filter(
    (property) =>
      !property.recordsSinceGiven &&
      added
        .get(property.id)
        ?.some(
          (day) => day < property.recordsSince && daysBetween(day, property.recordsSince) <= longestGapDays,
        ),
  );
  const moved: Property[] = [];
  for (let from = 0; from < reached.length; from += BATCH) {
    const some = reached.slice(from, from + BATCH);
    const ids = some.map(({ id }) => id);
    const days = Map.groupBy(await tx.serviceEvents.daysBeforeRecords(ids), ({ propertyId }) => propertyId);
    for (const property of some) {
      const own = (days.get(property.id) ?? []).map(({ date }) => date);
      const since = serviceRecordStart(property.recordsSince, own, knowledge.model);
      if (since === property.recordsSince) continue;
      await tx.properties.saveRecord(property.id, since);
      moved.push({ ...property, recordsSince: since });
    }
    await tx.yieldToEventLoop();
  }
  return moved;
}

/**
 * Derives the start of properties' service records again, after events were changed or voided. Returns the properties that
 * changed.
 */
export async function rederiveRecordStarts(
  writer: PortfolioWriter,
  properties: readonly Property[],
): Promise<Property[]> {
  const moved: Property[] = [];
  for (const property of properties) {
    if (property.recordsSinceGiven) continue;
    const since = await deriveRecordStart(writer, property);
    await writer.tx.yieldToEventLoop();
    if (since === property.recordsSince) continue;
    await writer.tx.properties.saveRecord(property.id, since);
    moved.push({ ...property, recordsSince: since });
  }
  return moved;
}

/** Derives the start of the record from the property's creation and its service events. */
export async function deriveRecordStart(
  { tx, knowledge }: PortfolioWriter,
  property: Pick<Property, "id" | "createdAt">,
): Promise<Day> {
  const registeredOn = dayOf(property.createdAt);
  const days = await tx.serviceEvents.daysBefore(property.id, registeredOn);
  return serviceRecordStart(registeredOn, days, knowledge.model);
}
