import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { type PortfolioFixture, usePortfolioStore } from "../support/portfolio-store.ts";
import { FILTERS, listReads, narrowReads, type Read, type Readable, SLICE } from "../support/store-reads.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const DAY = "2026-03-10";
const open = usePortfolioStore({ inFile: true });
let fixture: PortfolioFixture;
let explaining: Database;
let propertyId: string;
let applianceId: string;
let componentId: string;
beforeAll(async () => {
  fixture = await open(NOW);
  propertyId = (await fixture.addProperty()).id;
  applianceId = (await fixture.addAppliances({ propertyId }))[0]!.id;
  componentId = (await fixture.components(propertyId))[0]!.id;
  explaining = new Database(fixture.file, { readonly: true });
});
afterAll(() => explaining.close());

/** Tables that stay small for any portfolio: a row per partner, per day, or per block of 2,048 components. */
const SMALL = [
  "partners",
  "partner_totals",
  "webhook_receivers",
  "snapshot_runs",
  "credentials",
  "json_each",
  "clock",
  // Reads at most 100,000 entries of a covering index.
  "newest_own",
  "matches",
];

/** Returns the SQL of every statement that a read prepares or runs. */
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

/** Returns SQLite's plan, one line per step. */
const planOf = (sql: string) =>
  explaining
    .query<{ detail: string }, never[]>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);

const scansOf = (plan: string[]) =>
  plan.filter((step) => {
    // Scanned up to the limit, and only for the properties with changes since the last snapshot.
    if (step === "SCAN property_totals USING INDEX property_totals_unseen") return false;
    const table = /^SCAN (\w+)/.exec(step)?.[1];
    // Have a few rows, since they are limited.
    if (table === "newest_of_day" || table === "next_appliances") return false;
    return table !== undefined && !SMALL.includes(table) && table !== "CONSTANT";
  });

const readable = (): Readable => ({
  store: fixture.store,
  partnerId: fixture.partnerId,
  propertyId,
  applianceId,
  componentId,
  now: NOW,
  day: DAY,
});
/** Returns the names before a store exists. */
const namesOf = (reads: (of: Readable) => Record<string, Read>) => Object.keys(reads({} as Readable));

describe("is answered from an index, in its order", () => {
  test.each(namesOf(listReads))("%s", async (name) => {
    const statements = await statementsOf(listReads(readable())[name]!);
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

/** Returns the steps that scan all rows of a partner to find a few. */
const wholePartnerOf = (plan: string[]) =>
  plan.filter((step) => {
    const table = /^SEARCH (\w+) USING .*\(partner_id=\?\)$/.exec(step)?.[1];
    return table !== undefined && !SMALL.includes(table);
  });

describe("scans no large table, and no partner's whole share of one", () => {
  test.each(namesOf(narrowReads))("%s", async (name) => {
    const statements = await statementsOf(narrowReads(readable())[name]!);
    expect(statements).not.toBeEmpty();
    for (const sql of statements) {
      const plan = planOf(sql);
      expect([...scansOf(plan), ...wholePartnerOf(plan)], sql).toEqual([]);
    }
  });
});

test("failed deliveries with one error are counted and resent from a covering index", async () => {
  const { deliveryLog } = fixture.store.read;
  const window = { partnerId: fixture.partnerId, from: 0, to: NOW, error: "HTTP 500" };
  const statements = await statementsOf(async () => {
    await deliveryLog.nextFailing();
    await deliveryLog.nextError(fixture.partnerId);
    await deliveryLog.failureGroup(window);
    await deliveryLog.countFailed(window);
    await fixture.store.write((tx) => tx.deliveryLog.resendFailed(window, "", 9, NOW));
  });
  const selects = statements.filter((sql) => sql.startsWith("select") && sql.includes("webhook_deliveries"));
  expect(selects).toHaveLength(5);
  const [partners, ...ofPartner] = selects;
  expect(planOf(partners!).join("\n"), partners).toMatch(/COVERING INDEX \w+ \(partner_id>\?\)/);
  for (const sql of ofPartner)
    expect(planOf(sql).join("\n"), sql).toContain(
      "COVERING INDEX webhook_deliveries_errors (partner_id=? AND status=? AND",
    );
});

test("the failed deliveries of a day are counted from a range of the index of each partner's failed ones", async () => {
  const [counted] = await statementsOf(() => fixture.store.read.deliveryLog.countFailedSince(NOW));
  expect(planOf(counted!).join("\n"), counted).toContain(
    "COVERING INDEX webhook_deliveries_failed (partner_id=? AND status=? AND id>?)",
  );
});

test("a recount reads the rows of its properties, of its block, or the first or last of a list", async () => {
  const { recounts } = fixture.store.read;
  const { partnerId } = fixture;
  const reads: Record<string, [read: Read, step: RegExp]> = {
    priced: [() => recounts.priced(propertyId, 0, 10), /components_property \(property_id=\? AND seq>\?\)/],
    appliances: [
      () => recounts.appliances([propertyId]),
      /COVERING INDEX appliances_property \(property_id=\? AND seq>\?\)/,
    ],
    events: [
      () => recounts.serviceEvents(propertyId, 0, 100),
      /COVERING INDEX service_events_appliance \(appliance_id=\?\)/,
    ],
    totals: [() => recounts.ofProperties([propertyId]), /property_totals_1 \(property_id=\?\)/],
    partner: [() => recounts.ofPartner(partnerId), /property_totals_partner \(partner_id=\?\)/],
    flags: [
      () => fixture.store.read.flags.recount([propertyId]),
      /appliances_property \(property_id=\? AND seq>\?\)/,
    ],
    flagSums: [() => fixture.store.read.flags.sumOfProperties(partnerId), /flag_counts/],
    scores: [() => recounts.scores(partnerId, 0), /components_list \(partner_id=\? AND seq>\? AND seq<\?\)/],
  };
  for (const [name, [read, step]] of Object.entries(reads)) {
    const plans = (await statementsOf(read)).map(planOf);
    expect(plans.join("\n"), name).toMatch(step);
    for (const plan of plans) expect(scansOf(plan), name).toEqual([]);
  }
});

test("the days of events are found in indexes, voided events skipped in them", async () => {
  // Opens a separate store, because a statement is prepared only once.
  const { recounts, serviceEvents, work } = (await open(NOW)).store.read;
  const range = { from: "2020-01-01", before: DAY };
  const reads: [read: Read, step: string][] = [
    [() => recounts.withDeficiencies([propertyId]), "INDEX service_events_poor (appliance_id=?)"],
    [
      () => serviceEvents.earliestDays([{ propertyId, ...range }], async () => {}),
      "COVERING INDEX service_events_appliance (appliance_id=? AND date>? AND date<?)",
    ],
    [
      () => work.replacementsOnDay(applianceId, DAY),
      "COVERING INDEX service_events_replacements (appliance_id=? AND date=?)",
    ],
  ];
  for (const [read, step] of reads) {
    const plan = (await statementsOf(read)).flatMap(planOf);
    expect(plan.join("\n")).toContain(step);
    expect(scansOf(plan)).toEqual([]);
    expect(plan.join("\n")).not.toContain("TEMP B-TREE");
  }
  const ofProperties: typeof reads = [
    [() => recounts.pricedOfProperties([propertyId]), "components_property (property_id=? AND seq>?)"],
    [() => recounts.serviceEventsOfProperties([propertyId]), "service_events_appliance (appliance_id=?)"],
  ];
  for (const [read, step] of ofProperties) {
    const plan = (await statementsOf(read)).flatMap(planOf);
    expect(plan.join("\n")).toContain(step);
    expect(scansOf(plan)).toEqual([]);
  }
});

test("the flags of a page's properties are looked up by partner and property", async () => {
  const [sql] = await statementsOf(() =>
    fixture.store.read.flags.ofProperties([propertyId], fixture.partnerId),
  );
  expect(planOf(sql!)[0]).toBe(
    "SEARCH flag_counts USING INDEX sqlite_autoindex_flag_counts_1 (partner_id=? AND property_id=?)",
  );
});

/** The appliances of a page are read by their IDs with their properties, in one statement after its components. */
function expectOwnersById(statements: readonly string[]): void {
  const steps = statements.flatMap(planOf);
  for (const table of ["appliances", "properties"])
    expect(steps).toContain(`SEARCH ${table} USING INDEX sqlite_autoindex_${table}_1 (id=?)`);
  expect(statements).toHaveLength(1);
}

test.each([{}, { elevated: true }, { tier: "GOOD" as const }])(
  "a page of a property's components is found first, and only that is looked up: %j",
  async (by) => {
    // Opens a separate store, because a statement is prepared only once.
    const { store } = await open(NOW);
    const [sql, ...others] = await statementsOf(() =>
      store.read.components.narrowPage({ propertyIds: [propertyId], ...by }, SLICE),
    );
    expectOwnersById(others);
    const [first, ...then] = planOf(sql!).filter((step) => !step.includes("SUBQUERY"));
    expect(first).toEndWith("components USING INDEX sqlite_autoindex_components_1 (id=?)");
    expect(then.join()).toContain("components USING INDEX components_property (property_id=? AND seq>?)");
  },
);

test("a purge finds rows by indexes", async () => {
  const purged = await open(NOW);
  const property = await purged.addProperty();
  await purged.addAppliances({ propertyId: property.id });
  const statements = await statementsOf(async () => {
    for (;;) if ((await purged.store.write((tx) => tx.purge.step(purged.partnerId))).isEmpty) return;
  });
  // A purge runs 10 statements for an appliance, 7 for a property, 6 for a partner, and the first lookup at each of
  // the upper two levels.
  expect(statements.length).toBeGreaterThanOrEqual(23);
  for (const sql of statements) expect(scansOf(planOf(sql)), sql).toEqual([]);
});

test.each([{}, ...FILTERS].map((by) => [JSON.stringify(by), by] as const))(
  "alerts by cost are skipped in a covering index, in its order: %s",
  async (_, by) => {
    const filter = { partnerId: fixture.partnerId, ...by };
    const [sql, ...others] = await statementsOf(() =>
      fixture.store.read.components.costliestPage(filter, "CRITICAL", SLICE),
    );
    expectOwnersById(others);
    const plan = planOf(sql!);
    const covering = plan.filter((step) =>
      step.startsWith("SEARCH components USING COVERING INDEX components_cost "),
    );
    expect(covering, plan.join("\n")).toHaveLength(1);
    expect(scansOf(plan)).toEqual([]);
    // Only the rows of the page are sorted.
    expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toHaveLength(1);
    expect(plan.indexOf(covering[0]!)).toBeLessThan(plan.findIndex((step) => step.includes("TEMP B-TREE")));
  },
);

test("alerts of all partners by cost are counted and found in the index of costs", async () => {
  // Opens a separate store, because a statement is prepared only once.
  const { book } = (await open(NOW)).store.read;
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
  for (const by of [{}, ...FILTERS]) {
    const selection = { order: "cost", partnerIds: [fixture.partnerId], ...by } as const;
    for (const [read, index] of [
      [() => book.alertCounts(selection, range), "COVERING INDEX components_cost"],
      [() => book.alertCells(selection, range), "COVERING INDEX components_cost"],
      [() => book.alertsOf(selection, range), "INDEX components_cost"],
    ] as const) {
      const [sql, ...others] = await statementsOf(read);
      expect(others).toEqual([]);
      const search = `SEARCH components USING ${index} (partner_id=? AND expected_cost_cents>? AND expected_cost_cents<?)`;
      expect(planOf(sql!), sql).toContain(search);
    }
  }
});

describe("alerts of a system, a state, or both", () => {
  test.each(FILTERS.map((by) => [JSON.stringify(by), by] as const))(
    "are skipped in a covering index, in its order, and only a page is looked up: %s",
    async (_, by) => {
      const filter = { partnerId: fixture.partnerId, ...by };
      const [sql, ...others] = await statementsOf(() =>
        fixture.store.read.components.alertPage(filter, undefined, SLICE),
      );
      expectOwnersById(others);
      const plan = planOf(sql!);
      const covering = plan.filter((step) =>
        /^SEARCH components USING COVERING INDEX components_(state|system) /.test(step),
      );
      expect(covering, plan.join("\n")).toHaveLength(1);
      expect(scansOf(plan)).toEqual([]);
      // Only the rows of the page are sorted.
      expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toHaveLength(1);
      expect(plan.indexOf(covering[0]!)).toBeLessThan(plan.findIndex((step) => step.includes("TEMP B-TREE")));
    },
  );
});

test("actions are read with a few statements, whatever the filters", async () => {
  const values = { action: "replace", system: "hvac", state: "NY", tier: "CRITICAL" } as const;
  const bounds = { dueBy: DAY, leastCents: 1, mostCents: 9 };
  const own = { ...values, ...bounds, work: "open", propertyId } as const;
  const names = Object.keys(own) as (keyof typeof own)[];
  const { planActions } = fixture.store.read;
  const statements = await statementsOf(async () => {
    for (let set = 0; set < 2 ** names.length; set++) {
      const some = Object.fromEntries(
        names.filter((_, nth) => set & (1 << nth)).map((name) => [name, own[name]]),
      );
      const filter = { partnerId: fixture.partnerId, today: DAY, without: [], ...some };
      await planActions.page(filter, "waiting", SLICE);
      await planActions.sums(filter, "waiting");
    }
  });
  // A page and sums of either scope, with or without names, bounds and work.
  expect(statements.length).toBeLessThanOrEqual(2 * 16);
});
