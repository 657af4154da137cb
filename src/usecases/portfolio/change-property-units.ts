import { conflict } from "../../domain/errors.ts";
import type { Tx } from "../../store/store.ts";

/** Units that one statement adds. */
const UNITS_A_STEP = 500;

/** Adds or deletes units. Throws a conflict, with nothing written, if one that would be deleted contains an appliance. */
export async function changeUnitsInProperty(tx: Tx, propertyId: string, unitCount: number): Promise<void> {
  const present = await tx.units.highest(propertyId);
  if (unitCount >= present) return await createUnitsInProperty(tx, propertyId, present, unitCount);
  const inUse = await tx.units.inUseAbove(propertyId, unitCount);
  if (inUse.length > 0) {
    const names = inUse.slice(0, 10).map((unit) => `${unit.number} (${unit.id})`);
    const more = inUse.length > names.length ? ` and ${inUse.length - names.length} more` : "";
    throw conflict(
      `unit_count cannot be reduced: these units still contain appliances: ${names.join(", ")}${more}`,
    );
  }
  await tx.units.deleteAbove(propertyId, unitCount);
}

/** Adds the units with the numbers after `from`, up to `to`. */
export async function createUnitsInProperty(
  tx: Tx,
  propertyId: string,
  from: number,
  to: number,
): Promise<void> {
  for (let last = from; last < to; ) {
    const units = [];
    const end = Math.min(to, last + UNITS_A_STEP);
    while (last < end) units.push({ id: tx.newId("unit"), propertyId, number: ++last, createdAt: tx.now });
    await tx.units.insert(units);
    await tx.yieldToEventLoop();
  }
}
