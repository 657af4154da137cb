import { beforeEach, describe, expect, test } from "bun:test";
import type { PartnerOperation } from "../../../src/http/http-operation.ts";
import { serviceEventOperations } from "../../../src/http/routes/service-events-routes.ts";
import { workMarkOperations } from "../../../src/http/routes/work-marks-routes.ts";
import { type ImportRequest, importPortfolio } from "../../../src/usecases/import/import-portfolio.ts";
import { importTableRows } from "../../../src/usecases/import/import-table-rows.ts";
import { RescoreLimit, RescoreLimitExceeded } from "../../../src/usecases/rescoring/rescore-limit.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const TODAY = "2026-03-10";
const BEFORE = "2025-11-11";
const open = usePortfolioStore();
let fixture: PortfolioFixture;
let properties: string[];
let appliances: string[];

/** Makes four properties, each with a water heater. */
beforeEach(async () => {
  fixture = await open(Date.parse(`${TODAY}T12:00:00Z`));
  properties = [];
  for (const nth of [0, 1, 2, 3])
    properties.push((await fixture.addProperty({ partnerPropertyId: `R${nth}` })).id);
  appliances = (await fixture.addAppliances(...properties.map((propertyId) => ({ propertyId })))).map(
    ({ id }) => id,
  );
});

const sizeEach = (components: number) => fixture.sql(`UPDATE property_totals SET components = ${components}`);
const recordStarts = async () => {
  const rows = await fixture.store.read.properties.ofIds(fixture.partner.id, properties);
  return rows.filter(({ recordsSince }) => recordsSince === BEFORE).map(({ id }) => id);
};
const bulk = async (operations: ReturnType<typeof workMarkOperations>, id: string, body: object) => {
  const operation = operations.find((one) => one.id === id) as PartnerOperation;
  const writePortfolio = fixture.write;
  const call = { body, partner: fixture.partner, writePortfolio, yieldNow: async () => {} };
  return (await operation.handle(call as never)).body;
};
const inspection = (applianceId: string | undefined, date: string) => ({
  appliance_id: applianceId,
  event_type: "Inspection",
  date,
});
const TOO_MANY = expect.stringContaining(
  "the scores of at most 20000 components, apart from its largest property",
);

test("the largest property has any number of components; the others together do not, in any order", () => {
  for (const [first, last] of [
    [90, 4],
    [4, 90],
  ] as const) {
    const limit = new RescoreLimit(10);
    limit.count("A", first);
    limit.count("B", 6);
    limit.count("C", last);
    expect(() => limit.count("D", 1)).toThrow(RescoreLimitExceeded);
  }
});

test("a property that was reserved is counted once, with its own components if they are more", () => {
  const limit = new RescoreLimit(10);
  limit.reserve("A", 8);
  limit.reserve("A", 8);
  limit.reserve("B", 8);
  limit.count("A", 9);
  expect(() => limit.reserve("C", 3)).toThrow(RescoreLimitExceeded);
  limit.reserve("C", 1);
  limit.count("B", 8);
  expect(() => limit.reserve("D", 2)).toThrow(RescoreLimitExceeded);
});

test("a property that is rescored again and again is aside as a whole", () => {
  const limit = new RescoreLimit(10);
  for (let nth = 0; nth < 3; nth++) limit.count("A", 30);
  limit.count("B", 5);
  limit.count("B", 5);
  limit.count("A", 30);
  expect(() => limit.count("B", 1)).toThrow(RescoreLimitExceeded);
});

// Rule: bulk-rescored
describe("items of a bulk request that rescore too many components", () => {
  test("are rejected where they extend the records of further large properties, and the others are saved", async () => {
    await sizeEach(15_000);
    const [elm, oak, ash, fir] = appliances;
    const events = [elm, oak, ash, oak].map((id) => inspection(id, BEFORE));
    const reply = await bulk(serviceEventOperations(knowledge, 10), "createServiceEvents", {
      events: [...events, inspection(fir, TODAY)],
    });
    expect(reply).toMatchObject({
      created: 4,
      errors: 1,
      error_details: [{ index: 2, error: TOO_MANY }],
    });
    expect(await recordStarts()).toEqual(properties.slice(0, 2));
    const again = await bulk(serviceEventOperations(knowledge, 10), "createServiceEvents", {
      events: [events[2]],
    });
    expect(again).toMatchObject({ created: 1, errors: 0 });
  });

  test("are rejected as marks of work that was done on an earlier day", async () => {
    await sizeEach(15_000);
    const work = appliances.map((appliance_id) => ({
      appliance_id,
      state: "done",
      by: "J. Ito",
      event_type: "Repair",
      date: BEFORE,
    }));
    const reply = await bulk(workMarkOperations(10), "markWork", { work });
    expect(reply).toMatchObject({ created: 2, errors: 2 });
    expect(await recordStarts()).toEqual(properties.slice(0, 2));
  });
});

// Rule: import-rows, bulk-rescored
describe("rows of an import that rescore too many components", () => {
  const CLAIMS = "partner_property_id,claim_number,claim_type,date_of_loss,amount\n";
  const claims = [0, 1, 2, 3].map((nth) => `R${nth},C1,appliance_leak,2026-02-02,900\n`).join("");
  const sources = { claims: { name: "claims.csv", text: CLAIMS + claims } };

  const run = (more: Partial<ImportRequest>) => {
    const { store, partner, clock } = fixture;
    const monotonicMs = () => 0;
    return importPortfolio({
      store,
      knowledge,
      partner,
      clock,
      actor: "cli:test",
      sources,
      monotonicMs,
      ...more,
    });
  };

  test("are written in several transactions", async () => {
    const each = (await fixture.components(properties[0]!)).length;
    const done: number[] = [];
    const result = await run({
      rescoreLimit: () => new RescoreLimit(each),
      onProgress: (progress) => done.push(progress.done),
    });
    expect(result).toMatchObject({ claims: { created: 4 }, rejected: 0 });
    expect(done).toEqual([0, 2, 4]);
  });

  test("and one that does alone is written without a limit", async () => {
    const result = await run({ rescoreLimit: () => new RescoreLimit(-1) });
    expect(result).toMatchObject({ claims: { created: 4 }, rejected: 0 });
  });

  test("are refused in a dry run, which has one transaction", async () => {
    const limit = new RescoreLimit((await fixture.components(properties[0]!)).length);
    const dry = run({ rescoreLimit: () => limit, foundHalfway: new Map() });
    await expect(dry).rejects.toMatchObject({ code: "payload_too_large" });
    await sizeEach(15_000);
    const { store, partner, clock } = fixture;
    const table = {
      file: "events.csv",
      firstRow: 2,
      columns: ["appliance_id", "event_type", "date"],
      rows: appliances.map((id) => [id, "Inspection", BEFORE]),
    };
    const importing = (rows: string[][], dryRun: boolean) =>
      importTableRows(
        { store, partner, knowledge, clock, yieldNow: async () => {} },
        { ...table, rows },
        { mapping: undefined, dryRun, silent: true },
      );
    await expect(importing(table.rows, true)).rejects.toMatchObject({
      code: "payload_too_large",
      message: TOO_MANY,
    });
    const two = await importing(table.rows.slice(0, 2), true);
    expect(two.result.serviceEvents).toMatchObject({ created: 2 });
    const all = await importing(table.rows, false);
    expect(all.result.serviceEvents).toMatchObject({ created: 4 });
    expect(await recordStarts()).toEqual(properties);
  });
});
