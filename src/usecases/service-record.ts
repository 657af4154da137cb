import type { Property } from "../domain/property.ts";
import { recordsSince } from "../domain/scoring/record.ts";
import { type Day, dayOf, daysBetween } from "../domain/time.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";

/**
 * Moves the day from which a property's service record is complete back over events that were added, where they reach
 * on from it. Returns the property as it is now.
 */
export async function extendRecord(
  { tx, knowledge }: PortfolioWriter,
  property: Property,
  added: readonly Day[],
): Promise<Property> {
  if (property.recordsSinceGiven) return property;
  const { longestGapDays } = knowledge.model.record;
  const reaches = (day: Day) =>
    day < property.recordsSince && daysBetween(day, property.recordsSince) <= longestGapDays;
  if (!added.some(reaches)) return property;
  const days = await tx.serviceEvents.daysBefore(property.id, property.recordsSince);
  const since = recordsSince(property.recordsSince, days, knowledge.model);
  await tx.properties.update(property.id, { recordsSince: since });
  return { ...property, recordsSince: since };
}

/** The day that follows from the property's registration and its service events. */
export async function derivedRecord(
  { tx, knowledge }: PortfolioWriter,
  property: Pick<Property, "id" | "createdAt">,
): Promise<Day> {
  const registeredOn = dayOf(property.createdAt);
  const days = await tx.serviceEvents.daysBefore(property.id, registeredOn);
  return recordsSince(registeredOn, days, knowledge.model);
}
