import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killAt, killable, watch } from "../support/kill.ts";
import { type Installation, type Outcome, useMainstay } from "../support/mainstay.ts";
import { operator } from "../support/operator.ts";

const { install, serve, folder } = useMainstay();

const SAMPLE = join(import.meta.dir, "../../samples/nyc-elevators");
const SAMPLE_FILES = ["properties", "appliances", "service-events"].flatMap((kind) => [
  `--${kind}`,
  join(SAMPLE, `${kind.replace("-", "_")}.csv`),
]);
const SAMPLE_COUNTS = {
  properties: { read: 300, created: 300, unchanged: 0 },
  appliances: { read: 559, created: 369, unchanged: 0 },
  components: { created: 1845 },
  service_events: { read: 543, created: 353, unchanged: 0 },
  rejected: 380,
};
const NOTHING_NEW = {
  properties: { read: 300, created: 0, unchanged: 300 },
  appliances: { read: 559, created: 0, unchanged: 369 },
  components: { created: 0 },
  service_events: { read: 543, created: 0, unchanged: 353 },
  rejected: 380,
};

/** Everything that the import writes, but for ids and moments, which differ from run to run. */
function stored({ dataDir }: Installation) {
  const db = new Database(join(dataDir, "mainstay.db"), { readonly: true });
  const rows = (sql: string) => db.query(sql).values();
  try {
    return {
      properties:
        rows(`SELECT seq, partner_property_id, name, address, city, state, zip, source, t.appliances,
        t.components, t.service_events, t.critical, t.warning, t.rcv_cents, t.critical_reactive_cents
        FROM properties p JOIN property_totals t ON t.property_id = p.id ORDER BY seq`),
      components:
        rows(`SELECT c.seq, a.seq, serial, def_id, risk_score, risk_tier, confidence, effective_age_years, acute_hazard,
        c.install_year, last_serviced, announced_tier FROM components c JOIN appliances a ON a.id = appliance_id
        ORDER BY c.seq`),
      events: rows(`SELECT serial, event_type, date, notes FROM service_events e
        JOIN appliances a ON a.id = e.appliance_id ORDER BY e.created_at`),
      log: rows("SELECT seq, kind FROM event_log ORDER BY seq"),
      tallies: rows("SELECT bucket, block, count FROM component_tallies WHERE count > 0 ORDER BY 1, 2"),
      sums: rows(
        "SELECT properties, events, appliances, components, service_events, critical, warning FROM partner_totals",
      ),
    };
  } finally {
    db.close();
  }
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

/** The sample, imported without a hitch. */
let whole: Awaited<ReturnType<typeof withPartner>>;
let first: Record<string, unknown>;
beforeAll(async () => {
  whole = await withPartner();
  first = await whole.importing(...SAMPLE_FILES);
});

describe("importing real files", () => {
  // Rule: data-commands
  test("creates what is right, and keeps what is not in files to mend", () => {
    expect(first).toMatchObject(SAMPLE_COUNTS);
    const rejects = join(whole.installation.folder, "rejects");
    expect(readdirSync(rejects).sort()).toEqual(["appliances.csv", "service_events.csv"]);
    const lines = readFileSync(join(rejects, "appliances.csv"), "utf8").trim().split("\n");
    expect(lines).toHaveLength(1 + 190);
    expect(lines[0]).toBe("partner_property_id,type_id,brand,model,serial,install_year,line,error");
    expect(lines[1]).toMatch(/^BIN-\d+,elevator,,[^,]*,\w+,,\d+,install_year is required$/);
    expect(readFileSync(join(rejects, "service_events.csv"), "utf8")).toMatch(
      /,Appliance not found: serial \w+ in property BIN-\d+\n/,
    );
  });

  test("adds nothing the second time", async () => {
    const before = stored(whole.installation);
    expect(await whole.importing(...SAMPLE_FILES)).toMatchObject(NOTHING_NEW);
    expect(stored(whole.installation)).toEqual(before);
  });

  test("is in the audit log, with who ran it and what was read, and a dry run is not", async () => {
    const { installation, partner, importing } = await withPartner();
    await importing(...SAMPLE_FILES.slice(0, 2), "--dry-run");
    await importing(...SAMPLE_FILES.slice(0, 2));
    const { entries } = await installation.json("audit", "--subject", partner.partner_id);
    expect(entries).toMatchObject([
      {
        action: "portfolio.import",
        // The environment of a test names no user.
        actor: operator(),
        detail: {
          files: [{ kind: "properties", file: expect.stringMatching(/properties\.csv$/), rows: 300 }],
        },
      },
      { action: "partner.create" },
    ]);
  });

  test("comes to the same after it was killed in the middle of each file, and started again", async () => {
    const { installation, args, importing } = await withPartner();
    const { read, close } = watch(
      installation,
      "SELECT properties + appliances + service_events FROM partner_totals",
    );
    const { properties, appliances, service_events } = SAMPLE_COUNTS;
    const all = properties.created + appliances.created + service_events.created;
    const reached: number[] = [];
    for (let nth = 0; nth < 6; nth++) {
      const goal = Math.max(reached.at(-1) ?? 0, (all * nth) / 7) + 1;
      const command = killable(installation.spawn(...args(...SAMPLE_FILES)));
      // At the beginning of a transaction, which takes some 12 ms, in its middle, at its end.
      reached.push(await killAt({ goal, laterMs: (nth * 5) % 12 }, read, command));
    }
    close();
    // Each was in the middle, further than the one before.
    expect(reached).toEqual([...new Set(reached)].toSorted((a, b) => a - b));
    expect(reached[0]).toBeWithin(1, properties.created);
    expect(reached.at(-1)).toBeWithin(properties.created + appliances.created + 1, all);

    const last = await importing(...SAMPLE_FILES);
    expect(last).toMatchObject({ properties: { created: 0 }, appliances: { created: 0 } });
    // A commit may be whole in the log while nobody was told of it: who opens the database next finds it.
    expect(last.service_events.created).toBeWithin(1, all - reached.at(-1)! + 1);
    expect(last.rejected).toBe(SAMPLE_COUNTS.rejected);
    expect(stored(installation)).toEqual(stored(whole.installation));
    expect(await importing(...SAMPLE_FILES)).toMatchObject(NOTHING_NEW);
  });

  test("goes on beside a server, which answers and writes meanwhile", async () => {
    const installation = await serve();
    const { partner, importing } = await withPartner(installation);
    const client = installation.as(partner);
    let isDone = false;
    const done = importing(...SAMPLE_FILES).finally(() => {
      isDone = true;
    });
    let written = 0;
    while (!isDone) {
      const fields = { name: `Own ${written}`, address: "1 Own St", state: "NY" };
      expect((await client.post("/v1/properties", fields)).status).toBe(201);
      written++;
    }
    expect(await done).toMatchObject(SAMPLE_COUNTS);
    const { body } = await client.get("/v1/properties?limit=1");
    expect(body.pagination?.total ?? body.total).toBe(300 + written);
  });
});

describe("rejected rows", () => {
  test("go in as they are once they are mended", async () => {
    const { installation, importing } = await withPartner();
    await importing(...SAMPLE_FILES);
    const rejects = (name: string) => join(installation.folder, "rejects", `${name}.csv`);
    const mended = readFileSync(rejects("appliances"), "utf8").replaceAll(
      /,,(\d+),install_year/g,
      ",1999,$1,install_year",
    );
    writeFileSync(rejects("appliances"), mended);
    const again = () =>
      importing("--appliances", rejects("appliances"), "--service-events", rejects("service_events"));
    expect(await again()).toMatchObject({
      appliances: { read: 190, created: 190, unchanged: 0 },
      components: { created: 950 },
      service_events: { read: 190, created: 190, unchanged: 0 },
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
  test("counts as the import would, rows that need each other included, and writes nothing", async () => {
    const { installation, importing } = await withPartner();
    const before = stored(installation);
    expect(await importing(...SAMPLE_FILES, "--dry-run")).toMatchObject({ ...SAMPLE_COUNTS, dry_run: true });
    expect(stored(installation)).toEqual(before);
    expect(existsSync(join(installation.folder, "rejects"))).toBe(false);
    expect(readdirSync(installation.dataDir).filter((name) => name.startsWith("scratch"))).toEqual([]);
    const named = await importing("--appliances", SAMPLE_FILES[3]!, "--dry-run", "--rejects", "look");
    expect(named.rejects[0]).toMatchObject({
      rows: 559,
      path: join(installation.folder, "look", "appliances.csv"),
    });
  });
});

describe("for people", () => {
  test("the result says what was done, and the complaints stand apart from it", async () => {
    const { run } = whole;
    const { code, stdout, stderr } = await run(...SAMPLE_FILES);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^properties +300 read +0 created +300 unchanged$/m);
    expect(stderr).toMatch(
      /appliances\.csv: 190 rows rejected; they are in .*\n {2}the first is line \d+: install_year/,
    );
  });

  test("--map reads files with other headings", async () => {
    const file = join(folder(), "list.csv");
    writeFileSync(file, "\ufeffBuilding;x,Street,State\r\nB1,1 Elm St,ny\r\n");
    const { importing, run } = await withPartner();
    const { code, stderr } = await run("--properties", file, "--map", "Street=address");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("columns missing: partner_property_id; name"),
    ]);
    const maps = ["Building;x=partner_property_id", "Building;x=name", "Street=address", "State=state"];
    const result = await importing("--properties", file, ...maps.flatMap((map) => ["--map", map]));
    expect(result).toMatchObject({ properties: { created: 1 }, rejected: 0 });
  });
});

describe("bad input", () => {
  const HEAD = "partner_property_id,name,address,state\n";
  const cases: [string, string | Uint8Array, number, string][] = [
    ["a missing column", "partner_property_id,nam,address,state\n", 1, "--map 'nam=name'"],
    ["a wrong quote", `${HEAD}1,A,B,NY\n2,"A,B,NY\n3,A,B,NY\n`, 1, "line 3: a quote is opened"],
    [
      "a line of 10 MB",
      `${HEAD}1,A,B,NY\n2,${"x".repeat(1e7)},B,NY\n`,
      1,
      "line 3: the row that starts here",
    ],
    ["another encoding", Buffer.from(`${HEAD}1,Caf\xe9,B,NY\n`, "latin1"), 1, "line 2: this is not UTF-8"],
    ["an empty file", "", 1, "is empty"],
    ["a heading twice", `name,${HEAD}`, 1, "columns 1 and 3 both hold name"],
    ["semicolons", HEAD.replaceAll(",", ";"), 1, "save the file with commas"],
    ["a heading only", HEAD, 0, ""],
    ["a byte-order mark and Windows line ends", `\ufeff${HEAD}1,A,B,NY\n`.replaceAll("\n", "\r\n"), 0, ""],
    ["rows too short and too long", `${HEAD}1,A\n2,A,B,NY,x\n`, 0, "2 rows rejected"],
  ];
  test.each(cases)("%s", async (_, content, expected, message) => {
    const file = join(folder(), "bad.csv");
    writeFileSync(file, content);
    const before = stored(whole.installation).properties.length;
    const { code, stderr } = await whole.run(
      "--properties",
      file,
      "--appliances",
      join(SAMPLE, "appliances.csv"),
      "--dry-run",
    );
    expect({ code, before }).toEqual({
      code: expected,
      before: stored(whole.installation).properties.length,
    });
    expect(stderr).toContain(message);
    if (expected === 1) expect(stderr).toContain("bad.csv");
  });

  test("on the command line says what is missing", async () => {
    const run = (...args: string[]) => whole.installation.run("import", ...args);
    expect(await run("--properties", "x.csv")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--partner is missing"),
    });
    expect(await run("--partner", "P")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no file to import"),
    });
    expect(await run("--partner", "P", "--map", "x", "--properties", "x.csv")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--map: expected COLUMN=FIELD"),
    });
    expect(await run("--partner", "P", "--properties", "x.csv")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no partner P"),
    });
    expect(await whole.run("--properties", "x.csv")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no file"),
    });
  });
});
