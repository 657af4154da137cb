import type { Property } from "../../domain/property.ts";
import { findServiceRecordStart } from "../../domain/scoring/service-record-start.ts";
import { type Day, dayOf, daysBetween } from "../../domain/time.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/** Returns whether an added event of that day moves the start of the property's service record back. */
export function extendsHistoryRecord(
  { knowledge }: PortfolioWriter,
  { recordsSince, recordsSinceGiven }: Property,
  day: Day,
): boolean {
  if (recordsSinceGiven || day >= recordsSince) return false;
  return daysBetween(day, recordsSince) <= knowledge.model.record.longestGapDays;
}

/**
 * Moves the start of properties' service records back over added events, where these adjoin the record. Returns the
 * properties that changed.
 */
export async function extendHistoryRecordStarts(
  writer: PortfolioWriter,
  properties: readonly Property[],
  added: ReadonlyMap<string, readonly Day[]>,
): Promise<Property[]> {
  const reached = properties.filter((property) =>
    added.get(property.id)?.some((day) => extendsHistoryRecord(writer, property, day)),
  );
  return await moveRecordStarts(writer, reached, ({ recordsSince }) => recordsSince);
}

/**
 * Derives the start of properties' service records again, after events were changed or voided. Returns the properties that
 * changed.
 */
export async function rederiveHistoryRecordStarts(
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
  const moved: Property[] = [];
  for (const property of properties) {
    if (property.recordsSinceGiven) continue;
    const recordsSince = await recordStartBefore(writer, property.id, knownFrom(property));
    if (recordsSince === property.recordsSince) continue;
    await writer.tx.properties.saveRecord(property.id, recordsSince);
    moved.push({ ...property, recordsSince });
  }
  return moved;
}

/** Derives the start of the record from the property's creation and its service events. */
export const deriveHistoryRecordStart = (
  writer: PortfolioWriter,
  { id, createdAt }: Pick<Property, "id" | "createdAt">,
): Promise<Day> => recordStartBefore(writer, id, dayOf(createdAt));

async function recordStartBefore(
  { tx, knowledge }: PortfolioWriter,
  propertyId: string,
  day: Day,
): Promise<Day> {
  const steps = findServiceRecordStart(day, knowledge.model);
  let step = steps.next();
  while (!step.done) {
    step = steps.next(await tx.serviceEvents.earliestDay(propertyId, step.value));
    await tx.yieldToEventLoop();
  }
  return step.value;
}
