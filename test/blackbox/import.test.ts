import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeXlsx } from "hucre/xlsx";
import { ENVIRONMENT, EXECUTABLE } from "../support/executable.ts";
import { killAt, killable, untilInTime } from "../support/kill-during-work.ts";
import { type Installation, type Outcome, useMainstay } from "../support/mainstay.ts";
import { operator } from "../support/operator.ts";
import { startReceiver } from "../support/receiver.ts";

const { install, serve, folder } = useMainstay();

const SAMPLE = join(import.meta.dir, "../../samples/nyc-elevators");
const SAMPLE_FILES = ["properties", "appliances", "service-events"].flatMap((kind) => [
  `--${kind}`,
  join(SAMPLE, `${kind.replace("-", "_")}.csv`),
]);
const SAMPLE_COUNTS = {
  properties: { read: 300, created: 300, updated: 0, unchanged: 0 },
  appliances: { read: 559, created: 369, updated: 0, unchanged: 0 },
  components: { created: 1845 },
  service_events: { read: 543, created: 353, updated: 0, unchanged: 0 },
  claims: { read: 0, created: 0, updated: 0, unchanged: 0 },
  rejected: 380,
};
const NOTHING_NEW = [
  /^properties +300 read +0 created +300 unchanged$/m,
  /^appliances +559 read +0 created +369 unchanged +\(0 components\)$/m,
  /^service events +543 read +0 created +353 unchanged$/m,
  /^claims +0 read +0 created +0 unchanged$/m,
  /^380 rows rejected /m,
];

/** Returns everything that the import writes, except IDs and timestamps, which vary. */
async function stored(installation: Installation) {
  const rows = async (sql: string) => (await installation.sql(sql)).map(Object.values);
  return {
    properties:
      await rows(`SELECT seq, partner_property_id, name, address, city, state, zip, source, t.appliances,
      t.components, t.service_events, t.critical, t.warning, t.rcv_cents, t.critical_reactive_cents
      FROM properties p JOIN property_totals t ON t.property_id = p.id ORDER BY seq`),
    components:
      await rows(`SELECT c.seq, a.seq AS appliance, serial, def_id, risk_score, risk_tier, confidence,
      effective_age_years, acute_hazard, c.install_year, last_serviced, announced_tier
      FROM components c JOIN appliances a ON a.id = appliance_id ORDER BY c.seq`),
    events: await rows(`SELECT serial, event_type, date, notes FROM service_events e
      JOIN appliances a ON a.id = e.appliance_id ORDER BY e.created_at`),
    log: await rows("SELECT seq, kind FROM event_log ORDER BY seq"),
    counters: await rows("SELECT bucket, block, count FROM component_counters WHERE count > 0 ORDER BY 1, 2"),
    sums: await rows(
      "SELECT properties, events, appliances, components, service_events, critical, warning FROM partner_totals",
    ),
  };
}

async function withPartner(installation = install()) {
  const partner = await installation.createPartner();
  const args = (...more: string[]) => ["import", "--partner", partner.partner_id, ...more];
  return {
    installation,
    partner,
    args,
    importing: (...more: string[]) => installation.json(...args(...more)),
    run: (...more: string[]): Promise<Outcome> => installation.run(...args(...more)),
  };
}

/** The result of an uninterrupted import of the sample. */
let whole: Awaited<ReturnType<typeof withPartner>>;
let first: Record<string, unknown>;
beforeAll(async () => {
  whole = await withPartner();
  first = await whole.importing(...SAMPLE_FILES);
});

// Rule: import-mapping, import-workbooks
describe("importing files of any form", () => {
  const TORONTO = ["registrations", "evaluations"].map((name) =>
    join(import.meta.dir, `../../samples/toronto-apartments/${name}.csv`),
  );
  const FILES = [...TORONTO.flatMap((path) => ["--file", path]), "--default", "city=Toronto"];

  test("asks first, maps a city's files without a rejected row, and keeps the mapping for the next", async () => {
    const { installation, run, importing } = await withPartner();
    const asked = await run(...FILES);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain("NO_OF_ELEVATORS: number of them");
    expect(asked.stderr).toContain("nothing was imported");
    const keeping = ["--mapping", join(installation.folder, "toronto.json"), "--yes"];
    const imported = await importing(...FILES, ...keeping);
    expect(imported).toMatchObject({
      properties: { created: 100 },
      appliances: { created: 617 },
      service_events: { created: 1322 },
      rejected: 0,
      warnings: [],
    });
    expect(imported.left_out).toContainEqual({
      file: TORONTO[1],
      what: "STAIRWELLS",
      reason: "no kind of equipment",
      cells: 332,
    });
    const [elevator] = await installation.sql(
      "SELECT city, state, condition_after, condition_score FROM service_events e JOIN properties p ON p.id = e.property_id WHERE e.notes = 'ELEVATORS' ORDER BY date, e.id LIMIT 1",
    );
    expect(elevator).toMatchObject({ city: "Toronto", state: "CA-ON" });
    // The mapping has the city.
    const again = await importing(...FILES.slice(0, 4), ...keeping);
    expect(again).toMatchObject({
      properties: { created: 0, unchanged: 100 },
      appliances: { created: 0 },
      service_events: { created: 0, unchanged: 1322 },
    });
  });

  test.each([
    ["y\n", 0, "Imported:"],
    ["n\n", 2, "nothing was imported"],
  ])("asks in a terminal, and does what %j says", async (answer, code, last) => {
    const { installation, args } = await withPartner();
    const path = join(installation.folder, "register.csv");
    writeFileSync(
      path,
      "Building Code,Building Name,Street Address,State,Units,No of Suites\nB1,Elm,1 Elm St,NY,4,5\n",
    );
    let shown = "";
    let isAnswered = false;
    const child = Bun.spawn([EXECUTABLE, ...args("--file", path), "--config", installation.configFile], {
      cwd: installation.folder,
      env: { ...ENVIRONMENT, TERM: "dumb", MAINSTAY_STORAGE__DATA_DIR: installation.dataDir },
      terminal: {
        columns: 100,
        rows: 40,
        data(terminal: { write(text: string): void }, bytes: Uint8Array) {
          shown += Buffer.from(bytes).toString();
          if (isAnswered || !shown.includes("Import with this mapping? [y/N]")) return;
          isAnswered = true;
          terminal.write(answer);
        },
      },
    } as Parameters<typeof Bun.spawn>[1]);
    expect(await child.exited).toBe(code);
    expect(shown).toContain(last);
    expect(shown).toContain("Units: 4 (not No of Suites)");
    const [count] = await installation.sql("SELECT count(*) AS n FROM properties");
    expect(Number(count!.n)).toBe(code === 0 ? 1 : 0);
  });

  test("reads workbooks, maps values, and says what is wrong", async () => {
    const { installation, run, importing } = await withPartner();
    const path = join(installation.folder, "assets.xlsx");
    const bytes = await writeXlsx({
      sheets: [
        {
          name: "Buildings",
          rows: [
            ["Building Code", "Building Name", "Street Address", "State", "Year of Construction"],
            ["B1", "Elm", "1 Elm St", "NY", 1988],
          ],
        },
        { name: "Read me", rows: [["Kept by J. Ito"], ["Send changes to the office"]] },
        {
          name: "Equipment",
          rows: [
            ["Building Name", "Equipment Type", "Tag No", "Qty", "Install Date"],
            ["Elm", "Lift", "E", 2, new Date("2001-05-06T00:00:00Z")],
            ["Elm", "Chandelier", "C", 1, null],
          ],
        },
      ],
    });
    writeFileSync(path, bytes);
    const values = ["--map-values", "type_id Chandelier=electrical_panel"];
    expect(await importing("--file", path, "--yes", ...values)).toMatchObject({
      properties: { created: 1 },
      appliances: { created: 3 },
      rejected: 0,
      left_out: [{ what: "assets.xlsx, sheet Read me", reason: "no column for address or state", cells: 2 }],
    });
    const appliances = await installation.sql(
      "SELECT serial, type_id, install_year FROM appliances ORDER BY seq",
    );
    expect(appliances.map(Object.values)).toEqual([
      ["E-1", "elevator", 2001],
      ["E-2", "elevator", 2001],
      ["C", "electrical_panel", 1988],
    ]);
    const units = join(installation.folder, "units.csv");
    writeFileSync(units, "Property Name,Appliance,Year Installed\nElm,Refrigerator,abc\n");
    const rejected = await run("--file", units, "--yes");
    expect([rejected.code, rejected.stderr]).toEqual([
      3,
      expect.stringContaining(
        'units.csv, row 2: install_year (column "Year Installed") must be a number such as 12 or 1200.50',
      ),
    ]);
    // Rows that name the property by its ID change it, with the rows of the original in the report.
    const [elm] = await installation.sql("SELECT id FROM properties");
    const fixes = join(installation.folder, "fixes.csv");
    writeFileSync(fixes, `Corrections\n\nproperty_id,Year Built,Stories\n${elm!.id},1931,4\n`);
    expect(await importing("--file", fixes, "--yes", "--update")).toMatchObject({
      properties: { created: 0, updated: 1 },
      changes: [
        { field: "year_built", from: 1988, to: 1931, rows: 1, line: 4 },
        { field: "stories", to: 4, line: 4 },
      ],
    });
    writeFileSync(fixes, `property_id,name\n${elm!.id},Elm House\nP_unknown,X\n`);
    const renamed = await importing("--properties", fixes, "--update");
    expect(renamed).toMatchObject({ properties: { read: 2, created: 0, updated: 1 }, rejected: 1 });
    expect(renamed.rejects[0].reasons[0].error).toBe("Property not found: P_unknown");
    writeFileSync(fixes, `property_id,name\n${elm!.id},Elm\n`);
    await importing("--properties", fixes, "--update");
    const repairs = join(installation.folder, "repairs.csv");
    writeFileSync(
      repairs,
      "Site Name,Serial #,Work Type,Visit Date,Done\nElm,C,Repair,2021-03-04,25/03/2021\n",
    );
    const keeping = ["--mapping", join(installation.folder, "repairs.json"), "--yes", "--dry-run"];
    expect((await run("--file", repairs, ...keeping)).stderr).toContain("Visit Date: 2021-03-04");
    expect((await run("--file", repairs, ...keeping, "--map", "Done=date")).stderr).toContain(
      "Done as DD/MM/YYYY: 25/03/2021",
    );
  });
});

// Rule: import-buildingsync, cobie-import, import-workbooks
describe("importing standard formats", () => {
  const AUDIT = `<?xml version="1.0"?><BuildingSync xmlns="http://buildingsync.net/schemas/bedes-auc/2019"><Facilities><Facility>
    <Sites><Site><Buildings><Building ID="B"><PremisesName>Elm Hall</PremisesName><Address><StreetAddressDetail><Simplified>
    <StreetAddress>1 Elm St</StreetAddress></Simplified></StreetAddressDetail><City>Golden</City><State>CO</State></Address>
    <YearOfConstruction>1984</YearOfConstruction></Building></Buildings></Site></Sites><Systems><ConveyanceSystems>
    <ConveyanceSystem ID="E1"><ConveyanceSystemType>Elevator</ConveyanceSystemType><Quantity>2</Quantity></ConveyanceSystem>
    </ConveyanceSystems><HVACSystems><HVACSystem><Plants><HeatingPlants><HeatingPlant ID="P1"><Boiler>
    <OutputCapacity>100</OutputCapacity><CapacityUnits>kW</CapacityUnits></Boiler></HeatingPlant></HeatingPlants></Plants></HVACSystem>
    </HVACSystems><LightingSystems><LightingSystem ID="L1"/></LightingSystems></Systems></Facility></Facilities></BuildingSync>`;
  /** A COBie workbook without an address. */
  const handover = () =>
    writeXlsx({
      sheets: [
        {
          name: "Facility",
          rows: [
            ["Name", "CreatedBy", "SiteName"],
            ["Elm Hall", "a@b.example", "n/a"],
          ],
        },
        {
          name: "Type",
          rows: [
            ["Name", "Category"],
            ["B", "23-33 11 00: Commercial Boilers"],
            ["Chair", "23-21 23 13: Residential Seating"],
          ],
        },
        {
          name: "Component",
          rows: [
            ["Name", "TypeName", "SerialNumber", "InstallationDate"],
            ["B-1", "B", "S1", "2012-05-06"],
            ["C-1", "Chair", "n/a", "n/a"],
          ],
        },
      ],
    });

  test("takes the buildings and equipment of an audit, and adds those of a handover to the same property", async () => {
    const { installation, run, importing } = await withPartner();
    const [audit, cobie] = ["audit.xml", "handover.xlsx"].map((name) => join(installation.folder, name));
    writeFileSync(cobie!, await handover());
    const refused = await run("--file", cobie!, "--yes");
    expect([refused.code, refused.stderr]).toEqual([
      ...[
        1,
        expect.stringContaining('row 2: "Elm Hall" has no address, and is not a property of the partner'),
      ],
    ]);
    writeFileSync(audit!, AUDIT);
    const asked = await run("--file", audit!);
    expect(asked.stderr).toMatch(
      /^audit.xml: BuildingSync, 1 row, each a property\n {2}partner_property_id {2}Elm Hall\n/,
    );
    expect(asked.stderr).toContain("audit.xml: BuildingSync, 2 rows, each an appliance\n");
    expect(await importing("--file", audit!, "--yes")).toMatchObject({
      properties: { created: 1 },
      appliances: { created: 3 },
      rejected: 0,
      left_out: [{ what: "lighting system", reason: "no kind of equipment", cells: 1 }],
    });
    expect(await importing("--file", cobie!, "--yes")).toMatchObject({
      properties: { created: 0 },
      appliances: { created: 1 },
      rejected: 0,
      left_out: [{ what: "Chair", cells: 1 }],
    });
    const rows = await installation.sql("SELECT serial, install_year, size FROM appliances ORDER BY seq");
    expect(rows.map(Object.values)).toEqual([
      ["E1-1", 1984, null],
      ["E1-2", 1984, null],
      ["P1", 1984, 341.2],
      ["S1", 2012, null],
    ]);
  });
});

describe("importing real files", () => {
  // Rule: data-commands
  test("creates valid rows, and writes invalid ones to files for correction", () => {
    expect(first).toMatchObject(SAMPLE_COUNTS);
    const rejects = join(whole.installation.folder, "rejects");
    expect(readdirSync(rejects).sort()).toEqual([
      "appliances.csv",
      "appliances.csv.counts",
      "service_events.csv",
    ]);
    const lines = readFileSync(join(rejects, "appliances.csv"), "utf8").trim().split("\n");
    expect(lines).toHaveLength(1 + 190);
    expect(lines[0]).toBe("partner_property_id,type_id,brand,model,serial,install_year,line,error");
    expect(lines[1]).toMatch(
      /^BIN-\d+,elevator,,[^,]*,\w+,,\d+,install_year is required where the property has no year_built$/,
    );
    expect(readFileSync(join(rejects, "service_events.csv"), "utf8")).toMatch(
      /,Appliance not found: serial \w+ in property BIN-\d+\n/,
    );
  });

  // Rule: install-year-of-the-building
  test("loses no row for lack of a year where the building has one, beside a server that responds and writes meanwhile", async () => {
    const installation = await serve();
    const { partner, importing } = await withPartner(installation);
    const client = installation.as(partner);
    let isDone = false;
    const done = importing(...SAMPLE_FILES, "--default", "year_built=1962").finally(() => {
      isDone = true;
    });
    let written = 0;
    while (!isDone) {
      const fields = { name: `Own ${written}`, address: "1 Own St", state: "NY" };
      expect((await client.post("/v1/properties", fields)).status).toBe(201);
      written++;
    }
    expect(await done).toMatchObject({
      properties: SAMPLE_COUNTS.properties,
      appliances: { read: 559, created: 559 },
      service_events: { read: 543, created: 543 },
      install_years_from_year_built: 190,
      rejected: 0,
    });
    const { body } = await client.get("/v1/properties?limit=1");
    expect(body.pagination?.total ?? body.total).toBe(300 + written);
  });

  test("adds nothing the second time, and prints the result and, on standard error, the problems", async () => {
    const before = await stored(whole.installation);
    const { code, stdout, stderr } = await whole.run(...SAMPLE_FILES);
    expect(code).toBe(0);
    for (const line of NOTHING_NEW) expect(stdout).toMatch(line);
    expect(stderr).toMatch(
      /appliances\.csv: 190 rows rejected \(written to .*\n {2}190 rows \(first: line 18\): install_year is required where the property has no year_built\. Fix the rows, pass --default install_year=VALUE, or import year_built of the properties with --update\n/,
    );
    expect(await stored(whole.installation)).toEqual(before);
  });

  test("is in the audit log with its actor and counts, unlike a dry run", async () => {
    const { installation, partner, importing } = await withPartner();
    const file = join(folder(), "properties.csv");
    writeFileSync(file, "partner_property_id,name,address,state\n1,Elm,1 Elm St,NY\n");
    await importing("--properties", file, "--dry-run");
    await importing("--properties", file);
    const { entries } = await installation.json("audit", "--subject", partner.partner_id);
    expect(entries).toMatchObject([
      {
        action: "portfolio.import",
        // The environment of a test has no user.
        actor: operator(),
        detail: {
          files: [{ kind: "properties", file: expect.stringMatching(/properties\.csv$/), rows: 1 }],
        },
      },
      { action: "partner.create" },
    ]);
  });

  test("gives the same result after being killed in the middle of each file and restarted", async () => {
    const { installation, importing, reached, all } = await untilInTime(killedInTheMiddle);
    const last = await importing(...SAMPLE_FILES);
    expect(last).toMatchObject({ properties: { created: 0 }, appliances: { created: 0 } });
    // A commit may be complete in the WAL although it was not acknowledged; the next process to open the database finds it.
    expect(last.service_events.created).toBeWithin(1, all - reached + 1);
    expect(last.rejected).toBe(SAMPLE_COUNTS.rejected);
    // Importing everything again, which adds nothing, is tested on the equal rows of the other.
    expect(await stored(installation)).toEqual(await stored(whole.installation));
  });

  /** Kills imports of the sample, each further than the one before; undefined unless one was in the middle of each file. */
  async function killedInTheMiddle() {
    const { installation, args, importing } = await withPartner();
    const { read, close } = await installation.watch(
      "SELECT properties + appliances + service_events FROM partner_totals",
    );
    const { properties, appliances, service_events } = SAMPLE_COUNTS;
    const all = properties.created + appliances.created + service_events.created;
    const reached: number[] = [];
    for (let nth = 0; nth < 4; nth++) {
      const goal = Math.max(reached.at(-1) ?? 0, (all * nth) / 4.5) + 1;
      const command = killable(installation.spawn(...args(...SAMPLE_FILES)));
      // At the start, in the middle and at the end of a transaction, which takes about 12 ms.
      reached.push(await killAt({ goal, laterMs: (nth * 5) % 12 }, read, command));
      // Makes the lock expire.
      await installation.sql("UPDATE locks SET expires_at = 0");
    }
    await close();
    const [earliest, latest] = [reached[0]!, reached.at(-1)!];
    const isInEachFile = earliest < properties.created && latest > properties.created + appliances.created;
    if (!isInEachFile || latest >= all || new Set(reached).size < reached.length) return undefined;
    return { installation, importing, reached: latest, all };
  }
});

describe("rejected rows", () => {
  test("can be imported after correction", async () => {
    const installation = install();
    await whole.installation.copyTo(installation);
    const of = join(whole.installation.folder, "rejects");
    const rejects = (name: string) => join(installation.folder, `${name}.csv`);
    for (const name of ["appliances", "service_events"]) copyFileSync(join(of, `${name}.csv`), rejects(name));
    const importing = (...files: string[]) =>
      installation.json("import", "--partner", whole.partner.partner_id, ...files);
    const fixed = readFileSync(rejects("appliances"), "utf8").replaceAll(
      /,,(\d+),install_year/g,
      ",1999,$1,install_year",
    );
    writeFileSync(rejects("appliances"), fixed);
    const again = () =>
      importing("--appliances", rejects("appliances"), "--service-events", rejects("service_events"));
    expect(await again()).toMatchObject({
      appliances: { read: 190, created: 190, updated: 0, unchanged: 0 },
      components: { created: 950 },
      service_events: { read: 190, created: 190, updated: 0, unchanged: 0 },
      rejected: 0,
      rejects: [],
    });
    expect(await again()).toMatchObject({
      appliances: { unchanged: 190 },
      service_events: { unchanged: 190 },
    });
  });
});

describe("--dry-run", () => {
  test("counts like the import, including dependent rows, and writes nothing", async () => {
    const { installation, importing, run } = await withPartner();
    const before = await stored(installation);
    expect(await importing(...SAMPLE_FILES, "--dry-run")).toMatchObject({ ...SAMPLE_COUNTS, dry_run: true });
    expect(await stored(installation)).toEqual(before);
    expect(existsSync(join(installation.folder, "rejects"))).toBe(false);
    expect(readdirSync(installation.dataDir).filter((name) => name.startsWith("scratch"))).toEqual([]);
    // Rows without their properties are rejected.
    const look = await run("--appliances", SAMPLE_FILES[3]!, "--dry-run", "--rejects", "look", "--json");
    expect({ code: look.code, stderr: look.stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining("every row was rejected"),
    });
    expect(JSON.parse(look.stdout).rejects[0]).toMatchObject({
      reasons: expect.arrayContaining([
        { error: "Property not found: BIN-4862101", rows: 31, first_line: 454 },
      ]),
      rows: 559,
      path: join(installation.folder, "look", "appliances.csv"),
    });
  });
});

test("--map reads files with other headings", async () => {
  const file = join(folder(), "list.csv");
  writeFileSync(file, "\ufeffBuilding;x,Street,State\r\nB1,1 Elm St,ny\r\n");
  const { importing, run } = await withPartner();
  const { code, stderr } = await run("--properties", file, "--map", "Street=address");
  expect([code, stderr]).toEqual([1, expect.stringContaining("columns missing: partner_property_id; name")]);
  const maps = ["Building;x=partner_property_id", "Building;x=name", "Street=address", "State=state"];
  const result = await importing("--properties", file, ...maps.flatMap((map) => ["--map", map]));
  expect(result).toMatchObject({ properties: { created: 1 }, rejected: 0 });
});

describe("--update", () => {
  const file = (name: string, text: string) => {
    const path = join(folder(), name);
    writeFileSync(path, text);
    return path;
  };
  const properties = (units: number, value: string) =>
    file(
      "properties.csv",
      `partner_property_id,name,address,state,unit_count,estimated_value\nE,Elm,1 Elm St,NY,${units},${value}\nO,Oak,2 Oak St,NY,3,\n`,
    );
  const appliances = (brand: string, year: number) =>
    file(
      "appliances.csv",
      `partner_property_id,serial,type_id,install_year,brand,usage_intensity\nE,W1,water_heater_gas,${year},${brand},1.5\nE,W2,water_heater_gas,2010,Rheem,\n`,
    );
  const events = (cost: string, condition: string) =>
    file(
      "events.csv",
      `partner_property_id,serial,event_type,date,parts_cost,labor_cost,condition_after\nE,W1,Inspection,2024-05-06,${cost},10,${condition}\n`,
    );
  const counts = (read: number, updated: number) => ({
    read,
    created: 0,
    updated,
    unchanged: read - updated,
  });

  test("updates existing records and reports the changes; empty cells change nothing", async () => {
    const server = await serve();
    const { partner, importing } = await withPartner(server);
    const given = (
      ...[units, value, brand, year, cost, condition]: [number, string, string, number, string, string]
    ) => [
      ...["--properties", properties(units, value), "--appliances", appliances(brand, year)],
      ...["--service-events", events(cost, condition)],
    ];
    const before = given(4, "1000000", "Rheem", 2021, "20", "good");
    await importing(...before);
    const after = given(6, "1200000.50", "Bradford White", 2018, "35.5", "poor");
    expect(await importing(...after)).toMatchObject({ changes: [], properties: counts(2, 0) });

    const client = server.as(partner);
    const component = async () => {
      const { components } = await client.get("/v1/components").then(({ body }) => body);
      return components.find((one: { component_def_id: string }) => one.component_def_id === "wh_gas_tank");
    };
    const scored = await component();
    const dry = await importing(...after, "--update", "--dry-run");
    expect((await component()).risk_score).toBe(scored.risk_score);
    const result = await importing(...after, "--update");
    expect({ ...result, duration_ms: 0, dry_run: true }).toEqual({ ...dry, duration_ms: 0 });
    expect(result).toMatchObject({
      properties: counts(2, 1),
      appliances: counts(2, 1),
      components: { created: 0 },
      service_events: counts(1, 1),
      rejected: 0,
    });
    const change = (kind: string, field: string, from: unknown, to: unknown) => ({
      kind,
      field,
      from,
      to,
      rows: 1,
      line: 2,
    });
    expect(result.changes).toEqual([
      change("properties", "unit_count", 4, 6),
      change("properties", "estimated_value", 1000000, 1200000.5),
      change("appliances", "install_year", 2021, 2018),
      change("appliances", "brand", "Rheem", "Bradford White"),
      change("service_events", "parts_cost", 20, 35.5),
      change("service_events", "condition_after", "good", "poor"),
    ]);
    const { properties: rows } = await client.get("/v1/properties").then(({ body }) => body);
    expect(rows[0]).toMatchObject({ unit_count: 6 });
    const moved = await component();
    expect(moved.risk_score).toBeGreaterThan(scored.risk_score);
    const history = await client.get(`/v1/components/${moved.id}/history`).then(({ body }) => body);
    expect(history.events[0]).toMatchObject({ total_cost: 45.5, condition_after: "poor" });
    expect(await importing(...after, "--update")).toMatchObject({ changes: [], properties: counts(2, 0) });
  });

  test("rejects an invalid row, and keeps the existing record", async () => {
    const { importing, run } = await withPartner();
    await importing("--properties", properties(4, ""), "--appliances", appliances("Rheem", 2008));
    const late = await run("--appliances", appliances("Rheem", 2999), "--update");
    expect(late).toMatchObject({ code: 0, stderr: expect.stringContaining("install_year") });
  });
});

test("--default fills empty cells and missing columns", async () => {
  const { importing } = await withPartner();
  const path = join(folder(), "properties.csv");
  writeFileSync(path, "partner_property_id,name,address\n1,Elm,1 Elm St\n2,,2 Oak St\n");
  const defaults = ["state=NY", "name=A building, unnamed", "unit_count=12"];
  expect(
    await importing("--properties", path, ...defaults.flatMap((value) => ["--default", value])),
  ).toMatchObject({ properties: { created: 2 }, rejected: 0 });
});

test("--no-webhooks sends no webhooks, and the event stream has all events", async () => {
  const server = await serve();
  const { url } = await startReceiver();
  const reported = await server.createPartner("Reported", "--webhook-url", url);
  const path = join(folder(), "properties.csv");
  writeFileSync(path, "partner_property_id,name,address,state\n1,Elm,1 Elm St,NY\n");
  const deliveries = async () =>
    (await server.json("deliveries", "list", "--partner", reported.partner_id)).total;
  await server.json("import", "--partner", reported.partner_id, "--properties", path, "--no-webhooks");
  expect(await deliveries()).toBe(0);
  const { events } = await server
    .as(reported)
    .get("/v1/events?since=2020-01-01")
    .then(({ body }) => body);
  expect(events).toMatchObject([{ type: "property.created" }]);
  const loud = join(folder(), "properties.csv");
  writeFileSync(loud, "partner_property_id,name,address,state\n2,Oak,2 Oak St,NY\n");
  await server.json("import", "--partner", reported.partner_id, "--properties", loud);
  expect(await deliveries()).toBe(1);
});

/** All that an import refuses is in test/cli/import-refusals.test.ts. */
test("what cannot be imported is reported", async () => {
  const quote = join(folder(), "quote.csv");
  writeFileSync(quote, 'partner_property_id,name,address,state\n1,A,B,NY\n2,"A,B,NY\n');
  expect(await whole.run("--properties", quote, "--dry-run")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("quote.csv line 3: the row starting here has an unclosed quote"),
  });
  expect(await whole.run("--properties", "x.csv")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("file not found"),
  });
  expect(await whole.installation.run("import", "--properties", "x.csv")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--partner is required"),
  });
});
