import { type ReserveFunding, reserveStartedForFirstYear } from "../planning/level-deposit.ts";
import { wholeMoney } from "./currency-and-unit-wording.ts";

/** Returns a sentence about a reserve whose deposit the needs of its first year decide; undefined for another. */
export function wordingOfFirstYearReserve(
  needsCents: readonly number[],
  funding: ReserveFunding,
): string | undefined {
  const started = reserveStartedForFirstYear(needsCents, funding);
  if (started === null) return undefined;
  const money = (cents: number) => wholeMoney(Math.ceil(cents / 100));
  return `Year 1 decides the deposit for expected costs: with ${money(started.openingCents)} in the reserve at the start, ${money(started.depositCents)} a year is enough.`;
}
