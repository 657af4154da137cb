import { expect, test } from "bun:test";
import fc from "fast-check";
import type { NewServiceEvent } from "../../../src/domain/service-event.ts";
import { extendStores, type Store, type Tx } from "../../../src/store/store.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { importPortfolio } from "../../../src/usecases/import/import-portfolio.ts";
import type { RowBatch, RowOutcome } from "../../../src/usecases/import/import-row-kind.ts";
import { serviceEventImportRows } from "../../../src/usecases/import/service-event-import.ts";
import { writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine, testOnSqlite } from "../../support/postgres.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();

/** A store whose service events are read through a wrapper. */
function readingThrough(
  store: Store,
  through: (read: Tx["serviceEvents"]) => Partial<Tx["serviceEvents"]>,
): Store {
  const wrapped = (tx: Tx): Tx =>
    extendStores(tx, { serviceEvents: { ...tx.serviceEvents, ...through(tx.serviceEvents) } });
  return { ...store, write: (run, how) => store.write((tx) => run(wrapped(tx)), how) };
}

/** Makes an appliance have more events than are read ahead. */
const withoutReadingAhead = (store: Store) =>
  readingThrough(store, () => ({ ofAppliances: async () => undefined }));

type Reported = Pick<NewServiceEvent, "componentId" | "eventType" | "date" | "notes" | "totalCostCents">;

async function log(
  { write }: PortfolioFixture,
  applianceId: string,
  events: readonly Reported[],
): Promise<void> {
  await write(async (writer) => {
    const service = new ServiceLog(writer);
    const rest = { partsCostCents: null, laborCostCents: null, technician: null, conditionAfter: null };
    for (const event of events) await service.add({ applianceId, ...rest, ...event });
    await service.finish();
  });
}

// It counts what is asked of the store, which is the same on every engine.
testOnSqlite(
  "reads the events of a day once, however many rows and transactions bring more of them",
  async () => {
    const fixture = await open(NOW);
    const { store } = fixture;
    const property = await fixture.addProperty();
    const [heater] = await fixture.addAppliances({ propertyId: property.id });
    const there = {
      componentId: null,
      eventType: "Cleaning" as const,
      date: "2024-05-01",
      totalCostCents: null,
    };
    await log(
      fixture,
      heater!.id,
      Array.from({ length: 501 }, (_, nth) => ({ ...there, notes: `note ${nth}` })),
    );
    let read = 0;
    let transactions = 0;
    const counting = readingThrough(store, ({ matchedOfDayAfter }) => ({
      matchedOfDayAfter: async (...asked) => {
        const found = await matchedOfDayAfter(...asked);
        read += found.length;
        return found;
      },
    }));
    const rows = Array.from({ length: 900 }, (_, nth) => `${heater!.id},Cleaning,2024-05-01,note ${nth}\n`);
    const { serviceEvents } = await importPortfolio({
      ...fixture.importing,
      store: counting,
      sources: {
        serviceEvents: { name: "events.csv", text: `appliance_id,event_type,date,notes\n${rows.join("")}` },
      },
      yieldNow: async () => void transactions++,
    });
    expect(serviceEvents).toEqual({ read: 900, created: 399, updated: 0, unchanged: 501 });
    expect(transactions).toBeGreaterThan(1);
    expect(read).toBe(501);
  },
);

test("lets others run between any two rows of a transaction, which may take a second", async () => {
  const fixture = await open(NOW);
  const { store } = fixture;
  const property = await fixture.addProperty();
  const [heater] = await fixture.addAppliances({ propertyId: property.id });
  const inserted: number[] = [];
  let rowsAtOnce = 0;
  const counting: Store = {
    ...store,
    write: (run, how) =>
      store.write((tx) => {
        const insert: typeof tx.serviceEvents.insert = (...given) => {
          rowsAtOnce++;
          return tx.serviceEvents.insert(...given);
        };
        const yieldToEventLoop = async () => {
          inserted.push(rowsAtOnce);
          rowsAtOnce = 0;
          await tx.yieldToEventLoop();
        };
        return run(extendStores(tx, { yieldToEventLoop, serviceEvents: { ...tx.serviceEvents, insert } }));
      }, how),
  };
  const rows = Array.from({ length: 20 }, (_, nth) => `${heater!.id},Cleaning,2024-05-01,note ${nth}\n`);
  await importPortfolio({
    ...fixture.importing,
    store: counting,
    monotonicMs: () => 0,
    sources: {
      serviceEvents: { name: "events.csv", text: `appliance_id,event_type,date,notes\n${rows.join("")}` },
    },
  });
  expect(Math.max(...inserted)).toBe(1);
});

test("spends as long on rows as the rows before took to score, so that a huge property is scored a few times", async () => {
  const fixture = await open(NOW);
  const { store } = fixture;
  const property = await fixture.addProperty();
  const [heater] = await fixture.addAppliances({ propertyId: property.id });
  let now = 0;
  const takes = <A extends unknown[], R>(ms: number, run: (...args: A) => R) => {
    return (...args: A) => {
      now += ms;
      return run(...args);
    };
  };
  const slow: Store = {
    ...store,
    write: (run, how) =>
      store.write((tx) => {
        const serviceEvents = { ...tx.serviceEvents, insert: takes(2, tx.serviceEvents.insert) };
        const components = { ...tx.components, saveScore: takes(50, tx.components.saveScore) };
        return run(extendStores(tx, { serviceEvents, components }));
      }, how),
  };
  const rows = Array.from({ length: 400 }, (_, nth) => `${heater!.id},Cleaning,2024-05-01,note ${nth}\n`);
  let transactions = 0;
  const { serviceEvents } = await importPortfolio({
    ...fixture.importing,
    store: slow,
    sources: {
      serviceEvents: { name: "events.csv", text: `appliance_id,event_type,date,notes\n${rows.join("")}` },
    },
    yieldNow: async () => void transactions++,
    monotonicMs: () => now,
  });
  expect(serviceEvents.created).toBe(400);
  // The least time of a transaction is enough for 4 rows, or for 31 in a cluster.
  expect(transactions).toBeLessThan(10);
});

/** A transaction of an import, or another writer's events between two. */
type Step = { rows: Reported[]; by: "import" | "other"; isTriedInVain: boolean };

const reported = fc.record({
  componentId: fc.constantFrom("first", null),
  eventType: fc.constantFrom("Repair", "Cleaning"),
  date: fc.constantFrom("2024-05-01", "2024-05-02"),
  notes: fc.constantFrom(null, "leaking"),
  totalCostCents: fc.constantFrom(null, 100, 250),
}) as fc.Arbitrary<Reported>;
const step: fc.Arbitrary<Step> = fc.record({
  rows: fc.array(reported, { maxLength: 6 }),
  by: fc.constantFrom("import", "import", "import", "other"),
  isTriedInVain: fc.boolean(),
});

const PLAIN: Reported = {
  componentId: null,
  eventType: "Repair",
  date: "2024-05-01",
  notes: null,
  totalCostCents: null,
};
const LEAKING: Reported = { ...PLAIN, notes: "leaking" };
const DEAR: Reported = { ...PLAIN, totalCostCents: 250 };
const CHEAP: Reported = { ...PLAIN, totalCostCents: 100 };
const steps = (...those: [Step["by"], ...Reported[]][]) =>
  those.map(([by, ...rows]): Step => ({ by, rows, isTriedInVain: false }));

/** Another writer logs the event of a row after the row's day was read. */
const SEEN_MEANWHILE = {
  before: [],
  update: false,
  isReadAhead: false,
  steps: steps(["import", PLAIN], ["other", LEAKING], ["import", LEAKING]),
};
/** A row has changed an event that was read ahead in the transaction before, so that the cached one is outdated. */
const CHANGED_MEANWHILE = {
  before: [PLAIN],
  update: true,
  isReadAhead: true,
  steps: steps(["import", DEAR, CHEAP], ["import", LEAKING, DEAR, LEAKING]),
};

/** Returns the result of a row by the rule itself: the matching event is searched among all. */
function applied(events: Reported[], row: Reported, update: boolean): RowOutcome | "updated" {
  const { totalCostCents, ...matched } = row;
  const isDuplicate = (one: Reported) =>
    (Object.keys(matched) as (keyof typeof matched)[]).every((field) => one[field] === row[field]);
  const first = events.find(isDuplicate);
  if (!first) {
    events.push({ ...row });
    return "created";
  }
  // An empty cell changes nothing.
  if (!update || totalCostCents === null || first.totalCostCents === totalCostCents) return "unchanged";
  first.totalCostCents = totalCostCents;
  return "updated";
}

const entryOf = (applianceId: string, { componentId, eventType, date, notes, totalCostCents }: Reported) =>
  serviceEventImportRows.read({
    appliance_id: applianceId,
    event_type: eventType,
    date,
    ...(componentId !== null && { component_id: componentId }),
    ...(notes !== null && { notes }),
    ...(totalCostCents !== null && { total_cost: totalCostCents / 100 }),
  });
type Entry = ReturnType<typeof entryOf>;

/** Returns the results of the rows of one transaction. `isInVain` rolls the transaction back. */
async function take(
  { store, partner }: Pick<PortfolioFixture, "store" | "partner">,
  batches: ReturnType<typeof serviceEventImportRows.start>,
  entries: readonly Entry[],
  { update, isInVain = false }: { update: boolean; isInVain?: boolean },
): Promise<(RowOutcome | "updated")[]> {
  type Acquired = { batch: RowBatch<Entry>; outcomes: (RowOutcome | "updated")[] };
  const { batch, outcomes } = await writePortfolio<Acquired>(
    store.write,
    knowledge,
    partner,
    async (writer) => {
      const batch = batches(writer);
      await batch.preload(entries);
      const outcomes: Acquired["outcomes"] = [];
      for (const entry of entries) {
        // A row that contradicts the costs of an earlier one is rejected; it matches the same event.
        const outcome = await batch.apply(entry, update).catch((error) => {
          if (error.code !== "conflict") throw error;
          return "unchanged" as const;
        });
        outcomes.push(typeof outcome === "string" ? outcome : "updated");
      }
      await batch.finish();
      if (isInVain) throw new Error("rolled back");
      return { batch, outcomes };
    },
  );
  batch.committed?.();
  return outcomes;
}

test("matches each row to the same event as a full search, in any transactions and beside other writers", async () => {
  const fixture = await open(NOW);
  const { partner } = fixture;
  const property = await fixture.addProperty();
  const factOf = ({ componentId, eventType, date, notes, totalCostCents }: Reported) => [
    ...[componentId, eventType, date, notes, totalCostCents],
  ];
  const sequences = fc.record({
    before: fc.array(reported, { maxLength: 8 }),
    steps: fc.array(step, { maxLength: 6 }),
    update: fc.boolean(),
    isReadAhead: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(sequences, async ({ before, steps, update, isReadAhead }) => {
      const store = isReadAhead ? fixture.store : withoutReadingAhead(fixture.store);
      const [heater] = await fixture.addAppliances({ propertyId: property.id });
      const [first] = await fixture.store.read.components.ofAppliance(heater!.id);
      const named = (one: Reported): Reported => ({
        ...one,
        componentId: one.componentId && first!.id,
      });
      const expected = before.map(named);
      await log(fixture, heater!.id, expected);
      const batches = serviceEventImportRows.start();
      for (const { rows, by, isTriedInVain } of steps) {
        const events = rows.map(named);
        if (by === "other") {
          await log(fixture, heater!.id, events);
          expected.push(...events);
          continue;
        }
        const entries = events.map((one) => entryOf(heater!.id, one));
        const inVain = () => take({ store, partner }, batches, entries, { update, isInVain: true });
        if (isTriedInVain) await expect(inVain()).rejects.toThrow("rolled back");
        const outcomes = await take({ store, partner }, batches, entries, { update });
        expect(outcomes).toEqual(events.map((row) => applied(expected, row, update)));
      }
      const found = await fixture.store.read.serviceEvents.ofAppliance(heater!.id);
      const inOrder = found.toSorted((one, other) => one.createdAt - other.createdAt);
      expect(inOrder.map(factOf)).toEqual(expected.map(factOf));
    }),
    { numRuns: runsOnEngine(40), examples: [[SEEN_MEANWHILE], [CHANGED_MEANWHILE]] },
  );
});

// Rule: condition-scores
test("scores of conditions are read with their scale, and updated with the condition that they mean", async () => {
  const { store, partner, clock, ...fixture } = await open(NOW);
  const property = await fixture.addProperty();
  const [lift] = await fixture.addAppliances({ propertyId: property.id, typeId: "elevator" });
  const run = (score: string, scale: string, update = false) =>
    importPortfolio({
      ...fixture.importing,
      update,
      defaults: [{ field: "condition_scale", text: scale }],
      sources: {
        serviceEvents: {
          name: "visits.csv",
          text: `appliance_id,event_type,date,condition_score\n${lift!.id},Inspection,2026-02-01,${score}\n`,
        },
      },
    });
  const stored = async () => {
    const [event] = await store.read.serviceEvents.ofAppliance(lift!.id);
    const { conditionAfter, conditionScore } = event!;
    return { conditionAfter, conditionScore };
  };
  for (const scale of ["5", "x", "1-1", `1${" ".repeat(50_000)}5`])
    expect((await run("2", scale)).rejects[0]!.reasons[0]!.error).toContain(
      "condition_scale must be two different",
    );
  await run("2", "1-5");
  expect(await stored()).toEqual({ conditionAfter: "poor", conditionScore: { score: 2, scale: [1, 5] } });
  expect((await run("2", "1 to 5", true)).serviceEvents.unchanged).toBe(1);
  expect((await run("4", "[1,5]", true)).serviceEvents.updated).toBe(1);
  expect(await stored()).toEqual({ conditionAfter: "good", conditionScore: { score: 4, scale: [1, 5] } });
});

// Rule: inspection-types
test("a mapped column of inspection types is read as a list, and updates events that name others", async () => {
  const { store, partner, clock, ...fixture } = await open(NOW);
  const property = await fixture.addProperty();
  const [lift] = await fixture.addAppliances({ propertyId: property.id, typeId: "elevator" });
  const run = (types: string, update = false) =>
    importPortfolio({
      ...fixture.importing,
      update,
      mappings: [{ column: "Tests", field: "inspection_types" }],
      sources: {
        serviceEvents: {
          name: "visits.csv",
          text: `appliance_id,event_type,date,Tests\n${lift!.id},Inspection,2026-02-01,"${types}"\n`,
        },
      },
    });
  const stored = async () => (await store.read.serviceEvents.ofAppliance(lift!.id))[0]!.inspectionTypes;

  const refused = await run("four_hour_test");
  expect(refused.rejects[0]!.first.error).toContain(
    "must be among those of type elevator: category_1_annual_test, category_5_full_load_test",
  );
  expect((await run("category_5_full_load_test")).serviceEvents.created).toBe(1);
  expect(await stored()).toEqual(["category_5_full_load_test"]);
  const both = "category_5_full_load_test; category_1_annual_test";
  expect((await run(both)).serviceEvents.unchanged).toBe(1);
  expect((await run(both, true)).changes).toEqual([
    {
      kind: "service_events",
      field: "inspection_types",
      from: ["category_5_full_load_test"],
      to: ["category_1_annual_test", "category_5_full_load_test"],
      rows: 1,
      line: 2,
    },
  ]);
  expect(await stored()).toEqual(["category_1_annual_test", "category_5_full_load_test"]);
  expect((await run(both, true)).serviceEvents.unchanged).toBe(1);
});

// Rule: import-event-corrections
test.each([
  ["read ahead", (store: Store) => store],
  ["read by day", withoutReadingAhead],
])("a row with an event's ID corrects or voids it with --update, events %s", async (_, reading) => {
  const fixture = await open(NOW);
  const { partner } = fixture;
  const store = reading(fixture.store);
  const property = await fixture.addProperty();
  const [heater, lift] = await fixture.addAppliances(
    { propertyId: property.id, serial: "H" },
    { propertyId: property.id, typeId: "elevator", serial: "L" },
  );
  const event = { componentId: null, eventType: "Replacement" as const, totalCostCents: 100 };
  await log(fixture, heater!.id, [
    { ...event, date: "2020-02-01", notes: "wrong" },
    { ...event, date: "2021-02-01", notes: "twice" },
    { ...event, date: "2022-02-01", notes: "by its facts" },
  ]);
  const stored = async (id: string) =>
    (await store.read.serviceEvents.ofAppliance(id)).toSorted((a, b) => a.createdAt - b.createdAt);
  const [wrong, twice] = await stored(heater!.id);
  const run = (text: string, update = true) =>
    importPortfolio({
      ...fixture.importing,
      store,
      update,
      sources: { serviceEvents: { name: "events.csv", text } },
    });
  const corrections = [
    "service_event_id,appliance_id,serial,property_id,component_def_id,event_type,date,notes,inspection_types,voided,void_reason",
    `${wrong!.id},,L,${property.id},elev_door_operator,Inspection,2019-03-01,,"category_5_full_load_test;category_1_annual_test",false,`,
    `${twice!.id},,,,,,,,,TRUE,Logged twice`,
    `,${heater!.id},,,,Replacement,2022-02-01,by its facts,,true,`,
    `,${heater!.id},,,,Replacement,2020-02-01,wrong,,,`,
    `,${heater!.id},,,,Replacement,2022-02-01,by its facts,,,`,
    `SE_none,,,,,Repair,,,,,`,
    `${twice!.id},,,,,Repair,,,,,`,
    `${wrong!.id},,,,,Dance,,,,,`,
    `${wrong!.id},,,,,,2999-01-01,,,,`,
    `${wrong!.id},,,,,,,,,perhaps,`,
    `,${heater!.id},,,,,2022-02-01,,,,`,
  ].join("\n");
  const head = corrections.split("\n").slice(0, 4).join("\n");

  expect((await run(head, false)).serviceEvents).toEqual({ read: 3, created: 0, updated: 0, unchanged: 3 });
  const result = await run(corrections);
  expect(result.serviceEvents).toEqual({ read: 11, created: 2, updated: 3, unchanged: 0 });
  expect(result.rejects[0]!.reasons.map(({ error }) => error).toSorted()).toEqual([
    `Service event ${twice!.id} was voided and cannot be changed: log it again`,
    "Service event not found: SE_none",
    expect.stringContaining("date must be from 1900-01-01"),
    "event_type is required",
    expect.stringContaining("event_type must be one of"),
    "voided must be true or false",
  ]);
  expect(result.changes.map(({ field, rows }) => [field, rows])).toEqual([
    ["appliance_id", 1],
    ["component_id", 1],
    ["event_type", 1],
    ["date", 1],
    ["inspection_types", 1],
    ["voided", 2],
  ]);
  expect(await stored(lift!.id)).toMatchObject([
    {
      id: wrong!.id,
      eventType: "Inspection",
      date: "2019-03-01",
      notes: "wrong",
      inspectionTypes: ["category_1_annual_test", "category_5_full_load_test"],
    },
  ]);
  expect((await stored(heater!.id)).map(({ id, date }) => [id === wrong!.id, date])).toEqual([
    [false, "2020-02-01"],
    [false, "2022-02-01"],
  ]);
  const [tank] = await fixture.components(property.id);
  expect(tank!.lastReplaced).toBe("2022-02-01");
  expect(await store.read.serviceEvents.find(partner.id, twice!.id)).toMatchObject({
    voidReason: "Logged twice",
    voidedAt: NOW,
  });
  const again = await run(corrections.split("\n").slice(0, 3).join("\n"));
  expect(again.serviceEvents).toEqual({ read: 2, created: 0, updated: 0, unchanged: 2 });
  const alone = await run(`service_event_id,date\n${wrong!.id},2018-01-01\n,2018-01-02\n`);
  expect(alone.serviceEvents).toMatchObject({ updated: 1 });
  expect(alone.rejects[0]!.first.error).toContain("event_type");
});

test.each([
  ["read ahead", (store: Store) => store],
  ["read by day", withoutReadingAhead],
])("a row matches the next of equal events once the first is voided, events %s", async (_, reading) => {
  const fixture = await open(NOW);
  const store = reading(fixture.store);
  const property = await fixture.addProperty();
  const [heater] = await fixture.addAppliances({ propertyId: property.id });
  const repair = { componentId: null, eventType: "Repair" as const, date: "2024-05-01", notes: "valve" };
  await log(fixture, heater!.id, Array(2).fill({ ...repair, totalCostCents: null }));
  const ids = (await store.read.serviceEvents.ofAppliance(heater!.id)).map(({ id }) => id).toSorted();
  const equal = `,${heater!.id},Repair,2024-05-01,valve,`;
  const run = async (...rows: string[]) => {
    const { serviceEvents } = await importPortfolio({
      ...fixture.importing,
      store,
      update: true,
      monotonicMs: () => 0,
      sources: {
        serviceEvents: {
          name: "events.csv",
          text: ["service_event_id,appliance_id,event_type,date,notes,voided", ...rows].join("\n"),
        },
      },
    });
    return serviceEvents;
  };
  const voided = (id: string) => `${id},,,,,true`;
  expect(await run(equal, voided(ids[0]!), equal, equal)).toMatchObject({
    created: 0,
    updated: 1,
    unchanged: 3,
  });
  // The last one is logged again, once.
  expect(await run(equal, voided(ids[1]!), equal, equal)).toMatchObject({
    created: 1,
    updated: 1,
    unchanged: 2,
  });
});

test.each(["Repair", "Replacement"] as const)(
  "reads the events of a day once, however many rows void the first of equal ones (%s)",
  async (eventType) => {
    const EVENTS = runsOnEngine(100);
    const fixture = await open(NOW);
    const property = await fixture.addProperty();
    const [heater] = await fixture.addAppliances({ propertyId: property.id });
    const valve = { componentId: null, eventType, date: "2024-05-01", notes: "valve", totalCostCents: null };
    await log(fixture, heater!.id, Array(EVENTS).fill(valve));
    let read = 0;
    let found = 0;
    const store = readingThrough(withoutReadingAhead(fixture.store), ({ matchedOfDayAfter, find }) => ({
      matchedOfDayAfter: async (...asked) => {
        const some = await matchedOfDayAfter(...asked);
        read += some.length;
        return some;
      },
      find: (...asked) => {
        found++;
        return find(...asked);
      },
    }));
    const row = (voided: "true" | "") => `${heater!.id},${eventType},2024-05-01,valve,${voided}`;
    const rows = Array.from({ length: EVENTS }, () => [row("true"), row("")]).flat();
    const { serviceEvents } = await importPortfolio({
      ...fixture.importing,
      store,
      update: true,
      sources: {
        serviceEvents: {
          name: "events.csv",
          text: ["appliance_id,event_type,date,notes,voided", ...rows].join("\n"),
        },
      },
    });
    // The last one is logged again.
    expect(serviceEvents).toMatchObject({ created: 1, updated: EVENTS, unchanged: EVENTS - 1 });
    expect(read).toBe(EVENTS);
    expect(found).toBeLessThan(2 * rows.length);
  },
);
