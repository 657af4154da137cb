import { beforeAll, describe, expect, test } from "bun:test";
import type { Stores } from "../../../src/store/stores.ts";
import { bookAlerts } from "../../../src/usecases/book/book-alerts.ts";
import { BookCounts } from "../../../src/usecases/book/book-counts.ts";
import { bookPortfolio } from "../../../src/usecases/book/book-properties.ts";
import { bookMembers } from "../../../src/usecases/book/members.ts";
import { AnswerCaches } from "../../../src/usecases/partners/answer-caches.ts";
import { createPartner } from "../../../src/usecases/partners/partners.ts";
import { createAppliance } from "../../../src/usecases/portfolio/appliances.ts";
import { writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { createProperty } from "../../../src/usecases/portfolio/properties.ts";
import {
  APPLIANCE,
  knowledge,
  type PortfolioFixture,
  PROPERTY,
  usePortfolioStore,
} from "../../support/portfolio-store.ts";

const PARTNERS = 12;
const open = usePortfolioStore();
let fixture: PortfolioFixture;
let ids: string[];

async function addProperties(partnerId: string, count: number): Promise<void> {
  const { store } = fixture;
  const partner = (await store.read.partners.find(partnerId))!;
  await writePortfolio(store.write, knowledge, partner, async (writer) => {
    for (let n = 0; n < count; n++) {
      const { id } = await createProperty(writer, { ...PROPERTY, name: `House ${n}` }, { source: "api" });
      await createAppliance(writer, { ...APPLIANCE, propertyId: id, installYear: 1996 + 2 * n });
    }
  });
}

beforeAll(async () => {
  fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
  ids = [fixture.partnerId];
  for (let n = 1; n < PARTNERS; n++) {
    const { partner } = await createPartner(fixture.administration, {
      name: `Partner ${n}`,
      dailyBudget: 1000,
      webhookUrl: null,
    });
    ids.push(partner.id);
  }
  for (const id of ids) await addProperties(id, 3);
});

/** Counts the queries of a read: each method call on a store of a resource. */
function counting() {
  let reads = 0;
  const counted = (stores: Stores) =>
    new Proxy(stores, {
      get(target, resource) {
        const store = Reflect.get(target, resource) as object;
        if (typeof store !== "object" || store === null) return store;
        return new Proxy(store, {
          get(methods, name) {
            const method = Reflect.get(methods, name);
            if (typeof method !== "function") return method;
            return (...given: unknown[]) => {
              reads++;
              return method.apply(methods, given);
            };
          },
        });
      },
    });
  const { store } = fixture;
  return {
    store: {
      read: counted(store.read),
      inReadSnapshot: <T>(run: (read: Stores) => Promise<T>) =>
        store.inReadSnapshot((read) => run(counted(read))),
    },
    taken: () => {
      const before = reads;
      reads = 0;
      return before;
    },
  };
}

const newCounts = () => new BookCounts(new AnswerCaches(1e6));
const SLICE = { limit: 5, offset: 10 };

// Rule: book-lists
describe("a page of the book", () => {
  const readPage = async (counts: BookCounts, store: ReturnType<typeof counting>["store"]) => {
    const members = await bookMembers(store.read, undefined);
    const deps = { store, counts, yieldNow: async () => {} };
    return await bookPortfolio(deps, members, undefined, false, SLICE);
  };

  test("reads its own rows alone once the partners are counted, and counts a changed one again", async () => {
    const counts = newCounts();
    const { store, taken } = counting();
    const first = await readPage(counts, store);
    const counted = taken();
    const again = await readPage(counts, store);
    const kept = taken();
    expect(again).toEqual(first);
    expect(again).toMatchObject({ total: 3 * PARTNERS, totals: { properties: 3 * PARTNERS } });
    // The rows of the page belong to three partners at most, whatever their number.
    expect(kept).toBeLessThan(14);
    expect(counted).toBeGreaterThan(2 * PARTNERS);
    await addProperties(ids[0]!, 1);
    const changed = await readPage(counts, store);
    expect(changed).toMatchObject({ total: 3 * PARTNERS + 1, totals: { properties: 3 * PARTNERS + 1 } });
    expect(changed).toEqual(await readPage(newCounts(), fixture.store as never));
    expect(taken()).toBeLessThan(20);
  });

  test("of alerts does so, too", async () => {
    const counts = newCounts();
    const { store, taken } = counting();
    const members = await bookMembers(store.read, undefined);
    const read = (kept: BookCounts) => bookAlerts({ store, counts: kept }, members, {}, undefined, SLICE);
    const first = await read(counts);
    expect(first.rows).toHaveLength(SLICE.limit);
    taken();
    expect(await read(counts)).toEqual(first);
    expect(taken()).toBeLessThan(8);
    await addProperties(ids[1]!, 2);
    const changed = await read(counts);
    expect(changed.critical + changed.warning).toBeGreaterThan(first.critical + first.warning);
    expect(changed).toEqual(await read(newCounts()));
  });
});
