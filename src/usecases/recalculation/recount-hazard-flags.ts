import { addHazardFlagCount, type HazardFlagCount } from "../../domain/hazards/hazard-flag-counts.ts";
import { countHazardFlags, type FlagCount } from "../../domain/hazards/hazard-flags.ts";
import type { Stores } from "../../store/stores.ts";
import type { RecountRepair, RecountStep } from "./recount-step.ts";

/* The recount of flagged appliances (`recountDerivedData`): by property, and from these over the portfolio. */

/** Reads a step from one snapshot of the database; with a repair, reads it again in the transaction that corrects it. */
type Run = <Found>(step: (read: Stores) => Promise<RecountStep<Found>>) => Promise<Found>;

/** Counts the wrong rows of a partner; `run` repairs them or not. */
export async function recountHazardFlags(
  partnerId: string,
  run: Run,
  { isRepairing, pageSize }: { isRepairing: boolean; pageSize: number },
): Promise<number> {
  let wrong = 0;
  // An error below the portfolio's counts is not counted once more in them.
  const missing = new Map<string, HazardFlagCount>();
  for (let offset = 0; ; offset += pageSize) {
    const { differences, isLast } = await run((read) =>
      checkProperties(read, partnerId, { offset, limit: pageSize }),
    );
    wrong += differences.length;
    if (!isRepairing) for (const difference of differences) addHazardFlagCount(missing, difference);
    if (isLast) break;
  }
  return wrong + (await run((read) => checkPortfolio(read, partnerId, missing)));
}

async function checkProperties(
  read: Stores,
  partnerId: string,
  slice: { offset: number; limit: number },
): Promise<RecountStep<{ differences: HazardFlagCount[]; isLast: boolean }>> {
  // Retired ones too, which count none.
  const numbered = await read.properties.numbered(partnerId, slice.offset, slice.offset + slice.limit);
  const ids = numbered.map(({ id }) => id);
  const isLast = ids.length < slice.limit;
  if (ids.length === 0) return { found: { differences: [], isLast }, repairs: [] };
  const counted = new Map(ids.map((id) => [id, new Map<string, FlagCount>()]));
  for (const { propertyId, flags, count } of await read.flags.recount(ids))
    countHazardFlags(counted.get(propertyId)!, flags, 1, count);
  const stored = Map.groupBy(await read.flags.stored(partnerId, ids), ({ propertyId }) => propertyId);
  const differences: HazardFlagCount[] = [];
  const repairs: RecountRepair[] = [];
  for (const [propertyId, counts] of counted) {
    const right = Array.from(counts, ([code, count]) => ({ code, ...count, properties: 1 }));
    for (const { row, difference } of compare(right, stored.get(propertyId) ?? [])) {
      differences.push(difference);
      repairs.push((tx) => tx.flags.set(partnerId, propertyId, row));
    }
  }
  return { found: { differences, isLast }, repairs };
}

async function checkPortfolio(
  read: Stores,
  partnerId: string,
  missing: ReadonlyMap<string, HazardFlagCount>,
): Promise<RecountStep<number>> {
  const right = new Map(missing);
  for (const count of await read.flags.sumOfProperties(partnerId)) addHazardFlagCount(right, count);
  const wrong = compare([...right.values()], await read.flags.stored(partnerId, [""]));
  return {
    found: wrong.length,
    repairs: wrong.map(
      ({ row }): RecountRepair =>
        (tx) =>
          tx.flags.set(partnerId, null, row),
    ),
  };
}

/** Returns the rows that differ, as they should be, with what is missing from the stored ones. */
function compare(
  right: readonly HazardFlagCount[],
  stored: readonly HazardFlagCount[],
): { row: HazardFlagCount; difference: HazardFlagCount }[] {
  const rows = new Map(stored.map((row) => [row.code, row]));
  const wanted = new Map(right.map((row) => [row.code, row]));
  return [...new Set([...wanted.keys(), ...rows.keys()])].flatMap((code) => {
    const row = wanted.get(code) ?? { code, ...NONE };
    const before = rows.get(code) ?? { code, ...NONE };
    const difference = {
      code,
      known: row.known - before.known,
      suspected: row.suspected - before.suspected,
      properties: row.properties - before.properties,
    };
    const isRight = difference.known === 0 && difference.suspected === 0 && difference.properties === 0;
    return isRight ? [] : { row, difference };
  });
}

const NONE = { known: 0, suspected: 0, properties: 0 };
