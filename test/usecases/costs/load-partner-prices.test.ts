import { expect, test } from "bun:test";
import {
  loadPartnerPrices,
  unloadPartnerPricesExcept,
} from "../../../src/usecases/costs/load-partner-prices.ts";
import { knowledge } from "../../support/portfolio-store.ts";

/** Returns price lists of partners whose books have so many lines; counts how often a book is read. */
function listsOf(lines: number) {
  const own = { ...knowledge };
  let reads = 0;
  /** The digest of the stored book; as the caller knows it unless a test sets it. */
  let stored: string | undefined;
  let expected = "";
  const costLines = {
    async withDigest() {
      reads++;
      const book = Array.from({ length: lines }, (_, nth) => ({
        typeId: "water_heater_gas",
        componentDefId: null,
        state: null,
        proactiveCents: 100_000 + nth,
        reactiveCents: 200_000,
        size: null,
      }));
      return { costBook: stored ?? expected, lines: book };
    },
  };
  return {
    reads: () => reads,
    drop: (partners: ReadonlyMap<string, number>) => unloadPartnerPricesExcept(own, partners),
    store: (costBook: string) => {
      stored = costBook;
    },
    prices: (id: string, costBook = "1") => {
      expected = costBook;
      return loadPartnerPrices({ costLines } as never, own, { id, costBook });
    },
  };
}

test("a partner's prices are kept until its cost book changes, or the partner is gone", async () => {
  const { prices, reads, drop } = listsOf(3);
  const first = await prices("PARTNER_1");
  expect(await prices("PARTNER_1")).toBe(first);
  expect(reads()).toBe(1);
  drop(new Map([["PARTNER_1", 1]]));
  expect(await prices("PARTNER_1")).toBe(first);
  expect(await prices("PARTNER_1", "2")).not.toBe(first);
  const second = await prices("PARTNER_1", "2");
  drop(new Map());
  expect(await prices("PARTNER_1", "2")).not.toBe(second);
});

test("a caller that read its partner before the book changed keeps no prices under the digest of before", async () => {
  const { prices, store } = listsOf(3);
  store("2");
  const changed = await prices("PARTNER_1", "1");
  expect(await prices("PARTNER_1", "2")).toBe(changed);
  store("1");
  expect(await prices("PARTNER_1", "1")).not.toBe(changed);
});

// Rule: cache-bytes
test("the prices of many partners take as much memory as a limit says, measured as they grow", async () => {
  const { prices, reads } = listsOf(3);
  const ids = Array.from({ length: 8 }, (_, nth) => `PARTNER_${nth}`);
  for (const id of [...ids, ...ids]) await prices(id);
  expect(reads()).toBe(ids.length);
  const place = { state: "NY", unitCount: 1, grossAreaSqft: null, stories: null };
  for (const id of ids) {
    const list = await prices(id);
    for (let size = 1; size <= 5_000; size++)
      list.ofAppliance({ typeId: "water_heater_gas", size, unitId: null }, place);
    expect(list.kept).toBe(5_000);
    await prices(id);
  }
  const before = reads();
  // The latest first, so that a list that is read again displaces none that is asked for later.
  for (const id of ids.toReversed()) await prices(id);
  expect(reads() - before).toBeGreaterThanOrEqual(2);
});
