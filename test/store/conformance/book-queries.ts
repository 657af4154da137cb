import { beforeAll, describe, expect, test } from "bun:test";
import { PROPERTY_TOTALS } from "../../../src/domain/figures/property-totals.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import {
  matchesPropertyFilterRule,
  type PropertyFilter,
} from "../../../src/domain/rules/property-filter-rule.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { loadBookAlerts } from "../../../src/usecases/book-of-business/load-book-alerts.ts";
import {
  loadBookOfBusinessPortfolio,
  loadBookOfBusinessProperties,
} from "../../../src/usecases/book-of-business/load-book-properties.ts";
import { renewChangedPlans } from "../../../src/usecases/planning/load-portfolio-plan.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import {
  ALL,
  type Called,
  DAY,
  knowledge,
  type MakeDatabase,
  NOW,
  openTestStore,
  type TestStore,
} from "./test-store.ts";

const yieldNow = async () => {};
const STATES = ["NY", "VT", "OH"];
/** The properties of each partner. */
const SIZES = [3, 0, 5, 1, 1, 4, 2];

/** The lists of all partners as one. */
export function bookQueries(make: MakeDatabase, called: Called): void {
  let fixture: TestStore;
  let partners: Partner[];
  const read = () => fixture.store.read;
  const deps = () => ({ store: fixture.store, knowledge, yieldNow });
  const allOf = async <Row>(list: (partnerId: string) => Promise<Row[]>) =>
    (await Promise.all(partners.map(({ id }) => list(id)))).flat();

  beforeAll(async () => {
    fixture = await openTestStore(await make(), called);
    partners = [];
    for (const [at, size] of SIZES.entries()) {
      const partner = await fixture.addPartner({ name: `Partner ${at}` });
      partners.push(partner);
      for (let n = 0; n < size; n++) {
        const state = STATES[(at + n) % STATES.length]!;
        const isDemo = n === 1 && at === 2;
        const { id } = await fixture.addProperty(partner, { name: `House ${n}`, state }, isDemo);
        await fixture.addAppliance(partner, { propertyId: id, installYear: 1990 + 2 * ((3 * n + at) % 8) });
        await fixture.addAppliance(partner, {
          propertyId: id,
          typeId: "electrical_panel",
          installYear: 1975,
          brand: n % 2 === 0 ? "Federal Pacific" : "Square D",
        });
      }
    }
    const { id } = (await read().properties.portfolioPage(partners[5]!.id, ALL))[1]!.property;
    await fixture.write(partners[5]!, (writer) => changeProperty(writer, id, { retiredAt: DAY }));
  });

  describe("the book", () => {
    test("lists properties by partner and creation at any offset, with their sums", async () => {
      const all = await allOf((id) => read().properties.portfolioPage(id, ALL));
      const idsOf = (rows: readonly { property: { id: string } }[]) =>
        rows.map(({ property }) => property.id);
      expect(all).toHaveLength(15);
      for (let offset = 0; offset <= all.length; offset++)
        for (const limit of [1, 4, 7]) {
          const selection = { partnerIds: undefined, filter: undefined };
          const page = await loadBookOfBusinessProperties(deps(), selection, { limit, offset });
          expect(page.total).toBe(all.length);
          expect(idsOf(page.rows)).toEqual(idsOf(all.slice(offset, offset + limit)));
          for (const { partner, property, flags } of page.rows) {
            expect(partner.id).toBe(property.partnerId);
            expect(flags).toEqual(
              (await read().flags.ofProperty(partner.id, property.id)).map((count) => ({
                propertyId: property.id,
                ...count,
              })),
            );
          }
        }
    });

    test("sums up partners, without demo properties unless they are included", async () => {
      for (const partnerIds of [undefined, new Set([partners[2]!.id, partners[5]!.id])])
        for (const includeDemo of [false, true]) {
          const selection = { partnerIds, filter: undefined };
          const page = await loadBookOfBusinessPortfolio(deps(), selection, includeDemo, ALL);
          const counted = page.rows.filter(({ property }) => includeDemo || !property.isDemo);
          expect(page.totals.properties).toBe(counted.length);
          expect(page.counted!.components).toBe(page.totals.components);
          for (const name of PROPERTY_TOTALS)
            expect(page.totals[name], name).toBe(counted.reduce((sum, { totals }) => sum + totals[name], 0));
          const known = counted
            .flatMap(({ flags }) => flags)
            .filter(({ code }) => code === "federal_pacific");
          const ofCode = page.flags.find(({ code }) => code === "federal_pacific")!;
          expect([ofCode.known, ofCode.properties]).toEqual([known.length, known.length]);
        }
    });

    test.each<PropertyFilter>([
      { state: "NY" },
      { text: "house 1" },
      { flag: "federal_pacific" },
      { state: "VT", flag: "federal_pacific" },
      { retired: "only" },
      { state: "OH", retired: "included" },
      { city: "nowhere" },
    ])("lists the properties that match %j, with their sums", async (filter) => {
      const numbered = await allOf((id) => read().properties.numbered(id, 0, 1000));
      const matches = [];
      for (const property of numbered) {
        const isListed = filter.retired === "only" ? property.seq < 0 : filter.retired || property.seq > 0;
        const flags = await read().flags.ofProperty(property.partnerId, property.id);
        const isFlagged = filter.flag === undefined || flags.some(({ code }) => code === filter.flag);
        if (isListed && isFlagged && matchesPropertyFilterRule(filter, property)) matches.push(property.id);
      }
      const selection = { partnerIds: undefined, filter };
      const all = await loadBookOfBusinessPortfolio(deps(), selection, false, ALL);
      expect(all.rows.map(({ property }) => property.id)).toEqual(matches);
      expect(all.total).toBe(matches.length);
      for (const includeDemo of [false, true]) {
        const { totals, counted } = await loadBookOfBusinessPortfolio(deps(), selection, includeDemo, ALL);
        const summed = all.rows.filter(
          ({ property }) => property.seq > 0 && (includeDemo || !property.isDemo),
        );
        expect(totals.properties).toBe(summed.length);
        for (const name of PROPERTY_TOTALS)
          expect(totals[name], name).toBe(summed.reduce((sum, row) => sum + row.totals[name], 0));
        expect(counted!.components).toBe(totals.components);
      }
      for (let offset = 0; offset <= matches.length; offset += 2) {
        const page = await loadBookOfBusinessProperties(deps(), selection, { limit: 2, offset });
        expect(page.rows.map(({ property }) => property.id)).toEqual(matches.slice(offset, offset + 2));
      }
    });

    test.each(["score", "cost"] as const)(
      "lists alerts by %s, partner and creation at any offset",
      async (by) => {
        const value = ({ score: "riskScore", cost: "expectedCostCents" } as const)[by];
        const values = new Set<number>();
        for (const filter of [
          {},
          { state: "NY" },
          { system: "electrical" },
          { state: "VT", system: "plumbing" },
        ])
          for (const tier of [undefined, "CRITICAL", "WARNING"] as const) {
            const own = (await allOf((id) => read().components.elevatedPage(id, ALL, tier))).filter(
              ({ state, defId }) =>
                (!("state" in filter) || state === filter.state) &&
                (!("system" in filter) || knowledge.component(defId).system === filter.system),
            );
            const place = new Map(partners.map(({ id }, at) => [id, at]));
            const order = own
              .sort(
                (a, b) =>
                  b[value] - a[value] || place.get(a.partnerId)! - place.get(b.partnerId)! || a.seq - b.seq,
              )
              .map(({ id }) => id);
            for (const row of own) values.add(row[value]);
            const selection = { order: by, partnerIds: undefined, tier, ...filter };
            for (let offset = 0; offset <= order.length + 2; offset += 3) {
              const limit = offset % 2 === 0 ? 5 : 17;
              const page = await loadBookAlerts(deps(), selection, { limit, offset });
              expect(page.rows.map(({ id }) => id)).toEqual(order.slice(offset, offset + limit));
              expect(page.critical + page.warning).toBe(order.length);
              for (const { partner, partnerId } of page.rows) expect(partner.id).toBe(partnerId);
            }
          }
        expect(values.size).toBeGreaterThan(3);
        // The second partner has no alerts.
        const of = async (...places: number[]) => {
          const partnerIds = new Set(places.map((at) => partners[at]!.id));
          return await loadBookAlerts(
            deps(),
            { order: by, partnerIds, tier: undefined },
            { limit: 99, offset: 0 },
          );
        };
        expect(await of(1)).toEqual({ rows: [], critical: 0, warning: 0 });
        const alone = await of(2);
        expect(alone.rows.length).toBeGreaterThan(0);
        expect(await of(1, 2)).toEqual(alone);
      },
    );

    test("is read in as few queries for many partners as for two", async () => {
      const queries = async (partnerIds: ReadonlySet<string> | undefined) => {
        const { store, taken } = counting(fixture);
        const counted = { store, knowledge, yieldNow };
        const slice = { limit: 6, offset: 5 };
        const found = [];
        for (const filter of [undefined, { state: "NY" }]) {
          await loadBookOfBusinessPortfolio(counted, { partnerIds, filter }, false, slice);
          found.push(taken());
        }
        for (const order of ["score", "cost"] as const) {
          await loadBookAlerts(counted, { order, partnerIds, state: "NY" }, { limit: 1, offset: 5 });
          found.push(taken());
        }
        return found;
      };
      // Plans that changed are counted one by one, up to a limit.
      for (const { id } of partners)
        await renewChangedPlans({ store: fixture.store, knowledge, clock: () => NOW, yieldNow }, id);
      const ofTwo = await queries(new Set([partners[0]!.id, partners[2]!.id]));
      const ofAll = await queries(undefined);
      for (const [at, count] of ofAll.entries()) expect(count).toBeLessThanOrEqual(ofTwo[at]! + 2);
      expect(Math.max(...ofAll)).toBeLessThan(18);
    });

    test("refuses unknown partners", async () => {
      const selection = { partnerIds: new Set([partners[0]!.id, "PARTNER_none"]), filter: undefined };
      await expect(loadBookOfBusinessProperties(deps(), selection, ALL)).rejects.toThrow(
        "Partner not found: PARTNER_none",
      );
    });
  });
}

/** Counts the queries of reads: each method call on a store of a resource. */
function counting({ store }: TestStore) {
  let reads = 0;
  const counted = (stores: Stores) =>
    Object.fromEntries(
      Object.entries(stores).map(([resource, queries]) => [
        resource,
        Object.fromEntries(
          Object.entries(queries).map(([name, query]) => [
            name,
            (...given: never[]) => {
              reads++;
              return (query as (...given: never[]) => unknown)(...given);
            },
          ]),
        ),
      ]),
    ) as Stores;
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
