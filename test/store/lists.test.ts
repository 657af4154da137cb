import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { tierOfHundredths, WARNING_FROM } from "../../src/domain/component.ts";
import { PriceList } from "../../src/domain/costs/price-list.ts";
import type { System } from "../../src/domain/domain-knowledge.ts";
import { BLOCK_SIZE } from "../../src/store/queries/stored-counter-buckets.ts";
import type { ApplianceRef } from "../../src/usecases/portfolio/portfolio-writer.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../support/portfolio-store.ts";
import { runsOnEngine } from "../support/postgres.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
let fixture: PortfolioFixture;
let propertyIds: string[];
const stateOf = new Map<string, string>();
let applianceOf: Map<string, ApplianceRef>;

/** More components than two blocks of the counters hold, of every age. */
beforeAll(async () => {
  fixture = await open(NOW);
  const types = ["elevator", "water_heater_gas", "roof", "hvac_central"];
  propertyIds = [];
  for (let nth = 0; nth < 12; nth++) {
    const state = nth % 3 === 0 ? "VT" : "NY";
    const { id } = await fixture.addProperty({ name: `Property ${nth}`, state });
    stateOf.set(id, state);
    propertyIds.push(id);
    const appliances = Array.from({ length: 64 }, (_, at) => ({
      propertyId: id,
      typeId: types[at % 4]!,
      installYear: 2026 - ((at * 7 + nth) % 45),
    }));
    await fixture.addAppliances(...appliances);
  }
  applianceOf = await readAppliances();
});

const readAppliances = async () =>
  new Map((await fixture.store.read.appliances.forScoring(propertyIds)).map((row) => [row.id, row]));

type Places = { system?: System; state?: string };
const PLACES: readonly Places[] = [
  {},
  { system: "plumbing" },
  { state: "NY" },
  { system: "conveyance", state: "NY" },
];
type Row = {
  id: string;
  seq: number;
  propertyId: string;
  applianceId: string;
  defId: string;
  riskScore: number;
  expectedCostCents: number;
  riskTier: string;
  rescoredAt: number | null;
};

/** Returns all stored components, in creation order. */
const stored = async () =>
  (await fixture.sql(
    `SELECT id, seq, property_id AS "propertyId", appliance_id AS "applianceId", def_id AS "defId", risk_score AS "riskScore", expected_cost_cents AS "expectedCostCents",
       risk_tier AS "riskTier", rescored_at AS "rescoredAt" FROM components ORDER BY seq`,
  )) as Row[];

/** The score changes: the component (modulo their number), the score in hundredths, and true for a snapshot's. */
const moves = fc.array(
  fc.record({ which: fc.nat(), hundredths: fc.integer({ min: 0, max: 99 }), bySnapshot: fc.boolean() }),
  { maxLength: 120, size: "max" },
);
type Move = { which: number; hundredths: number; bySnapshot: boolean };

async function apply(list: readonly Move[]): Promise<void> {
  fixture.time.now += 1000;
  // Each change of what is due on an appliance is relative to what is stored.
  applianceOf = await readAppliances();
  const rows = await fixture.store.read.components.ofProperties(propertyIds);
  const latest = new Map(rows.map((row) => [row.id, row]));
  await fixture.write(async (writer) => {
    for (const { which, hundredths, bySnapshot } of list) {
      const before = latest.get(rows[which % rows.length]!.id)!;
      const score = {
        ...before,
        riskScore: hundredths / 100,
        riskTier: tierOfHundredths(hundredths),
        ageYears: 1,
        scaleYears: 20,
        prior: 0.5,
        periodRisk: 0.1,
      };
      const cause = bySnapshot ? "snapshot" : "history";
      const appliance = applianceOf.get(before.applianceId)!;
      latest.set(before.id, await writer.saveScore(before, appliance, score, "2026-03-10", cause));
    }
  });
}

const slices = fc.record({
  limit: fc.integer({ min: 1, max: 200 }),
  offset: fc.nat({ max: 2 * BLOCK_SIZE + 900 }),
});
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe("for any changes of scores, at any offset", () => {
  type RowRange = { limit: number; offset: number };
  type List = {
    name: string;
    read: (slice: RowRange) => Promise<{ id: string }[]>;
    /** Returns the rows that belong to the list, in its order. The test cuts them into pages. */
    model: (rows: readonly Row[]) => readonly Row[];
    /** Returns the total that the list reports, where a separate query reads it. */
    count?: () => Promise<number>;
  };
  const TIERS = ["CRITICAL", "WARNING", "GOOD"] as const;
  const ELEVATED = ["CRITICAL", "WARNING"] as const;
  const elevated = (rows: readonly Row[]) => rows.filter(({ riskScore }) => riskScore >= WARNING_FROM);
  const byScore = (a: Row, b: Row) => b.riskScore - a.riskScore || a.seq - b.seq;
  const alertsOf = (by: Places, tier?: (typeof ELEVATED)[number]): List => {
    const { components } = fixture.store.read;
    const filter = { partnerId: fixture.partnerId, ...by };
    return {
      name: `alerts of ${JSON.stringify(by)} and the tier ${tier}`,
      read: (slice) => components.alertPage(filter, tier, slice),
      model: (rows) =>
        elevated(rows)
          .filter((row) => tier === undefined || row.riskTier === tier)
          .filter((row) => by.system === undefined || knowledge.component(row.defId).system === by.system)
          .filter((row) => by.state === undefined || stateOf.get(row.propertyId) === by.state)
          .sort(byScore),
      async count() {
        const { critical, warning } = await components.countAlerts(filter, tier);
        return critical + warning;
      },
    };
  };
  const lists = ({ partnerId, store }: PortfolioFixture): List[] => {
    const { components } = store.read;
    return [
      {
        name: "components, by creation",
        read: (slice) => components.page(partnerId, slice),
        model: (rows) => rows,
      },
      ...TIERS.map((tier) => ({
        name: `${tier} components, by creation`,
        read: (slice: RowRange) => components.tierPage(partnerId, tier, slice),
        model: (rows: readonly Row[]) => rows.filter(({ riskTier }) => riskTier === tier),
      })),
      {
        name: "alerts, by score, the highest first, then by creation",
        read: (slice) => components.elevatedPage(partnerId, slice),
        model: (rows) => elevated(rows).sort(byScore),
      },
      ...ELEVATED.map((tier) => ({
        name: `alerts of the tier ${tier}`,
        read: (slice: RowRange) => components.elevatedPage(partnerId, slice, tier),
        model: (rows: readonly Row[]) => rows.filter(({ riskTier }) => riskTier === tier).sort(byScore),
      })),
      ...PLACES.map((by) => {
        const { model, ...list } = alertsOf(by);
        return {
          name: `${list.name}, by cost`,
          read: (slice: RowRange) => components.costliestPage({ partnerId, ...by }, undefined, slice),
          model: (rows: readonly Row[]) =>
            model(rows).toSorted((a, b) => b.expectedCostCents - a.expectedCostCents || a.seq - b.seq),
        };
      }),
      alertsOf({ system: "plumbing" }),
      alertsOf({ system: "hvac" }, "WARNING"),
      alertsOf({ state: "VT" }),
      alertsOf({ state: "NY" }, "CRITICAL"),
      alertsOf({ system: "structural", state: "VT" }),
      alertsOf({ system: "conveyance", state: "NY" }, "WARNING"),
      alertsOf({ system: "amenity", state: "NY" }),
      {
        name: "the event stream's components, by the moment of their scoring, then by creation",
        read: (slice) => components.elevatedByScoring(partnerId, slice),
        model: (rows) =>
          elevated(rows).sort((a, b) => (a.rescoredAt ?? 0) - (b.rescoredAt ?? 0) || a.seq - b.seq),
      },
    ];
  };

  test("there are enough components to fill several blocks", async () => {
    expect((await stored()).length).toBeGreaterThan(2 * BLOCK_SIZE);
  });

  // Rule: paging-while-scoring, alert-filters, events-order
  test("every list is sorted, and its total is correct", async () => {
    await fc.assert(
      fc.asyncProperty(moves, fc.array(slices, { minLength: 1, maxLength: 5 }), async (list, wanted) => {
        await apply(list);
        const rows = await stored();
        for (const { name, read, model, count } of lists(fixture)) {
          const expected = idsOf(model(rows));
          for (const slice of [
            ...wanted,
            { limit: 200, offset: 0 },
            { limit: 10, offset: expected.length },
            { limit: 5, offset: Math.max(expected.length - 3, 0) },
          ])
            expect(idsOf(await read(slice)), `${name}, ${JSON.stringify(slice)}`).toEqual(
              expected.slice(slice.offset, slice.offset + slice.limit),
            );
          if (count) expect(await count(), name).toBe(expected.length);
        }
      }),
      { numRuns: runsOnEngine(10) },
    );
  });

  test("the event stream's components continue after any of them in the order of the whole list", async () => {
    const { components } = fixture.store.read;
    await fc.assert(
      fc.asyncProperty(moves, fc.nat(), fc.integer({ min: 1, max: 200 }), async (list, nth, limit) => {
        await apply(list);
        const whole = await components.elevatedByScoring(fixture.partnerId, { limit: 10_000, offset: 0 });
        const settled = whole.filter(({ rescoredAt }) => rescoredAt === null).length;
        for (const at of [nth % whole.length, nth % settled, settled - 1, settled, whole.length - 1]) {
          const after = await components.elevatedAfter(fixture.partnerId, whole[at]!, limit);
          expect(idsOf(after)).toEqual(idsOf(whole.slice(at + 1, at + 1 + limit)));
        }
      }),
      { numRuns: runsOnEngine(15) },
    );
  });
});

describe("for any changes of scores, the stored sums equal those of a recount", () => {
  const defs = knowledge.components;
  const prices = new PriceList(knowledge, knowledge.priceTerms);

  /** Returns the cost of elevated components; that of CRITICAL ones comes first where a whole unit limits both. */
  function costOf(rows: Row[], column: "plannedCents" | "failedCents") {
    const sums = { CRITICAL: 0, WARNING: 0 };
    for (const [applianceId, parts] of Map.groupBy(rows, (row) => row.applianceId)) {
      const appliance = applianceOf.get(applianceId)!;
      const place = { unitCount: 0, grossAreaSqft: null, stories: null };
      const here = prices.ofAppliance(appliance, { ...place, state: stateOf.get(appliance.propertyId)! });
      let left = here.isWhole ? here.unit()[column] : Number.POSITIVE_INFINITY;
      for (const tier of ["CRITICAL", "WARNING"] as const)
        for (const { defId, riskTier } of parts) {
          const cents = riskTier === tier ? Math.min(here.component(defId)[column], left) : 0;
          sums[tier] += cents;
          left -= cents;
        }
    }
    return sums;
  }

  /** Returns the expected `totals` of these components. */
  function recount(rows: Row[]) {
    const of = (tier: string) => rows.filter(({ riskTier }) => riskTier === tier);
    const [planned, failed] = [costOf(rows, "plannedCents"), costOf(rows, "failedCents")];
    return {
      components: rows.length,
      critical: of("CRITICAL").length,
      warning: of("WARNING").length,
      criticalProactiveCents: planned.CRITICAL,
      warningProactiveCents: planned.WARNING,
      criticalReactiveCents: failed.CRITICAL,
      warningReactiveCents: failed.WARNING,
    };
  }

  test("of the partner, of every property, and of every tier", async () => {
    const { totals, components } = fixture.store.read;
    await fc.assert(
      fc.asyncProperty(moves, async (list) => {
        await apply(list);
        const rows = await stored();
        expect(await totals.ofPartner(fixture.partnerId)).toMatchObject(recount(rows));
        for (const id of propertyIds)
          expect(await totals.ofProperty(id)).toMatchObject(
            recount(rows.filter(({ propertyId }) => propertyId === id)),
          );
        for (const tier of ["CRITICAL", "WARNING", "GOOD"] as const)
          expect(await components.countTier(fixture.partnerId, tier)).toBe(
            rows.filter(({ riskTier }) => riskTier === tier).length,
          );
      }),
      { numRuns: runsOnEngine(15) },
    );
  });

  test("of critical components that lives depend on", async () => {
    await apply(
      Array.from({ length: 200 }, (_, which) => ({
        which,
        hundredths: (which * 13) % 100,
        bySnapshot: true,
      })),
    );
    const { vitalCritical } = await fixture.store.read.totals.ofProperty(propertyIds[0]!);
    const vital = (await stored()).filter(
      ({ propertyId, riskTier, defId }) =>
        propertyId === propertyIds[0] && riskTier === "CRITICAL" && defs.get(defId)!.typeId === "elevator",
    );
    expect(vitalCritical).toBe(vital.length);
  });
});
