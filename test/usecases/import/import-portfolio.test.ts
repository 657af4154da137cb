import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { clusterImportLockName, withClusterLock } from "../../../src/cluster/cluster-locks.ts";
import { csvLine } from "../../../src/csv/write-csv.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { extendStores, type Store, type Tx } from "../../../src/store/store.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { type ImportRequest, importPortfolio } from "../../../src/usecases/import/import-portfolio.ts";
import { originalRowOfReject } from "../../../src/usecases/import/mapping/import-reject-places.ts";
import { createAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { createPropertyAndQueueWebhook } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { type PortfolioWriter, writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { withLockId } from "../../support/lock-database.ts";

const knowledge = embeddedKnowledge();
const NOW = Date.parse("2026-03-01T12:00:00Z");
const clock = () => NOW;

let folder: string;
let store: Store;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mainstay-import-"));
  store = openSqliteStore(join(folder, "mainstay.db"), {
    clock,
    random: (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const newPartner = () =>
  store.write(async (tx): Promise<Partner> => {
    const partner = { name: "P", enabled: true, dailyBudget: 1, credentialGeneration: 1, createdAt: tx.now };
    const made = { id: tx.newId("partner"), ...partner };
    await tx.partners.insert(made);
    return made;
  });

type Files = { properties?: string; appliances?: string; serviceEvents?: string; claims?: string };

function run(partner: Partner, files: Files, more: Partial<ImportRequest> = {}) {
  const source = (name: string, text?: string) => (text === undefined ? undefined : { name, text });
  const sources = {
    properties: source("properties.csv", files.properties),
    appliances: source("appliances.csv", files.appliances),
    serviceEvents: source("events.csv", files.serviceEvents),
    claims: source("claims.csv", files.claims),
  };
  return importPortfolio({ store, knowledge, partner, sources, clock, actor: "cli:test", ...more });
}

/** Returns a partner's portfolio without ids and instants, in a stable order. */
async function portfolio({ id }: Partner) {
  const all = { limit: 10_000, offset: 0 };
  const { properties, appliances, components, serviceEvents, totals } = store.read;
  const rows = await properties.portfolioPage(id, all);
  const nameOf = new Map(rows.map(({ property }) => [property.id, property.name]));
  const units = await appliances.page(id, all);
  const label = new Map(units.map((one) => [one.id, [nameOf.get(one.propertyId), one.serial, one.model]]));
  const events = await Promise.all(units.map((one) => serviceEvents.ofAppliance(one.id)));
  const sorted = (facts: unknown[]) => facts.map((fact) => JSON.stringify(fact)).sort();
  return {
    sums: { ...(await totals.ofPartner(id)), partnerId: "" },
    properties: sorted(
      rows.map(({ property: { name, address, source }, totals }) => [
        ...[name, address, source],
        { ...totals, propertyId: "", partnerId: "" },
      ]),
    ),
    components: sorted(
      (await components.page(id, all)).map((one) => [
        ...[label.get(one.applianceId), one.defId, one.riskScore, one.riskTier, one.confidence],
        ...[one.effectiveAgeYears, one.hazardRatio, one.lastReplaced, one.lastServiced, one.installYear],
      ]),
    ),
    events: sorted(
      events
        .flat()
        .map((one) => [
          ...[label.get(one.applianceId), one.componentId === null, one.eventType, one.date],
          ...[one.totalCostCents, one.notes],
        ]),
    ),
  };
}

const HEAD = "partner_property_id,name,address,state\n";
const ELM = `${HEAD}E,Elm Court,1 Elm St,ny\n`;
const UNITS = "partner_property_id,type_id,install_year,serial,model\n";
const FIRST = { file: "properties.csv", line: 2 };
const EVENTS = "partner_property_id,serial,event_type,date,component_def_id,total_cost,notes\n";

describe("an import", () => {
  test("gives every component the score that single requests give", async () => {
    const imported = await newPartner();
    await run(imported, {
      properties: ELM,
      appliances: `${UNITS}E,roof,1990,R1,\nE,water_heater_gas,2010,W1,\nE,elevator,1998,L1,\n`,
      serviceEvents: `${EVENTS}E,W1,Repair,2024-05-01,,120.50,leaking tank\nE,L1,Replacement,2020-02-29,elev_controller,,\nE,W1,Emergency Repair,2025-01-02,,,\n`,
    });
    const asked = await newPartner();
    await store.write((tx) => bySingleRequests(tx, asked));
    const [one, other] = [await portfolio(imported), await portfolio(asked)];
    expect(one.components).toHaveLength(other.components.length);
    expect(one.components).toEqual(other.components);
    expect(one.events).toEqual(other.events);
    expect(one.sums).toEqual(other.sums);
  });

  test("adds nothing once another process has acquired its lock", async () => {
    const partner = await newPartner();
    const files = { properties: ELM, appliances: UNITS + "E,refrigerator,2015,,\n".repeat(800) };
    const name = clusterImportLockName(partner.id);
    const as = (by: string): Partial<ImportRequest> => ({
      withLock: (work) =>
        withClusterLock(
          withLockId(store, by),
          { name, owner: by, activity: "an import is in progress" },
          work,
        ),
    });
    const other = async () => {
      // The state after the lock has expired.
      await store.write((tx) => tx.locks.release(name, "one"));
      return await run(partner, files, as("other"));
    };
    let others: ReturnType<typeof other> | undefined;
    const yieldNow = async () => {
      others ??= other();
      await others;
    };
    const paused = run(partner, files, { ...as("one"), yieldNow });
    await expect(paused).rejects.toThrow("another process may be doing the same");
    expect((await others!).appliances.created).toBeGreaterThan(0);
    expect((await store.read.totals.ofPartner(partner.id)).appliances).toBe(800);
  });

  test("adds nothing twice, in whatever order and however often rows are read", async () => {
    const property = fc.constantFrom(
      "P1,One,1 A St,NY",
      "P2,Two,2 B St,NJ",
      "P3,Three,3 C St,CA",
      ",None,x,NY",
      "P4,Four,4 D St,XX",
    );
    const appliance = fc.constantFrom(
      "P1,roof,1990,S1,",
      "P1,elevator,2001,S2,m",
      "P2,boiler,2003,S1,",
      "P2,boiler,20O3,S9,",
      "P9,roof,2000,S1,",
      "P1,roof,1995,S2,",
    );
    const event = fc.constantFrom(
      "P1,S1,Inspection,2024-01-01,,,",
      "P1,S1,Inspection,2024-01-01,,,again",
      "P1,S2,Repair,2023-06-30,elev_machine,10,",
      "P2,S1,Cleaning,2022-02-30,,,",
      "P2,S1,Cleaning,2022-02-28,,1e999,",
      "P2,S7,Other,2022-02-28,,,",
    );
    const rows = fc.record({
      p: fc.array(property, { maxLength: 8 }),
      a: fc.array(appliance, { maxLength: 12 }),
      e: fc.array(event, { maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(rows, async ({ p, a, e }) => {
        const partner = await newPartner();
        const files = (lock: (list: string[]) => string[]) => ({
          properties: HEAD + lock(p).join("\n"),
          appliances: UNITS + lock(a).join("\n"),
          serviceEvents: EVENTS + lock(e).join("\n"),
        });
        const first = await run(
          partner,
          files((list) => list),
        );
        const state = await portfolio(partner);
        expect(state.sums).toMatchObject({
          properties: first.properties.created,
          appliances: first.appliances.created,
          components: first.components.created,
          serviceEvents: first.serviceEvents.created,
        });
        for (const counts of [first.properties, first.appliances, first.serviceEvents])
          expect(counts.created + counts.unchanged).toBeLessThanOrEqual(counts.read);
        const again = await run(
          partner,
          files((list) => [...list, ...list].reverse()),
        );
        // Where two rows of a file have the same serial, the first one decides the type.
        expect(again).toMatchObject({
          properties: { created: 0 },
          appliances: { created: 0 },
          components: { created: 0 },
          serviceEvents: { created: 0 },
        });
        expect(await portfolio(partner)).toEqual(state);
      }),
      { numRuns: 25 },
    );
  });

  test("updates the first logged of several equal events, in whatever order they are read", async () => {
    const partner = await newPartner();
    const files = { properties: `${HEAD}P1,One,1 A St,NY`, appliances: `${UNITS}P1,roof,1990,S1,` };
    await run(partner, files);
    const [roof] = await store.read.appliances.page(partner.id, { limit: 1, offset: 0 });
    const fields = {
      applianceId: roof!.id,
      componentId: null,
      eventType: "Repair" as const,
      date: "2024-01-01",
      partsCostCents: null,
      laborCostCents: null,
      technician: null,
      notes: null,
      conditionAfter: null,
    };
    await writePortfolio(store.write, knowledge, partner, async (writer) => {
      const log = new ServiceLog(writer);
      for (const totalCostCents of [1, 2, 3]) await log.add({ ...fields, totalCostCents });
      await log.finish();
    });
    const backwards = (tx: Tx): Tx => {
      const { ofAppliances } = tx.serviceEvents;
      const serviceEvents = {
        ...tx.serviceEvents,
        ofAppliances: async (...asked: Parameters<typeof ofAppliances>) =>
          (await ofAppliances(...asked))?.toReversed(),
      };
      return extendStores(tx, { serviceEvents });
    };
    const reversed: Store = { ...store, write: (run, how) => store.write((tx) => run(backwards(tx)), how) };
    for (const [by, cost] of [
      [store, "0.04"],
      [reversed, "0.05"],
    ] as const)
      await run(
        partner,
        { serviceEvents: `${EVENTS}P1,S1,Repair,2024-01-01,,${cost},` },
        { store: by, update: true },
      );
    const costs = (await store.read.serviceEvents.ofAppliance(roof!.id)).map((one) => one.totalCostCents);
    expect(costs).toEqual([5, 2, 3]);
  });

  test("reads a property of many appliances without a serial once, however many rows name it", async () => {
    const partner = await newPartner();
    const rows = Array.from({ length: 600 }, (_, nth) => `E,range_gas,2010,,M${nth}\n`).join("");
    let read = 0;
    const counting: Store["write"] = (run, options) =>
      store.write((tx) => {
        const { ofProperty, ofPropertyAfter } = tx.appliances;
        const counted = async <T>(found: Promise<T[]>) => {
          read += (await found).length;
          return await found;
        };
        const appliances: typeof tx.appliances = {
          ...tx.appliances,
          ofProperty: (id) => counted(ofProperty(id)),
          ofPropertyAfter: (id, after, limit) => counted(ofPropertyAfter(id, after, limit)),
        };
        return run(extendStores(tx, { appliances }));
      }, options);
    const files = { properties: ELM, appliances: UNITS + rows };
    const first = await run(partner, files, { store: { ...store, write: counting } });
    const second = await run(partner, files, { store: { ...store, write: counting } });
    expect([first.appliances.created, second.appliances.unchanged]).toEqual([600, 600]);
    expect(read).toBe(600);
  });

  // Rule: install-year-of-the-building
  test("tells an install year from the building's, also where both are the same year", async () => {
    const partner = await newPartner();
    const properties = "partner_property_id,name,address,state,year_built\nE,Elm Court,1 Elm St,NY,1962\n";
    const rows = (...cells: string[]) => ({
      appliances: `partner_property_id,type_id,serial,install_year,install_year_basis\nE,roof,R1,${cells}\n`,
    });
    await run(partner, { properties, ...rows("1962", "year_built") });
    const years = async () => {
      const [roof] = await store.read.appliances.page(partner.id, { limit: 1, offset: 0 });
      return [roof!.installYear, roof!.installYearBasis];
    };
    expect(await years()).toEqual([1962, "year_built"]);
    for (const [cells, expected, changed] of [
      [["1962", "year_built"], [1962, "year_built"], []],
      [["", ""], [1962, "year_built"], []],
      [["1962", ""], [1962, "given"], ["install_year_basis"]],
      [["1962", "given"], [1962, "given"], []],
      [["1990", "year_built"], [1962, "year_built"], ["install_year_basis"]],
      [
        ["1990", "given"],
        [1990, "given"],
        ["install_year", "install_year_basis"],
      ],
      [["", "year_built"], [1962, "year_built"], ["install_year_basis"]],
    ] as const) {
      const { changes } = await run(partner, rows(...cells), { update: true });
      expect([changes.map(({ field }) => field), await years()]).toEqual([[...changed], [...expected]]);
    }
    const { rejects } = await run(partner, rows("1962", "guessed"), { update: true });
    expect(rejects).toMatchObject([{ rows: 1 }]);
  });

  test("matches appliances without a serial by their number", async () => {
    const partner = await newPartner();
    const row = "E,ptac,2015,,K100\n";
    const two = await run(partner, { properties: ELM, appliances: UNITS + row + row });
    expect(two.appliances).toEqual({ read: 2, created: 2, updated: 0, unchanged: 0 });
    const three = await run(partner, { appliances: UNITS + row + row + row });
    expect(three.appliances).toEqual({ read: 3, created: 1, updated: 0, unchanged: 2 });
    const fewer = await run(partner, { appliances: UNITS + row });
    expect(fewer.appliances).toEqual({ read: 1, created: 0, updated: 0, unchanged: 1 });
  });

  // Rule: property-source, property-created
  test("is announced to the partner's webhook endpoint as it happens, once", async () => {
    const partner = await newPartner();
    await store.write((tx) =>
      tx.partners.insertEndpoint({
        partnerId: partner.id,
        url: "https://r.example/",
        secret: "s",
        events: null,
      }),
    );
    const files = {
      properties: ELM,
      appliances: `${UNITS}E,roof,1990,R1,\n`,
      serviceEvents: `${EVENTS}E,R1,Inspection,2024-01-01,,,\n`,
    };
    const reported = async () => {
      const due = await store.read.deliveries.due(partner.id, NOW, NOW, 100, new Set());
      return due.map(({ body }) => JSON.parse(Buffer.from(body).toString()));
    };
    await run(partner, files);
    const first = await reported();
    expect(first.map(({ event }) => event)).toEqual([
      "property.created",
      "appliance.created",
      "service_event.created",
    ]);
    expect(first[0].data).toMatchObject({ address: "1 Elm St", state: "NY", source: "import" });
    await run(partner, files);
    expect(await reported()).toEqual(first);
  });
});

async function bySingleRequests(tx: Tx, partner: Partner): Promise<void> {
  const each = <T>(act: (writer: PortfolioWriter) => Promise<T>) =>
    writePortfolio((run) => run(tx), knowledge, partner, act);
  const none = { city: null, zip: null, yearBuilt: null, notes: null };
  const elm = {
    ...none,
    name: "Elm Court",
    address: "1 Elm St",
    state: "NY",
    unitCount: 0,
    partnerPropertyId: "E",
  };
  const property = await each((writer) => createPropertyAndQueueWebhook(writer, elm, { source: "import" }));
  const blank = {
    unitId: null,
    brand: null,
    model: null,
    brandTier: null,
    usageIntensity: null,
    warrantyExpiry: null,
  };
  const add = (typeId: string, installYear: number, serial: string) =>
    each((writer) =>
      createAppliance(writer, { ...blank, propertyId: property.id, typeId, installYear, serial }),
    );
  await add("roof", 1990, "R1");
  const heater = await add("water_heater_gas", 2010, "W1");
  const lift = await add("elevator", 1998, "L1");
  const log = (applianceId: string, event: object) =>
    each(async (writer) => {
      const events = new ServiceLog(writer);
      const costs = { partsCostCents: null, laborCostCents: null, totalCostCents: null };
      const rest = { componentId: null, technician: null, notes: null, conditionAfter: null };
      await events.add({ applianceId, ...costs, ...rest, ...event } as Parameters<ServiceLog["add"]>[0]);
      await events.finish();
    });
  await log(heater.appliance.id, {
    eventType: "Repair",
    date: "2024-05-01",
    totalCostCents: 12_050,
    notes: "leaking tank",
  });
  const controller = lift.components.find((one) => one.defId === "elev_controller")!;
  await log(lift.appliance.id, { eventType: "Replacement", date: "2020-02-29", componentId: controller.id });
  await log(heater.appliance.id, { eventType: "Emergency Repair", date: "2025-01-02" });
}

describe("a rejected row", () => {
  test("is kept with its columns, its line and the reason, and can be imported once it is fixed", async () => {
    const partner = await newPartner();
    const rejectsFolder = join(folder, "fix");
    const text = `serial,type_id,install_year,partner_property_id,Remark\nL1,elevator,,E,"by ""Otis"",\nsouth"\n  ,roof,12abc,E,\nL2,elevator,1999,E,fine\nL3,elevator,1999,X,\n`;
    const first = await run(partner, { properties: ELM, appliances: text }, { rejectsFolder });
    expect(first).toMatchObject({
      appliances: { read: 4, created: 1, updated: 0, unchanged: 0 },
      rejected: 3,
      rejects: [
        { kind: "appliances", file: "appliances.csv", rows: 3, path: join(rejectsFolder, "appliances.csv") },
      ],
      warnings: ["appliances.csv: ignored columns (no field with that name): Remark"],
    });
    const kept = readFileSync(first.rejects[0]!.path!, "utf8");
    expect(kept).toBe(
      [
        "serial,type_id,install_year,partner_property_id,Remark,line,error",
        'L1,elevator,,E,"by ""Otis"",\nsouth",2,install_year is required where the property has no year_built',
        '"  ",roof,12abc,E,,4,install_year must be a number such as 12 or 1200.50',
        "L3,elevator,1999,X,,6,Property not found: X\n",
      ].join("\n"),
    );
    const fixed = kept.replace("elevator,,E", "elevator,2001,E").replace("12abc", "2012");
    const second = await run(partner, { appliances: fixed }, { rejectsFolder });
    expect(second).toMatchObject({
      appliances: { read: 3, created: 2, updated: 0, unchanged: 0 },
      rejected: 1,
    });
    expect(readFileSync(second.rejects[0]!.path!, "utf8")).toBe(
      "serial,type_id,install_year,partner_property_id,Remark,line,error\nL3,elevator,1999,X,,5,Property not found: X\n",
    );
  });

  test("that equals imported rows once it is fixed is a further row of its file", async () => {
    const partner = await newPartner();
    const rejectsFolder = join(folder, "equal");
    const original = ["type_id,install_year,partner_property_id", "boiler,1990,E", "boiler,12abc,E"];
    original.push("boiler,1990,E", "boiler,13abc,E");
    const files = { properties: ELM, appliances: `${original.join("\n")}\n` };
    const { path } = (await run(partner, files, { rejectsFolder })).rejects[0]!;
    const correct = (rejects: string, wrong: string) =>
      writeFileSync(rejects, readFileSync(rejects, "utf8").replace(wrong, "1990"));
    const importing = (rejects: string) =>
      importPortfolio({
        store,
        knowledge,
        partner,
        clock,
        actor: "cli:test",
        rejectsFolder,
        sources: { appliances: { path: rejects } },
      });
    correct(path!, "12abc");
    const second = await importing(path!);
    expect(second.appliances).toEqual({ read: 2, created: 1, updated: 0, unchanged: 0 });
    expect((await importing(path!)).appliances).toMatchObject({ created: 0, unchanged: 1 });
    const last = second.rejects[0]!.path!;
    correct(last, "13abc");
    const moved = join(folder, "moved.csv");
    copyFileSync(last, moved);
    const unknown = await importing(moved);
    expect(unknown.appliances).toMatchObject({ created: 0, unchanged: 1 });
    expect(unknown.warnings).toContainEqual(expect.stringContaining("moved.csv.counts"));
    for (const created of [1, 0])
      expect(await importing(last)).toMatchObject({ appliances: { created }, warnings: [] });
    const whole = files.appliances.replaceAll(/1[23]abc/g, "1990");
    expect((await run(partner, { appliances: whole })).appliances).toMatchObject({
      created: 0,
      unchanged: 4,
    });
    writeFileSync(`${last}.counts`, "1,2,3");
    await expect(importing(last)).rejects.toThrow("has no counts of imported rows");
    // Counts of a file that is gone, or a planted link, do not become those of the next.
    rmSync(last);
    const next = (await run(partner, files, { rejectsFolder })).rejects[0]!.path!;
    expect(next).not.toBe(last);
    expect(readFileSync(`${last}.counts`, "utf8")).toBe("1,2,3");
  });

  test("with text that looks like a formula is imported with that text once it is fixed", async () => {
    const partner = await newPartner();
    const rejectsFolder = join(folder, "formulas");
    const text = "partner_property_id,name,address,state\n=F1,=1+1,'=2+2,XX\n-F2,＋3,'plain,XX\n";
    const first = await run(partner, { properties: text }, { rejectsFolder });
    const kept = readFileSync(first.rejects[0]!.path!, "utf8");
    expect(kept).toContain("\n'=F1,'=1+1,''=2+2,XX,2,");
    expect(kept).toContain("\n'-F2,'＋3,'plain,XX,3,");
    const path = first.rejects[0]!.path!;
    writeFileSync(path, kept.replaceAll("XX,", "NY,"));
    const second = await run(partner, {}, { sources: { properties: { path } } });
    expect(second).toMatchObject({ properties: { read: 2, created: 2 }, rejected: 0 });
    const rows = await store.read.properties.portfolioPage(partner.id, { limit: 10, offset: 0 });
    const texts = rows.map(({ property }) => [property.partnerPropertyId, property.name, property.address]);
    expect(texts.toSorted()).toEqual([
      ["-F2", "＋3", "'plain"],
      ["=F1", "=1+1", "'=2+2"],
    ]);
  });

  // Rule: countries
  test("takes properties of other countries, and updates what differs", async () => {
    const partner = await newPartner();
    const file = (rows: string) => ({
      properties: `partner_property_id,name,address,country,state,zip\n${rows}\n`,
    });
    const first = await run(partner, file("A,A,1 Fir St,CA,on,m4k 1n2\nB,B,2 Fir St,,NY,12207"));
    expect(first.properties).toMatchObject({ created: 2 });
    const again = await run(partner, file("A,A,1 Fir St,ca,ON,M4K 1N2\nB,B,2 Fir St,,ny,12207"), {
      update: true,
    });
    expect(again.properties).toMatchObject({ unchanged: 2, updated: 0 });
    const changed = await run(partner, file("A,A,1 Fir St,CA,QC,H2X 1Y4"), { update: true });
    expect(changed.changes.map(({ field, from, to }) => [field, from, to])).toEqual([
      ["state", "ON", "QC"],
      ["zip", "M4K 1N2", "H2X 1Y4"],
    ]);
    const { rejected, rejects } = await run(partner, file("C,C,3 Fir St,CA,QC,H2X_1\nD,D,4 Fir St,UK,X,"));
    expect(rejected).toBe(2);
    expect(rejects[0]!.reasons.map(({ error }) => error)).toEqual([
      "zip must be a ZIP code with 5 or 5+4 digits, or the postal code of another country",
      "country must be a country's two-letter code (ISO 3166-1), such as CA",
    ]);
  });

  test.each([
    [
      "properties",
      "P,N,A,XX,,",
      "state must be the abbreviation of a US state, DC, PR, GU, VI, AS or MP; for another country, set country",
    ],
    ["properties", ",N,A,NY,,", "partner_property_id or property_id is required"],
    ["properties", "P,,,NY,,", "name is required; address is required"],
    ["properties", "P,N,A,NY,NaN,", "estimated_value must be a number such as 12 or 1200.50"],
    ["properties", "P,N,A,NY,1e999,", "estimated_value must be a number such as 12 or 1200.50"],
    ["properties", "P,N,A,NY,-1,", "estimated_value must be an amount in USD from 0 to 1000000000000"],
    ["properties", "P,N,A,NY,,3000", "year_built must be a whole number from 1800 to 2027"],
    ["properties", "P,N,A,NY,,1.5", "year_built must be a whole number from 1800 to next year"],
    [
      "properties",
      "P,N,A,NY,$1,2O01",
      "year_built must be a number such as 12 or 1200.50; estimated_value must be",
    ],
    ["properties", "P,N,A,NY", "the row has 4 cells where the first line has 6"],
    ["properties", "P,N,A,NY,,,x,y", 'the row has 8 cells where the first line has 6; left over: "x", "y"'],
    ["serviceEvents", "E,L1,Inspection,2024-02-30,,", "date must be a valid date in the format YYYY-MM-DD"],
    ["serviceEvents", "E,L1,Dance,2024-02-28,,", "event_type must be one of"],
    ["serviceEvents", "E,L9,Repair,2024-02-28,,", "Appliance not found: serial L9 in property E"],
    ["serviceEvents", "E,,Repair,2024-02-28,,", "serial or appliance_id is required"],
    ["serviceEvents", ",L1,Repair,2024-02-28,,", "partner_property_id or property_id is required"],
    [
      "serviceEvents",
      "E,L1,Repair,2024-02-28,roof_membrane,",
      "component_def_id is not a component of type elevator",
    ],
    ["serviceEvents", "E,L1,Repair,2024-02-28,,12abc", "total_cost must be a number such as 12 or 1200.50"],
    ["serviceEvents", "E,L1,Repair,2030-01-01,,", "date must be from 1900-01-01 to"],
  ] as const)("of %s gives the reason: %s", async (part, row, error) => {
    const partner = await newPartner();
    await run(partner, { properties: ELM, appliances: `${UNITS}E,elevator,2000,L1,\n` });
    const heads = {
      properties: "partner_property_id,name,address,state,estimated_value,year_built\n",
      serviceEvents: "partner_property_id,serial,event_type,date,component_def_id,total_cost\n",
    };
    const result = await run(partner, { [part]: heads[part] + row });
    expect(result.rejected).toBe(1);
    expect(result.rejects[0]!.first.line).toBe(2);
    expect(result.rejects[0]!.first.error).toStartWith(error);
  });

  test("has the serial of an appliance of another type", async () => {
    const partner = await newPartner();
    const appliances = `${UNITS}E,roof,2000,S,\nE,boiler,2000,S,\n`;
    const { appliances: counts, rejects } = await run(partner, { properties: ELM, appliances });
    expect(counts).toEqual({ read: 2, created: 1, updated: 0, unchanged: 0 });
    expect(rejects[0]!.first.error).toMatch(/^serial is that of the property's roof A_/);
  });

  test.each([["created by it"], ["there before"]])(
    "has the serial of an earlier row that states something else, of an appliance %s",
    async (when) => {
      const partner = await newPartner();
      const first = `${UNITS}E,boiler,2001,0,Rheem\n`;
      const again = await run(partner, { properties: ELM, appliances: first });
      expect(again.appliances.created).toBe(1);
      const serial = when === "there before" ? "0" : "see notes";
      const rows = [`2001,${serial},`, `,${serial},Rheem`, `2011,${serial},Rheem`, `2001,${serial},GE`];
      const appliances = UNITS + rows.map((row) => `E,boiler,${row}\n`).join("");
      for (const created of [when === "there before" ? 0 : 1, 0]) {
        const { appliances: counts, rejects } = await run(partner, { properties: ELM, appliances });
        expect(counts).toEqual({ read: 4, created, updated: 0, unchanged: 2 - created });
        expect(
          rejects.flatMap(({ reasons }) => reasons.map(({ error }) => error.replace(/A_\w+/, "A_"))),
        ).toEqual([
          "serial is that of the property's boiler A_, and an earlier row states its install_year as 2001, not 2011: give each its own serial, or none",
          "serial is that of the property's boiler A_, and an earlier row states its model as Rheem, not GE: give each its own serial, or none",
        ]);
      }
    },
  );

  // A row that is left out as unchanged would be lost without a word.
  test.each<[string, keyof Files, string, readonly string[], string]>([
    [
      "reference",
      "properties",
      `${HEAD.trim()},city\n`,
      ["F,Fir Court,1 Fir Street,ny,Troy", "F,FIR COURT,2 Fir St,ny,", "F,Oak House,9 Oak St,ny,Troy"],
      "partner_property_id is that of an earlier row with another name and address than Oak House, 9 Oak St: give each property its own",
    ],
    [
      "number",
      "claims",
      "partner_property_id,claim_number,claim_type,date_of_loss,amount,carrier\n",
      [
        "E,C-1,water_damage,2025-01-31,100,A",
        "E,C-1,water_damage,2025-01-31,100,B",
        "E,C-1,water_damage,2025-01-31,9.5,A",
      ],
      "claim_number is that of an earlier row, which states its amount as 100, not 9.5: state each claim in one row, or update it",
    ],
    [
      "day, type and notes",
      "serviceEvents",
      EVENTS,
      ["E,S,Repair,2025-01-31,,100,", "E,S,Repair,2025-01-31,,,", "E,S,Repair,2025-01-31,,9.5,"],
      "an earlier row is the same event, and states its total_cost as 100, not 9.5: distinguish them by their notes",
    ],
  ])("has the %s of an earlier row that states something else", async (_, part, head, rows, error) => {
    const partner = await newPartner();
    await run(partner, { properties: ELM, appliances: `${UNITS}E,roof,2000,S,\n` });
    for (const created of [1, 0]) {
      const result = await run(partner, { [part]: `${head}${rows.join("\n")}\n` });
      expect(result[part]).toEqual({ read: 3, created, updated: 0, unchanged: 2 - created });
      expect(result.rejects.map(({ first }) => [first.line, first.error])).toEqual([[4, error]]);
    }
    const updated = await run(partner, { [part]: `${head}${rows.join("\n")}\n` }, { update: true });
    expect(updated.rejected).toBe(0);
  });

  test("is named with its line in place of an ID that a dry run rolls back, and with its file where it is another", async () => {
    const properties = `${HEAD.trim()},retired_at\nE,Elm Court,1 Elm St,NY,2026-01-31\n`;
    const appliances = `${UNITS}E,roof,2000,S,\n`;
    const far = await run(await newPartner(), { properties, appliances }, { isDryRun: true });
    expect(far.rejects[0]!.first.error).toBe(
      "Property in line 2 of properties.csv is retired since 2026-01-31. Bring it back first: PUT /v1/properties/{id} with retired_at: null",
    );
    const twice = `${UNITS}E,roof,2000,S,\nE,boiler,2000,S,\n`;
    const near = await run(await newPartner(), { properties: ELM, appliances: twice }, { isDryRun: true });
    expect(near.rejects[0]!.first.error).toBe("serial is that of the property's roof in line 2");
    const places = ["roofs.csv:7", "boilers.csv:3", "roofs.csv:9"].map((place) => `/in/${place}`);
    const kinds = ["roof", "boiler", "boiler"];
    const mapped = `${UNITS.trim()},source_row\n${kinds.map((kind, at) => `E,${kind},2000,S,,${places[at]}\n`).join("")}`;
    const { rejects } = await run(
      await newPartner(),
      { properties: ELM, appliances: mapped },
      {
        isDryRun: true,
        placeOf: ({ cells }) => (cells.length === 6 ? originalRowOfReject({ cells }) : FIRST),
      },
    );
    expect(rejects[0]!.reasons.map(({ error }) => error)).toEqual([
      "serial is that of the property's roof in row 7 of roofs.csv",
      "serial is that of the property's roof in row 7",
    ]);
  });

  // Rule: smart-ambiguous
  test("is an event with a serial that two of the property's appliances have", async () => {
    const partner = await newPartner();
    await run(partner, { properties: ELM, appliances: `${UNITS}E,roof,2000,S,\nE,boiler,2000,T,\n` });
    const [, boiler] = await store.read.appliances.page(partner.id, { limit: 2, offset: 0 });
    await store.write((tx) => tx.appliances.update(boiler!.id, { ...boiler!, serial: "S" }));
    const { rejects } = await run(partner, {
      serviceEvents: `${EVENTS}E,S,Cleaning,2020-01-01,,,\n`,
    });
    expect(rejects[0]!.first.error).toBe(
      "serial belongs to several appliances of the property: use appliance_id",
    );
  });
});

describe("a file that cannot be used", () => {
  const cases: [string, Files, RegExp][] = [
    [
      "a missing column",
      { properties: "partner_property_id,name,address\n" },
      /properties.csv: column missing: state/,
    ],
    [
      "no column to match on",
      { appliances: "type_id,install_year\n" },
      /column missing: partner_property_id, or property_id/,
    ],
    ["two columns of one field", { properties: `${HEAD.trim()},name\n` }, /columns 2 and 5 both hold name/],
    [
      "a wrong quote",
      { properties: `${ELM}F,"Fir,2 Fir St,NY\n` },
      /properties.csv line 3: the row starting here has an unclosed quote/,
    ],
    ["nothing in it", { properties: "" }, /properties.csv is empty/],
    ["nothing but blank lines", { properties: "\n\n" }, /nothing but blank lines/],
  ];
  test.each(cases)("for %s stops the import before anything is written", async (_, files, message) => {
    const partner = await newPartner();
    const good = { properties: ELM, ...files };
    await expect(run(partner, good)).rejects.toThrow(message);
    expect((await store.read.totals.ofPartner(partner.id)).properties).toBe(0);
  });

  test("is reported with the mapping that was probably meant", async () => {
    const text = "Partner Property ID,Nmae,address,state\n1,2,3,4\n";
    const error = await run(await newPartner(), { properties: text }).catch((thrown) => thrown);
    expect(error.message).toBe("properties.csv: columns missing: partner_property_id; name");
    expect(error.hint).toBe(
      "Did you mean --map 'Partner Property ID=partner_property_id' --map 'Nmae=name'?",
    );
  });
});

describe("a mapping", () => {
  const partnerAndText = async () => ({
    partner: await newPartner(),
    text: `${csvLine(["Bldg", "Street", "ST", "name"])}B1,1 Elm St,NY,x\n`,
  });

  test("names the fields of a column, in place of the column's own name", async () => {
    const { partner, text } = await partnerAndText();
    const mappings = [
      { column: "Bldg", field: "partner_property_id" },
      { column: "Bldg", field: "name" },
      { column: "Street", field: "address" },
      { column: "ST", field: "state" },
    ];
    const result = await run(partner, { properties: text }, { mappings });
    expect(result).toMatchObject({
      properties: { created: 1 },
      rejected: 0,
      warnings: ["properties.csv: ignored columns (no field with that name): name"],
    });
    const found = await store.read.properties.findByReference(partner.id, "B1");
    expect(found).toMatchObject({ name: "B1", address: "1 Elm St", state: "NY", source: "import" });
  });

  test.each([
    [{ column: "Strete", field: "address" }, 'no file has a column "Strete"'],
    [{ column: "Bldg", field: "adress" }, "cannot contain adress"],
  ])("that matches no file is refused: %o", async (mapping, message) => {
    const { partner } = await partnerAndText();
    const properties = `Bldg,${HEAD}1,E,Elm,1 Elm St,NY\n`;
    await expect(run(partner, { properties }, { mappings: [mapping] })).rejects.toThrow(message);
  });
});
