import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readXlsx } from "hucre/xlsx";
import { createAdministrator } from "../support/administrator.ts";
import { EXECUTABLE } from "../support/executable.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance, dateDaysFromToday, logEvents } from "../support/portfolio.ts";

const { serve, folder } = useMainstay();

let server: Installation;
let acme: Partner;
let other: Partner;
let marked: Json[];
beforeAll(async () => {
  server = await serve();
  acme = await server.createPartner("Acme", "--webhook-url", "http://127.0.0.1:9/hook");
  other = await server.createPartner("Other");
  const client = server.as(acme);
  await client.post("/onboarding/demo-property", {});
  const property = await addProperty(client, { unit_count: 3, estimated_value: 1_250_000.5 });
  const appliance = await addWornAppliance(client, property.id);
  await logEvents(client, { appliance_id: appliance.id, event_type: "Replacement", date: "2024-05-06" });
  const loss = { claim_type: "water_damage", date_of_loss: "2024-05-01", amount: 99.95 };
  await client.post(`/v1/property/${property.id}/claims`, loss);
  await client.put("/v1/cost-book", { lines: [{ type_id: "boiler", proactive_cost: 9000 }] });
  const subject = { component_id: appliance.components[0].id };
  const whole = { appliance_id: appliance.id, until: dateDaysFromToday(30), reason: "The supplier is late" };
  marked = (
    await client.post("/v1/work-marks/bulk", {
      work: [
        { ...subject, state: "ordered", by: "J. Ito" },
        { ...whole, state: "deferred", by: "J. Ito" },
      ],
    })
  ).body.events;
  await client.put("/v1/saved-filters", { name: "New York", query: "state=NY" });
  await client.post("/v1/meter-event", { appliance_id: appliance.id, metric: "pressure", value: 3.5 });
  await addProperty(server.as(other), { name: "Not Acme's" });
  await server.json("snapshot");
  const admin = await createAdministrator(server);
  await admin.client.put(`/admin/partners/${acme.partner_id}/brand`, { display_name: "Acme Bank" });
  const shared = { property_id: property.id, label: "Committee", recipient: "Jo Reed" };
  const { token } = (await admin.client.post("/admin/embeds", shared, 201)).body;
  await server.anonymous.get(`/embed/property/${token}`);
});

const parse = (text: string): Json[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const ofType = (lines: Json[], type: string) => lines.filter((line) => line.type === type);

describe("mainstay export", () => {
  // Rule: data-commands
  test("writes all data of a partner, with the counts at the end", async () => {
    const { code, stdout, stderr } = await server.run(
      "export",
      "--partner",
      acme.partner_id,
      "--format",
      "ndjson",
    );
    expect(code).toBe(0);
    const lines = parse(stdout);
    expect(lines[0]).toMatchObject({ type: "partner", id: acme.partner_id, name: "Acme" });
    const { counts } = lines.at(-1)!;
    for (const [type, count] of Object.entries(counts)) {
      expect(ofType(lines, type), type).toHaveLength(count as number);
      expect(stderr).toContain(`${count} ${type}`);
    }
    const client = server.as(acme);
    expect(counts.property).toBe(2);
    expect(counts.component).toBe((await client.get("/v1/components", { limit: 1 })).body.total);
    expect(counts.trend_row).toBe(counts.component);
    // The portfolio has one, too.
    expect(counts.condition_trend_row).toBe((counts.property as number) + 1);
    expect(counts.claim).toBe(2);
    expect(counts.sensor_event).toBe(1);
    expect(counts.outcome).toBeGreaterThan(0);
    expect(counts.delivery).toBeGreaterThan(0);
    expect(stdout).not.toContain("Not Acme's");
    expect(stdout).not.toContain(acme.api_key);
    expect(stdout).not.toContain(acme.webhook_secret);
  });

  test("writes records like the API, each after those that it references", async () => {
    const { stdout } = await server.run("export", "--partner", acme.partner_id);
    const lines = parse(stdout);
    const client = server.as(acme);
    for (const { type: _, ...property } of ofType(lines, "property"))
      expect((await client.get(`/v1/properties/${property.id}`)).body).toMatchObject(property);
    const components = new Map(
      (await client.get("/v1/components", { limit: 200 })).body.components.map((c: Json) => [c.id, c]),
    );
    for (const { type: _, ...component } of ofType(lines, "component"))
      expect(components.get(component.id)).toEqual({
        ...component,
        // Actions follow from the plan of the day, which an export does not contain.
        action: expect.any(String),
        reason: expect.any(String),
      });
    const { lines: book } = (await client.get("/v1/cost-book")).body;
    expect(ofType(lines, "cost_line").map(({ type: _, ...line }) => line)).toEqual(book);
    expect(ofType(lines, "claim").map(({ amount_paid }) => amount_paid)).toContain(99.95);
    const marks = ofType(lines, "work_mark").map(({ type: _, ...mark }) => ({
      ...mark,
      service_event_id: null,
    }));
    expect(marks).toEqual([marked[1]!, marked[0]!]);
    const { filters } = (await client.get("/v1/saved-filters")).body;
    expect(ofType(lines, "saved_filter").map(({ type: _, ...filter }) => filter)).toEqual(filters);
    expect(filters).toHaveLength(1);
    expect(ofType(lines, "brand")).toMatchObject([{ display_name: "Acme Bank", logo: null }]);
    expect(ofType(lines, "embed")).toMatchObject([{ label: "Committee", recipient: "Jo Reed" }]);
    const seen = new Set<string>();
    for (const line of lines) {
      for (const name of ["property_id", "unit_id", "appliance_id", "component_id", "service_event_id"])
        if (line[name] && line[name] !== line.id) expect(seen, `${line.type}.${name}`).toContain(line[name]);
      if (line.id) seen.add(line.id);
    }
  });

  test("writes the specified columns only", async () => {
    const { stdout } = await server.run("export", "--partner", acme.partner_id);
    const lines = parse(stdout);
    const columns = Object.fromEntries(
      lines.map((line) => [line.type, Object.keys(line).slice(1).join(" ")]),
    );
    expect(columns).toMatchObject({
      partner: "id name created_at exported_at",
      unit: "id property_id label created_at",
      service_event:
        "id appliance_id component_id event_type date parts_cost labor_cost total_cost technician notes " +
        "condition_after condition_score condition_scale inspection_types voided voided_at void_reason created_at",
      sensor_event:
        "id property_id appliance_id component_id kind event_type severity sensor_id metric value unit notes " +
        "recorded_at created_at",
      claim:
        "id property_id claim_type date_of_loss claim_number carrier amount_paid description status paid " +
        "outstanding incurred deductible alae catastrophe_code reported_on closed_on valued_at voided voided_at void_reason created_at",
      cost_line: "id type_id component_def_id state proactive_cost reactive_cost size as_of basis",
      work_mark: "component_id appliance_id state until by reason marked_at",
      saved_filter: "name query saved_at",
      brand: "display_name color color_dark logo",
      embed:
        "id property_id property_name label recipient has_passcode status created_at expires_at revoked_at " +
        "views last_viewed_at",
      trend_row: "component_id day risk_score",
      condition_trend_row:
        "property_id date condition_score grade due_now replacement_value expected_cost_12m properties",
      outcome:
        "service_event_id component_id def_id event_type date age_years probability risk_score model_version " +
        "created_at risk_tier",
      delivery: "id event request_id status attempts created_at finished_at",
      end: "finished_at counts",
    });
    expect(new Set(lines.map((line) => JSON.stringify([line.type, Object.keys(line)]))).size).toBe(
      Object.keys(columns).length,
    );
  });

  test("writes a file that only the owner can read, and prints a summary", async () => {
    const file = join(folder(), "acme.ndjson");
    const result = await server.json("export", "--partner", acme.partner_id, "--output", file);
    expect(result).toMatchObject({ file, partner_id: acme.partner_id, bytes: statSync(file).size });
    expect(parse(readFileSync(file, "utf8")).at(-1)!.counts).toEqual(result.counts);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("reports a partner without data", async () => {
    const empty = await server.createPartner("Empty");
    const { code, stdout, stderr } = await server.run("export", "--partner", empty.partner_id);
    expect(code).toBe(0);
    expect(parse(stdout).map(({ type }) => type)).toEqual(["partner", "end"]);
    expect(stderr).toContain("has no data yet");
  });

  test.each([
    ["without a partner", [], 2, "--partner is required"],
    ["an unknown partner", ["--partner", "PARTNER_1"], 1, "partner not found: PARTNER_1"],
    ["another format", ["--partner", "PARTNER_1", "--format", "xml"], 2, "expected ndjson"],
  ])("rejects %s", async (_, args, expected, complaint) => {
    const { code, stdout, stderr } = await server.run("export", ...args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
    expect(stderr).toContain(complaint);
  });

  test("never overwrites a file", async () => {
    const place = folder();
    const file = join(place, "precious");
    writeFileSync(file, "mine");
    const { code, stderr } = await server.run("export", "--partner", acme.partner_id, "--output", file);
    expect(code).toBe(1);
    expect(stderr).toContain("already exists");
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("follows no planted link, and is not blocked by it", async () => {
    const place = folder();
    const file = join(place, "acme.ndjson");
    const victim = join(folder(), "victim");
    writeFileSync(victim, "untouched");
    symlinkSync(victim, `${file}.partial`);
    await server.json("export", "--partner", acme.partner_id, "--output", file);
    expect(readFileSync(victim, "utf8")).toBe("untouched");
    expect(readdirSync(place).sort()).toEqual(["acme.ndjson", "acme.ndjson.partial"]);
  });

  test("leaves no files on a full disk", async () => {
    const place = folder();
    const script = 'ulimit -f 40; exec "$@"';
    const file = join(place, "x.ndjson");
    const limited = Bun.spawn(
      [
        "sh",
        "-c",
        script,
        "sh",
        EXECUTABLE,
        "export",
        "--data-dir",
        server.dataDir,
        "--partner",
        acme.partner_id,
        "--output",
        file,
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    const stderr = await new Response(limited.stderr).text();
    expect(await limited.exited).toBe(1);
    expect(stderr).not.toBe("");
    expect(readdirSync(place)).toEqual([]);
  });
});

// Rule: cobie-export
describe("mainstay export --format cobie", () => {
  /** The columns that NBIMS-US requires, without those that every sheet begins with. */
  const REQUIRED = {
    Contact: "Category Company",
    Facility: "Category ProjectName SiteName LinearUnits AreaUnits VolumeUnits CurrencyUnit AreaMeasurement",
    Floor: "Category",
    Space: "Category FloorName Description",
    Type: "Category Description AssetType Manufacturer ModelNumber WarrantyDurationUnit",
    Component: "TypeName Space Description",
    Job: "Category Status TypeName Description Duration DurationUnit Start TaskStartUnit Frequency FrequencyUnit TaskNumber ResourceNames",
    Attribute: "Category SheetName RowName Value Unit",
  };
  const cobie = (partner: Partner, ...args: string[]) =>
    server.json("export", "--partner", partner.partner_id, "--format", "cobie", ...args);
  const lines = async (partner: Partner) =>
    parse((await server.run("export", "--partner", partner.partner_id)).stdout);

  /** Returns the sheets by name, as records. */
  async function sheetsOf(file: string): Promise<Record<string, Record<string, string>[]>> {
    const { sheets } = await readXlsx(readFileSync(file));
    return Object.fromEntries(
      sheets.map(({ name, rows: [heading, ...rows] }) => [
        name,
        rows.map((row) => Object.fromEntries(heading!.map((column, i) => [String(column), String(row[i])]))),
      ]),
    );
  }

  test("writes what the standard requires, and an import into an empty partner has the same equipment", async () => {
    const demo = (await server.as(acme).get("/v1/properties")).body.properties.find(
      ({ name }: Json) => name !== "Not Acme's",
    );
    const units = (await server.as(acme).get(`/v1/property/${demo.id}/units`)).body.units;
    await server.as(acme).post("/v1/appliances/bulk", {
      appliances: [
        {
          type_id: "boiler",
          brand: "Weil-McLain",
          model: "88",
          size: 400.5,
          serial: "=B-1",
          install_year: 1999,
        },
        { type_id: "boiler", brand: "Weil-McLain", model: "88", size: 400.5, usage_intensity: 1.5 },
        { type_id: "electrical_panel", flags_set: ["federal_pacific"], warranty_expiry: "2030-02-28" },
        { type_id: "dryer_gas", unit_id: units[1].id, brand_tier: "premium", install_year: 2011 },
      ].map((one) => ({ property_id: demo.id, install_year: 2005, ...one })),
    });
    const file = join(folder(), "demo.xlsx");
    const written = await cobie(acme, "--property", demo.id, "--output", file);
    expect(written.files).toEqual([
      { file, property_id: demo.id, bytes: statSync(file).size, components: expect.any(Number) },
    ]);
    const sheets = await sheetsOf(file);
    expect(sheets.Facility).toHaveLength(1);
    const names = (sheet: string) => new Set(sheets[sheet]!.map((row) => row.Name ?? row.Email));
    for (const [sheet, required] of Object.entries(REQUIRED)) {
      expect(sheets[sheet]!.length).toBeGreaterThan(0);
      expect([sheet, names(sheet).size > 0]).toEqual([sheet, true]);
      for (const row of sheets[sheet]!)
        for (const column of ["CreatedBy", "CreatedOn", ...required.split(" ")])
          expect([sheet, column, (row[column] ?? "").length > 0]).toEqual([sheet, column, true]);
    }
    for (const sheet of ["Floor", "Space", "Type", "Component", "Job"])
      expect([sheet, names(sheet).size]).toEqual([sheet, sheets[sheet]!.length]);
    const emails = new Set(sheets.Contact!.map(({ Email }) => Email));
    for (const { TypeName, Space, CreatedBy } of sheets.Component!)
      expect([names("Type").has(TypeName), names("Space").has(Space), emails.has(CreatedBy)]).toEqual([
        ...[true, true, true],
      ]);
    for (const { Manufacturer } of sheets.Type!)
      expect(Manufacturer === "n/a" || emails.has(Manufacturer)).toBe(true);
    for (const { Category, AssetType } of sheets.Type!)
      expect([/^23-\d\d( \d\d)+: \w/.test(Category!), AssetType]).toEqual([true, "Fixed"]);

    const empty = await server.createPartner("COBie");
    const importing = ["import", "--partner", empty.partner_id, "--file", file, "--yes"];
    const imported = await server.json(...importing);
    expect(imported).toMatchObject({ rejected: 0, properties: { created: 1 } });
    const of = (all: Json[], type: string) =>
      ofType(all, type).map(
        ({ id, partner_id, property_id, unit_id, created_at, updated_at, is_demo, source, ...rest }) => rest,
      );
    const [before, after] = [await lines(acme), await lines(empty)];
    const kept = before.filter(({ property_id }) => property_id === demo.id);
    const labels = (all: Json[]) => new Map(ofType(all, "unit").map(({ id, label }) => [id, label]));
    const placed = (all: Json[], from: Json[]) =>
      from.flatMap((one) => (one.type === "appliance" ? [labels(all).get(one.unit_id) ?? null] : []));
    expect(of(kept, "appliance").length).toBeGreaterThan(10);
    expect(of(after, "appliance")).toEqual(of(kept, "appliance"));
    expect(placed(after, after)).toEqual(placed(before, kept));
    const [property] = of(after, "property");
    const original = of(before, "property").find(({ name }) => name === demo.name)!;
    for (const field of ["name", "address", "city", "state", "zip", "unit_count", "year_built", "notes"])
      expect([field, property![field]]).toEqual([field, original[field]]);
    expect(await server.json(...importing)).toMatchObject({
      properties: { created: 0 },
      appliances: { created: 0 },
    });
  });

  test("writes a workbook for each property to a new folder, and says what it cannot do", async () => {
    const target = join(folder(), "all");
    const { files } = await cobie(acme, "--output", target);
    expect(readdirSync(target).sort()).toEqual(
      files.map(({ property_id }: Json) => `${property_id}.xlsx`).sort(),
    );
    expect(files).toHaveLength(2);
    const refusal = async (...args: string[]) => {
      const { code, stderr } = await server.run("export", "--partner", acme.partner_id, ...args);
      return [code, stderr];
    };
    for (const [args, code, message] of [
      [["--format", "cobie"], 2, "--format cobie needs --output"],
      [["--property", "P_1"], 2, "--property needs --format cobie"],
      [["--format", "cobie", "--output", target], 1, "already exists"],
      [["--format", "cobie", "--property", "P_1", "--output", `${target}.xlsx`], 1, "Property not found"],
    ] as const)
      expect(await refusal(...args)).toEqual([code, expect.stringContaining(message)]);
  });
});
