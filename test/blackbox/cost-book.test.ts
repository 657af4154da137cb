import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday } from "../support/portfolio.ts";

const { serve } = useMainstay();

let server: Installation & { json(...args: string[]): Promise<Json> };
let partner: { partner_id: string };
let client: ApiClient;
beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner as never);
});

const put = async (lines: unknown): Promise<Json> => (await client.put("/v1/cost-book", { lines })).body;
const refused = async (lines: unknown): Promise<Json> =>
  (await client.put("/v1/cost-book", { lines }, 400)).body;
const book = async (): Promise<Json> => (await client.get("/v1/cost-book")).body;
const audit = async (): Promise<Json[]> =>
  (await server.json("audit", "--subject", partner.partner_id)).entries.filter(
    ({ action }: Json) => action === "cost_book.change",
  );

const HEATER = {
  type_id: "water_heater_gas",
  component_def_id: null,
  state: null,
  proactive_cost: 1850.5,
  reactive_cost: 3200,
  size: 50,
  as_of: "2026-01-31",
  basis: "own",
};
const BURNER = {
  ...HEATER,
  type_id: "boiler",
  component_def_id: "boiler_burner",
  state: "NY",
  reactive_cost: null,
  size: null,
};
const ids = ({ lines }: Json): string[] => lines.map(({ id }: Json) => id);

describe("the cost book", () => {
  // Rule: get-cost-book, cost-book
  test("is replaced as a whole, and a line for the same keeps its id", async () => {
    expect(await put([])).toEqual({ lines: [], warnings: [], recalculating: false, partner: "Acme" });
    const first = await put([HEATER, BURNER]);
    expect(first).toEqual({
      lines: [HEATER, BURNER].map((line) => ({ id: expect.stringMatching(/^CST_[0-9a-z]{26}$/), ...line })),
      warnings: [],
      recalculating: false,
      partner: "Acme",
    });
    const { warnings: _, ...same } = first;
    expect(await book()).toEqual(same);
    const [heater, burner] = ids(first);
    const second = await put([
      { ...BURNER, proactive_cost: 900 },
      { ...HEATER, size: 75 },
    ]);
    expect(ids(second)[0]).toBe(burner!);
    expect(ids(second)[1]).not.toBe(heater!);
    expect(second.lines[0].proactive_cost).toBe(900);
    expect(ids(await book())).toEqual(ids(second));
    expect(ids(await put([]))).toEqual([]);
  });

  // Rule: cost-book
  test("needs only a type and one cost; the day is today, and texts are trimmed", async () => {
    const { lines } = await put([
      { type_id: " boiler ", component_def_id: " ", state: " ny ", reactive_cost: 9 },
    ]);
    expect(lines).toEqual([
      {
        id: expect.any(String),
        type_id: "boiler",
        component_def_id: null,
        state: "NY",
        proactive_cost: null,
        reactive_cost: 9,
        size: null,
        as_of: dateDaysFromToday(0),
        basis: "own",
      },
    ]);
  });

  // Rule: cost-book-overlaps
  test("has of lines for the same only the later one, and says so", async () => {
    const { lines, warnings } = await put([
      HEATER,
      BURNER,
      { ...HEATER, proactive_cost: 1900 },
      { ...HEATER, basis: "own_history" },
      { ...HEATER, state: "ny" },
      { ...HEATER, state: "NY", reactive_cost: 1000 },
    ]);
    expect(warnings).toEqual([
      "Line 3 replaces line 1: both are for water_heater_gas of size 50",
      "Line 6 replaces line 5: both are for water_heater_gas of size 50 in NY",
      "Line 6: reactive_cost is below proactive_cost, so waiting for the failure will seem to pay",
    ]);
    expect(lines.map(({ proactive_cost }: Json) => proactive_cost)).toEqual([1850.5, 1900, 1850.5, 1850.5]);
  });

  // Rule: cost-book-input
  test("takes no line that is wrong, and names it by its number", async () => {
    const before = await put([HEATER]);
    for (const [wrong, message] of [
      [{}, "Line 2: type_id required"],
      ["x", "Line 2: type_id required"],
      [
        { ...HEATER, type_id: "teleporter" },
        "Line 2: type_id must be an appliance type; GET /v1/appliance-types lists them",
      ],
      [
        { ...BURNER, type_id: "roof" },
        "Line 2: component_def_id must be a component of roof, or empty for the whole unit",
      ],
      [
        { ...HEATER, state: "ZZ" },
        "Line 2: state must be the abbreviation of a US state, DC, PR, GU, VI, AS or MP, or COUNTRY-SUBDIVISION elsewhere, such as CA-ON",
      ],
      [{ type_id: "boiler" }, "Line 2: proactive_cost or reactive_cost is required"],
      [
        { ...HEATER, proactive_cost: -1 },
        "Line 2: proactive_cost must be an amount in USD from 1 to 100000000",
      ],
      [{ ...HEATER, reactive_cost: 0 }, "Line 2: reactive_cost must be an amount in USD from 1 to 100000000"],
      [
        { ...HEATER, reactive_cost: 1e9 },
        "Line 2: reactive_cost must be an amount in USD from 1 to 100000000",
      ],
      [
        { ...HEATER, proactive_cost: "9" },
        "Line 2: proactive_cost must be an amount in USD from 1 to 100000000",
      ],
      [{ ...HEATER, size: 0.009 }, "Line 2: size must be a number from 0.01 to 1000000000"],
      [{ ...HEATER, size: 0 }, "Line 2: size must be a number from 0.01 to 1000000000"],
      [
        { type_id: "washer", proactive_cost: 900, size: 3 },
        "Line 2: size must be empty: costs of washer do not follow a size",
      ],
      [{ ...HEATER, as_of: "2026-02-30" }, "Line 2: as_of must be a valid date in the format YYYY-MM-DD"],
      [{ ...HEATER, basis: "guess" }, "Line 2: basis must be one of own, own_history"],
    ] as const)
      expect((await refused([BURNER, wrong])).error).toBe(message);
    const future = await refused([{ ...HEATER, as_of: dateDaysFromToday(2) }]);
    expect(future.error).toStartWith("Line 1: as_of must be from 1900-01-01 to ");
    const several = await refused([{ ...HEATER, size: -1 }, BURNER, { ...BURNER, state: "QQ" }]);
    expect(several.details).toEqual([
      { field: "lines.0.size", message: "must be a number from 0.01 to 1000000000" },
      { field: "lines.2.state", message: expect.stringContaining("must be the abbreviation of a US state") },
    ]);
    for (const body of [{}, { lines: null }, { lines: {} }, { lines: "x" }])
      await client.put("/v1/cost-book", body, 400);
    expect(ids(await book())).toEqual(ids(before));
  });

  // Rule: cost-book-input
  test("has at most 2,000 lines", async () => {
    const lines = Array.from({ length: 2001 }, (_, nth) => ({ ...HEATER, size: nth + 1 }));
    expect((await refused(lines)).error).toBe("A cost book has at most 2000 lines, and this one has 2001");
    expect((await put(lines.slice(1))).lines).toHaveLength(2000);
    await put([]);
  });

  // Rule: cost-book-audit
  test("leaves every change in the audit log, with the line before and after it", async () => {
    await put([]);
    const before = (await audit()).length;
    const { lines: first } = await put([HEATER, BURNER]);
    const { lines: second } = await put([{ ...HEATER, proactive_cost: 2000 }]);
    await put([HEATER]);
    await put([HEATER]);
    const entries = await audit();
    expect(entries.length).toBe(before + 3);
    expect(entries[1]).toMatchObject({ actor: partner.partner_id, subject: partner.partner_id });
    expect(entries[2]!.detail.changes).toEqual(first.map((after: Json) => ({ before: null, after })));
    expect(entries[1]!.detail).toEqual({
      first: 1,
      changes_in_all: 2,
      changes: [
        { before: first[0], after: second[0] },
        { before: first[1], after: null },
      ],
    });
  });

  // Rule: cost-book
  test("is the partner's own, and a repeated request with an idempotency key changes nothing twice", async () => {
    await put([HEATER]);
    const other = server.as(await server.createPartner("Umbrella"));
    expect((await other.get("/v1/cost-book")).body.lines).toEqual([]);
    const repeated = { body: { lines: [BURNER] }, headers: { "idempotency-key": "book-1" } };
    const first = await client.ask("PUT", "/v1/cost-book", 200, repeated);
    await put([HEATER]);
    const again = await client.ask("PUT", "/v1/cost-book", 200, repeated);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await book()).lines[0].type_id).toBe("water_heater_gas");
  });
});

// Rule: cost-book-size
test("a cost that knows its size costs each appliance by its own size", async () => {
  const { id: propertyId } = await addProperty(client, { name: "Boiler House", state: "NY" });
  const costOf = async (size: number | null, type_id = "water_heater_gas") => {
    const { id } = await addAppliance(client, propertyId, { type_id, size });
    const { components } = (await client.get(`/v1/appliances/${id}`)).body;
    const tank = components.find((one: Json) => one.component_def_id === "wh_gas_tank");
    return [tank.proactive_cost, tank.cost_basis, tank.size, tank.cost_factor];
  };
  await put([{ ...HEATER, proactive_cost: 2000 }]);
  expect(await costOf(50)).toEqual([2000, "own", 50, 1]);
  const factor = (size: number) => Math.round((size / 50) ** 0.6 * 1e6) / 1e6;
  for (const size of [40, 100])
    expect(await costOf(size)).toEqual([
      Math.round(2e5 * (size / 50) ** 0.6) / 100,
      "own",
      size,
      factor(size),
    ]);
  // An unknown size has the cost as it stands.
  expect((await costOf(null)).slice(0, 2)).toEqual([2000, "own"]);
  // The line of the nearest size applies, whatever the order of the lines.
  await put([
    { ...HEATER, proactive_cost: 5000, size: 100 },
    { ...HEATER, proactive_cost: 2000 },
  ]);
  expect(await costOf(100)).toEqual([5000, "own", 100, 1]);
  expect(await costOf(50)).toEqual([2000, "own", 50, 1]);
});

// Rule: whole-unit-line
test("takes a cost of a whole unit that is replaced part by part, and says what it changes", async () => {
  const { id } = await addProperty(client, { name: "Elevator House", state: "NY" });
  await addAppliance(client, id, { type_id: "elevator" });
  const rcv = async () => (await client.get(`/v1/property/${id}/rcv`)).body;
  expect((await rcv()).assumptions.cost_shares).toMatchObject({ own: 0, reference: 1 });
  const { warnings } = await put([
    { type_id: "elevator", proactive_cost: 200_000 },
    { type_id: "boiler", proactive_cost: 12_000 },
  ]);
  expect(warnings).toEqual([
    "Line 1: elevator is replaced component by component, so the line changes its replacement cost value and what follows from that, but " +
      "no plan, forecast or component; to change those, add lines of its components",
  ]);
  const valued = await rcv();
  expect(valued.total_replacement_cost).toBe(200_000);
  expect(valued.assumptions.cost_shares).toEqual({ own: 1, own_history: 0, scaled: 0, reference: 0 });
  expect((await client.get(`/v1/property/${id}/report`)).body.assumptions.cost_shares.own).toBe(0);
  await put([]);
});
