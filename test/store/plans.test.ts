import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { type PortfolioWorld, usePortfolioStore } from "../support/portfolio-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const DAY = "2026-03-10";
const SLICE = { limit: 50, offset: 40 };
const open = usePortfolioStore();
let world: PortfolioWorld;
let explaining: Database;
let propertyId: string;
let applianceId: string;
let componentId: string;
beforeAll(async () => {
  world = await open(NOW);
  propertyId = (await world.addProperty()).id;
  applianceId = (await world.addAppliances({ propertyId }))[0]!.id;
  componentId = (await world.components(propertyId))[0]!.id;
  explaining = new Database(world.file, { readonly: true });
});
afterAll(() => explaining.close());

/** Tables that stay small whatever the portfolio: a row a partner, or a day, or a block of 2,048 components. */
const SMALL = [
  "partners",
  "webhook_receivers",
  "snapshot_runs",
  "credentials",
  "json_each",
  "clock",
  "running",
  // An index of the components that no snapshot has seen, read up to a limit.
  "unseen",
  // At most 100,000 entries of an index that covers them.
  "newest_own",
  "matches",
];

type Read = () => Promise<unknown>;

/** The SQL of every statement that a read prepares or runs. */
async function statementsOf(read: Read): Promise<string[]> {
  const seen = new Set<string>();
  const { prepare, query } = Database.prototype;
  const watch = (name: "prepare" | "query", original: typeof prepare) =>
    spyOn(Database.prototype, name).mockImplementation(function (
      this: Database,
      sql: string,
      ...rest: never[]
    ) {
      seen.add(sql);
      return original.call(this, sql, ...rest);
    } as never);
  const watching = [watch("prepare", prepare), watch("query", query)];
  try {
    await read();
  } finally {
    for (const one of watching) one.mockRestore();
  }
  return [...seen].filter((sql) => /^\s*(select|delete|update|with)/i.test(sql));
}

/** SQLite's plan, a line a step. */
const planOf = (sql: string) =>
  explaining
    .query<{ detail: string }, never[]>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);

const scansOf = (plan: string[]) =>
  plan.filter((step) => {
    const table = /^SCAN (\w+)/.exec(step)?.[1];
    return table !== undefined && !SMALL.includes(table) && table !== "CONSTANT";
  });

/** Each read is made once, so that its statements are prepared while they are watched. */
const HOT: Record<string, Read> = {
  "a partner's embeds": () => world.store.read.embeds.page(SLICE, { partnerId: world.partnerId }),
  "the list of properties": () => world.store.read.properties.page(world.partnerId, SLICE),
  "the portfolio summary": () => world.store.read.properties.portfolioPage(world.partnerId, SLICE),
  "the list of appliances": () => world.store.read.appliances.page(world.partnerId, SLICE),
  "a property's appliances": () => world.store.read.appliances.pageOfProperty(propertyId, SLICE),
  "a property's units": () => world.store.read.units.page(propertyId, SLICE),
  "the list of components": () => world.store.read.components.page(world.partnerId, SLICE),
  "the list of one tier": async () => {
    const { components } = world.store.read;
    await components.tierPage(world.partnerId, "CRITICAL", { limit: 50, offset: 1 });
    await components.tierAfter(world.partnerId, "CRITICAL", 3, 50);
  },
  alerts: () => world.store.read.components.elevatedPage(world.partnerId, { limit: 50, offset: 1 }),
  "the numbers of alerts of a system, a state, or both": async () => {
    const { components } = world.store.read;
    for (const by of FILTERS)
      for (const tier of [undefined, "CRITICAL", "WARNING"] as const)
        await components.countAlerts({ partnerId: world.partnerId, ...by }, tier);
  },
  "the event stream's components": async () => {
    const { components } = world.store.read;
    await components.elevatedByScoring(world.partnerId, { limit: 50, offset: 1 });
    await components.elevatedAfter(world.partnerId, { rescoredAt: null, seq: 3 }, 50);
    await components.elevatedAfter(world.partnerId, { rescoredAt: NOW, seq: 3 }, 50);
  },
  "the event stream's start": () => world.store.read.eventLog.firstSince(world.partnerId, NOW),
  "the event stream": () => world.store.read.eventLog.page(world.partnerId, 1, 50),
  "a component's trend": () => world.store.read.snapshots.trendRows(componentId),
  "a property's claims": () => world.store.read.claims.page(propertyId, SLICE),
  "a portfolio's plan": () => world.store.read.plans.ofPartner(world.partnerId),
  "a portfolio's plan by property": () => world.store.read.plans.page(world.partnerId, SLICE),
  "the plans that are to be made anew": async () => {
    await world.store.read.plans.changed(world.partnerId, 20);
    await world.store.read.plans.aged(world.partnerId, DAY, 20);
    await world.store.read.plans.asOf(world.partnerId);
  },
  "the next uses of a budget": () =>
    world.store.read.plans.candidates(world.partnerId, { rank: -2, id: "C_1" }, 50_000, 500),
  "the next properties with what no snapshot has seen": () => world.store.read.properties.withUnseen(100),
  "the next properties of a snapshot": () => world.store.read.properties.forSnapshot("", 100),
};
const FILTERS = [{ system: "plumbing" }, { state: "NY" }, { system: "plumbing", state: "NY" }];
const OTHERS: Record<string, Read> = {
  "a property's alerts of a system, a state and a tier": () =>
    world.store.read.components.narrowPage(
      { propertyIds: [propertyId], elevated: true, system: "plumbing", state: "NY", tier: "WARNING" },
      SLICE,
    ),
  "the components of a property that moves to another state": () =>
    world.store.write((tx) => tx.components.setState(propertyId, "VT", 0, 500)),
  "a property": () => world.store.read.properties.find(world.partnerId, propertyId),
  "a property by its reference": () => world.store.read.properties.findByReference(world.partnerId, "x"),
  "a property by its address": () => world.store.read.properties.ofAddress(world.partnerId, "N", "A"),
  "the demo properties": () => world.store.read.properties.demo(world.partnerId),
  "whose a property is": () => world.store.read.properties.ownerOf(propertyId),
  "an embed by its token": () => world.store.read.embeds.findByToken("x"),
  "a property's embeds": () => world.store.read.embeds.page(SLICE, { propertyId }),
  "an appliance": () => world.store.read.appliances.find(world.partnerId, applianceId),
  "an appliance by its serial within the property": () =>
    world.store.read.appliances.withSerial(propertyId, "x"),
  "an appliance by its serial": () => world.store.read.appliances.withSerialOfPartner(world.partnerId, "x"),
  "the number of a property's appliances": () => world.store.read.appliances.countOfProperty(propertyId),
  "a component": () => world.store.read.components.find(world.partnerId, componentId),
  "whose a component is": () => world.store.read.components.ownerOf(componentId),
  "a property's components": () => world.store.read.components.rowsOfProperty(propertyId),
  "components filtered to one property": () =>
    world.store.read.components.narrowPage({ propertyIds: [propertyId] }, SLICE),
  "a property's alerts": () =>
    world.store.read.components.narrowPage({ propertyIds: [propertyId], elevated: true }, SLICE),
  "one tier of a property's components": () =>
    world.store.read.components.narrowPage({ propertyIds: [propertyId], tier: "CRITICAL" }, SLICE),
  "components filtered to one appliance": () =>
    world.store.read.components.narrowPage({ applianceId, elevated: true }, SLICE),
  "components filtered to one appliance of a property": () =>
    world.store.read.components.narrowPage({ propertyIds: [propertyId], applianceId }, SLICE),
  "some of a property's components": () =>
    world.store.read.components.rowsOfPropertyAfter(propertyId, 1, 100),
  "some of a property's appliances": () => world.store.read.appliances.ofPropertyAfter(propertyId, 1, 100),
  "an appliance's components": () => world.store.read.components.rowsOfAppliance(applianceId),
  "the numbers of a property's components": () =>
    world.store.read.components.countNarrow({ propertyIds: [propertyId] }),
  "the numbers of an appliance's components": () =>
    world.store.read.components.countNarrow({ applianceId, tier: "GOOD" }),
  "the components of appliances": () => world.store.read.components.ofAppliances([applianceId]),
  "the events of appliances": () => world.store.read.serviceEvents.evidence([applianceId], ""),
  "a component's history": () =>
    world.store.read.serviceEvents.ofComponent(
      { applianceId, id: componentId },
      { date: "2026-01-01", id: "SE_" },
      100,
    ),
  "an appliance's history": () => world.store.read.serviceEvents.ofAppliance(applianceId),
  "what was replaced on a day": () =>
    world.store.read.serviceEvents.firstOfDay(applianceId, DAY, "Replacement"),
  "a component's outcomes": () => world.store.read.serviceEvents.outcomesOf(componentId),
  "the smart events of appliances": () => world.store.read.sensorEvents.smartEvidence([applianceId], NOW),
  "what calibration has learned of appliances": () =>
    world.store.read.models.frailties(1, [applianceId, "APPL_1"]),
  "what calibration reads of properties": async () => {
    const { properties, appliances, components, serviceEvents } = world.store.read;
    await properties.forSnapshot("", 100);
    await appliances.forScoring([propertyId]);
    await components.ofAppliances([applianceId]);
    await serviceEvents.evidence([applianceId], "");
  },
  "the claims of properties": () => world.store.read.claims.evidence([propertyId]),
  "the number of a property's claims": () => world.store.read.claims.count(propertyId),
  "an appliance's photos": () => world.store.read.photos.ofAppliance(applianceId),
  "a property's plan": () => world.store.read.plans.ofProperty(propertyId),
  "a partner's own deliveries": async () => {
    const { deliveryLog } = world.store.read;
    for (const event of [undefined, "component.critical"])
      for (const status of [undefined, "delivered", "failed"] as const) {
        const filter = { partnerId: world.partnerId, event, status };
        await deliveryLog.pageOfPartner(filter, SLICE);
        await deliveryLog.countOfPartner(filter);
      }
  },
  "a partner by its key": () => world.store.read.partners.findByApiKey("x"),
  "a repeated request": () => world.store.read.idempotency.find(world.partnerId, "POST /v1/properties", "k"),
  "expired replies": () => world.store.write((tx) => tx.idempotency.prune(NOW, 500)),
  "a partner's budget": () => world.store.read.budgets.taken(world.partnerId, DAY),
  "partners with due deliveries": () => world.store.read.deliveries.duePartners(NOW, NOW + 30_000),
  "a partner's due deliveries": () =>
    world.store.read.deliveries.due(world.partnerId, NOW, NOW + 30_000, 50, new Set()),
  "the next due delivery": () => world.store.read.deliveries.nextDueAt(NOW),
};

describe("is answered from an index, in its order", () => {
  test.each(Object.entries(HOT))("%s", async (_, read) => {
    const statements = await statementsOf(read);
    expect(statements).not.toBeEmpty();
    for (const sql of statements) {
      const plan = planOf(sql);
      expect(scansOf(plan), sql).toEqual([]);
      expect(
        plan.filter((step) => step.includes("TEMP B-TREE")),
        sql,
      ).toEqual([]);
    }
  });
});

/** Steps that read through all that a partner has, to come upon a few rows. */
const wholePartnerOf = (plan: string[]) =>
  plan.filter((step) => /^SEARCH \w+ USING .*\(partner_id=\?\)$/.test(step));

describe("reads no large table through, and no partner's whole share of one", () => {
  test.each(Object.entries(OTHERS))("%s", async (_, read) => {
    const statements = await statementsOf(read);
    expect(statements).not.toBeEmpty();
    for (const sql of statements) {
      const plan = planOf(sql);
      expect([...scansOf(plan), ...wholePartnerOf(plan)], sql).toEqual([]);
    }
  });
});

test("a purge finds what it deletes by indexes", async () => {
  const purged = await open(NOW);
  const property = await purged.addProperty();
  await purged.addAppliances({ propertyId: property.id });
  const statements = await statementsOf(async () => {
    for (;;) if ((await purged.store.write((tx) => tx.purge.step(purged.partnerId))).isEmpty) return;
  });
  // Of an appliance 9, of a property 7, of a partner 6, and what comes first in each of the upper two.
  expect(statements.length).toBeGreaterThanOrEqual(22);
  for (const sql of statements) expect(scansOf(planOf(sql)), sql).toEqual([]);
});

describe("alerts of a system, a state, or both", () => {
  test.each(FILTERS.map((by) => [JSON.stringify(by), by] as const))(
    "are passed over in an index that covers them, in its order, and only a page is looked up: %s",
    async (_, by) => {
      const filter = { partnerId: world.partnerId, ...by };
      const [sql, ...others] = await statementsOf(() =>
        world.store.read.components.alertPage(filter, undefined, SLICE),
      );
      expect(others).toEqual([]);
      const plan = planOf(sql!);
      const covering = plan.filter((step) =>
        /^SEARCH components USING COVERING INDEX components_(state|system) /.test(step),
      );
      expect(covering, plan.join("\n")).toHaveLength(1);
      expect(scansOf(plan)).toEqual([]);
      // Sorting the page that was found is all the sorting there is.
      expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toHaveLength(1);
      expect(plan.indexOf(covering[0]!)).toBeLessThan(plan.findIndex((step) => step.includes("TEMP B-TREE")));
    },
  );
});
