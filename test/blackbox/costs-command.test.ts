import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday, logEvents } from "../support/portfolio.ts";

const { serve, folder } = useMainstay();

let server: Awaited<ReturnType<typeof serve>>;
let partnerId: string;
let client: ApiClient;
beforeAll(async () => {
  server = await serve();
  const partner = await server.createPartner("Acme");
  partnerId = partner.partner_id;
  client = server.as(partner);
});

const costs = (...args: string[]): Promise<Json> => server.json("costs", "--partner", partnerId, ...args);
const book = async (): Promise<Json[]> => (await client.get("/v1/cost-book")).body.lines;
const lastEntry = async (): Promise<Json> =>
  (await server.json("audit", "--subject", partnerId)).entries.find(
    ({ action }: Json) => action === "cost_book.change",
  );
const fileOf = (name: string, ...lines: string[]) => {
  const path = join(folder(), name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
};

describe("mainstay costs", () => {
  beforeAll(async () => {
    const property = await addProperty(client);
    const events: object[] = [];
    for (const [nth, cost] of [9000, 9100, 9200, 14_000, 15_000].entries()) {
      const { id } = await addAppliance(client, property.id, { type_id: "boiler" });
      const date = dateDaysFromToday(-100 - nth);
      if (cost > 10_000)
        events.push({
          appliance_id: id,
          event_type: "Emergency Repair",
          date: dateDaysFromToday(-130 - nth),
        });
      events.push({ appliance_id: id, event_type: "Replacement", date, total_cost: cost });
      // Too few of another kind.
      const heater = await addAppliance(client, property.id);
      if (nth < 4)
        events.push({ appliance_id: heater.id, event_type: "Replacement", date, total_cost: cost });
    }
    await logEvents(client, ...events);
  });

  // Rule: costs-history
  test("shows what replacements have cost beside what is used, and changes nothing", async () => {
    const { kinds, applied } = await costs();
    expect(applied).toBe(false);
    expect(kinds).toEqual([
      {
        type_id: "boiler",
        component_def_id: null,
        basis: "reference",
        planned: { count: 3, median_cost: 9100, cost_in_use: expect.any(Number) },
        after_failure: { count: 2, median_cost: 14_500, cost_in_use: expect.any(Number) },
      },
    ]);
    expect(await book()).toEqual([]);
    const { stdout } = await server.run("costs", "--partner", partnerId);
    expect(stdout).toMatch(/^boiler +\(whole unit\) +3 +9,100 +[\d,]+ +2 +14,500 +[\d,]+/m);
    expect(stdout).toContain("Nothing was changed. --apply saves the medians to the cost book.");
  });

  // Rule: costs-history
  test("leaves out demo properties, also retired ones, and shows the costs in use where the bills were paid", async () => {
    const other = await server.createPartner("Demo bills");
    const ofOther = server.as(other);
    const shown = async () => (await server.json("costs", "--partner", other.partner_id)).kinds;
    // Each demo property has three Replacements of a kind.
    for (const isRetired of [true, false]) {
      const { id } = (await ofOther.post("/onboarding/demo-property", undefined)).body;
      if (isRetired) await ofOther.put(`/v1/properties/${id}`, { retired_at: dateDaysFromToday(0) });
    }
    expect(await shown()).toEqual([]);
    const property = await addProperty(ofOther, { state: "NY" });
    const boilers: string[] = [];
    for (let nth = 0; nth < 5; nth++)
      boilers.push((await addAppliance(ofOther, property.id, { type_id: "boiler", size: 800 })).id);
    const date = dateDaysFromToday(-100);
    const bill = { event_type: "Replacement", date, total_cost: 9000 };
    await logEvents(ofOther, ...boilers.map((appliance_id) => ({ appliance_id, ...bill })));
    // The bill of a retired appliance was paid.
    await ofOther.put(`/v1/appliances/${boilers[0]}`, { retired_at: dateDaysFromToday(0) });
    const { components } = (await ofOther.get(`/v1/appliances/${boilers[1]}`)).body;
    const vessel = components.find(
      ({ component_def_id }: Json) => component_def_id === "boiler_heat_exchanger",
    );
    expect(await shown()).toMatchObject([
      {
        type_id: "boiler",
        component_def_id: null,
        basis: "scaled",
        planned: { count: 5, median_cost: 9000, cost_in_use: vessel.proactive_cost },
      },
    ]);
    // The own costs of the part that a boiler is replaced with are what the boiler costs.
    const own = { proactive_cost: 50_000, reactive_cost: 60_000 };
    for (const id of boilers.slice(1, 4)) {
      const parts = (await ofOther.get(`/v1/appliances/${id}`)).body.components;
      const part = parts.find((one: Json) => one.component_def_id === "boiler_heat_exchanger");
      await ofOther.put(`/v1/components/${part.id}`, own);
      await logEvents(ofOther, { appliance_id: id, component_id: part.id, ...bill });
    }
    const last = { component_def_id: "boiler_heat_exchanger" };
    for (const nth of [4, 4]) {
      const { body } = await ofOther.get(`/v1/appliances/${boilers[nth]}`);
      const { id } = body.components.find((one: Json) => one.component_def_id === last.component_def_id);
      await logEvents(ofOther, { appliance_id: boilers[nth], component_id: id, ...bill });
    }
    expect(await shown()).toMatchObject([
      { component_def_id: null, basis: "own", planned: { count: 5, cost_in_use: 50_000 } },
      { ...last, basis: "own", planned: { count: 5, cost_in_use: 50_000 } },
    ]);
  });

  // Rule: costs-history, cost-book-audit
  test("saves the medians with --apply beside the partner's own lines, audited, and once", async () => {
    const own = { type_id: "boiler", proactive_cost: 8000 };
    await client.put("/v1/cost-book", { lines: [own] });
    expect(await costs("--apply")).toMatchObject({ applied: true, changes: 1, recalculating: false });
    const [first, line] = await book();
    expect(first).toMatchObject({ ...own, basis: "own" });
    expect(line).toMatchObject({
      type_id: "boiler",
      component_def_id: null,
      state: null,
      proactive_cost: 9100,
      reactive_cost: 14_500,
      size: null,
      as_of: dateDaysFromToday(0),
      basis: "own_history",
    });
    const { actor, detail } = await lastEntry();
    expect(actor).toStartWith("cli:");
    expect(detail.changes).toEqual([{ before: null, after: line }]);
    expect(await costs("--apply")).toMatchObject({ applied: true, changes: 0 });
    expect(await costs()).toMatchObject({ kinds: [{ basis: "own", planned: { cost_in_use: 8000 } }] });
    await client.put("/v1/cost-book", { lines: [line] });
    const [{ basis, planned, after_failure }] = (await costs()).kinds;
    expect([basis, planned.cost_in_use, after_failure.cost_in_use]).toEqual(["own_history", 9100, 14_500]);
  });
});

describe("mainstay costs import", () => {
  const HEADING = "type_id,component_def_id,state,proactive_cost,reactive_cost,size,as_of";

  // Rule: costs-import
  test("adds the lines of a file to the book and leaves the others; --replace removes these", async () => {
    await client.put("/v1/cost-book", { lines: [{ type_id: "roof", proactive_cost: 90_000, size: 9000 }] });
    const file = fileOf(
      "costs.csv",
      HEADING,
      "boiler,,ny,9000.5,,,2026-01-31",
      "boiler,boiler_burner,,,2500,,",
    );
    const imported = await costs("import", file);
    expect(imported).toMatchObject({
      read: 2,
      lines: 2,
      changes: 2,
      rejected: 0,
      rejects: [],
      dry_run: false,
    });
    const lines = await book();
    expect(lines.map(({ type_id }) => type_id)).toEqual(["roof", "boiler", "boiler"]);
    expect(lines[1]).toMatchObject({ state: "NY", proactive_cost: 9000.5, as_of: "2026-01-31" });
    expect(lines[2]).toMatchObject({ component_def_id: "boiler_burner", as_of: dateDaysFromToday(0) });
    expect((await costs("import", file)).changes).toBe(0);
    expect((await lastEntry()).detail.changes).toEqual([
      { before: null, after: lines[1] },
      { before: null, after: lines[2] },
    ]);
    expect(await costs("import", file, "--replace", "--dry-run")).toMatchObject({ lines: 2, changes: 0 });
    expect(await book()).toHaveLength(3);
    expect((await costs("import", file, "--replace")).changes).toBe(1);
    expect((await book()).map(({ id }) => id)).toEqual(lines.slice(1).map(({ id }) => id));
  });

  // Rule: costs-import
  test("writes wrong rows to a file with line and error, ready to be fixed, and imports the others", async () => {
    const file = fileOf(
      "faulty.csv",
      `${HEADING},Comment`,
      "boiler,,,9000,,,,ok",
      "teleporter,,,1,,,,",
      "boiler,,ZZ,9000,,,,",
      "boiler,,,-5,,,,",
      "boiler,,,abc,,,,",
      "boiler,,,,,,,",
      "boiler,,,9500,,,,again",
    );
    const rejects = join(folder(), "rejects");
    const imported = await costs("import", file, "--rejects", rejects);
    expect(imported).toMatchObject({ read: 7, lines: 1, rejected: 5 });
    expect(imported.warnings).toEqual([
      expect.stringMatching(/faulty\.csv: ignored columns \(no field with that name\): Comment$/),
      "Line 8 replaces line 2: both are for boiler",
    ]);
    const [{ path, kind }] = imported.rejects;
    expect(kind).toBe("cost_lines");
    const written = readFileSync(path, "utf8").trim().split("\n");
    expect(written[0]).toBe(`${HEADING},Comment,line,error`);
    expect(written.slice(1).map((line) => line.split(",").slice(8).join(","))).toEqual([
      "3,type_id must be an appliance type; GET /v1/appliance-types lists them",
      '4,"state must be the abbreviation of a US state, DC, PR, GU, VI, AS or MP, or COUNTRY-SUBDIVISION elsewhere, such as CA-ON"',
      "5,proactive_cost must be an amount in USD from 1 to 100000000",
      "6,proactive_cost must be a number such as 12 or 1200.50",
      "7,proactive_cost or reactive_cost is required",
    ]);
    writeFileSync(path, readFileSync(path, "utf8").replace("teleporter,,,1,", "washer,,,900,"));
    expect(await costs("import", path, "--rejects", rejects)).toMatchObject({ lines: 1, rejected: 4 });
    expect((await book()).some(({ type_id }) => type_id === "washer")).toBe(true);
  });

  // Rule: costs-import
  test("replaces nothing with --replace if a row is rejected, and ends with 3 if all are", async () => {
    await client.put("/v1/cost-book", { lines: [{ type_id: "roof", proactive_cost: 90_000 }] });
    const half = fileOf("half.csv", HEADING, "boiler,,,9000,,,", "boiler,,,0,,,");
    const none = fileOf("none.csv", HEADING, "boiler,,,0,,,");
    const rejects = ["--rejects", join(folder(), "rejects")];
    for (const args of [
      [half, "--replace", ...rejects],
      [none, ...rejects],
    ]) {
      const { code, stderr } = await server.run("costs", "import", ...args, "--partner", partnerId);
      expect(code).toBe(3);
      expect(stderr).toContain("must be an amount in USD");
    }
    expect((await book()).map(({ type_id }) => type_id)).toEqual(["roof"]);
  });

  test("is refused with wrong arguments and files, with the remedy", async () => {
    const wide = fileOf("wide.csv", "type,cost", "boiler,1");
    const long = fileOf(
      "long.csv",
      HEADING,
      ...Array.from({ length: 2001 }, (_, n) => `boiler,,,9000,,${n + 1},`),
    );
    for (const [args, code, message] of [
      [["costs"], 2, "--partner is required"],
      [["costs", "--partner", "PARTNER_x"], 1, "partner not found: PARTNER_x"],
      [["costs", "export", "--partner", partnerId], 2, 'expected import, got "export"'],
      [["costs", "import", "--partner", partnerId], 2, "no file to import"],
      [["costs", "--replace", "--partner", partnerId], 2, "need a file"],
      [["costs", "import", wide, "--apply", "--partner", partnerId], 2, "--apply has no effect on an import"],
      [["costs", "import", wide, "--partner", partnerId], 1, "columns missing: type_id"],
      [["costs", "import", `${wide}x`, "--partner", partnerId], 1, "wide.csvx"],
      [["costs", "import", long, "--partner", partnerId], 1, "more than 2000 valid lines"],
    ] as const) {
      const outcome = await server.run(...args);
      expect([args.join(" "), outcome.code, outcome.stderr]).toEqual([
        args.join(" "),
        code,
        expect.stringContaining(message),
      ]);
    }
    const many = fileOf(
      "many.csv",
      HEADING,
      ...Array.from({ length: 2000 }, (_, n) => `boiler,,,9000,,${n + 1},`),
    );
    const { code, stderr } = await server.run("costs", "import", many, "--partner", partnerId);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("at most 2000 lines, and this one would have 2001"),
    ]);
  });
});
