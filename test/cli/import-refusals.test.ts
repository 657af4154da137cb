import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeXlsx } from "hucre/xlsx";
import { runInProcess } from "../support/command-line.ts";

/* Imports files and options that cannot be used. test/blackbox/import.test.ts imports the others with the executable. */

const place = mkdtempSync(join(tmpdir(), "mainstay-import-"));
const run = (...argv: string[]) => runInProcess(argv, { cwd: place });
let importing: (...options: string[]) => ReturnType<typeof run>;
beforeAll(async () => {
  await run("init");
  const { stdout } = await run("partner", "create", "Acme", "--json");
  const { partner_id } = JSON.parse(stdout);
  importing = (...options) => run("import", "--partner", partner_id, ...options);
  await importing("--properties", write("known.csv", `${HEAD}K,Oak,2 Oak St,NY\n`));
});
afterAll(() => rmSync(place, { recursive: true }));

const HEAD = "partner_property_id,name,address,state\n";
const USABLE = `${HEAD}1,Elm,1 Elm St,NY\n`;

function write(name: string, content: string | Uint8Array): string {
  const path = join(place, name);
  writeFileSync(path, content);
  return path;
}

/** Returns the number of properties on record: that of `known.csv`, and no other. */
function countOfProperties(): number {
  const db = new Database(join(place, "data", "mainstay.db"), { readonly: true });
  const { n } = db.query("SELECT count(*) AS n FROM properties").get() as { n: number };
  db.close();
  return n;
}

describe("rows of known columns", () => {
  const cases: [string, string | Uint8Array, number, string][] = [
    ["a missing column", "partner_property_id,nam,address,state\n", 1, "--map 'nam=name'"],
    [
      "a wrong quote",
      `${HEAD}1,A,B,NY\n2,"A,B,NY\n3,A,B,NY\n`,
      1,
      "line 3: the row starting here has an unclosed quote",
    ],
    ["a line of 10 MB", `${HEAD}1,A,B,NY\n2,${"x".repeat(1e7)},B,NY\n`, 1, "line 3: the row starting here"],
    ["another encoding", Buffer.from(`${HEAD}1,Caf\xe9,B,NY\n`, "latin1"), 1, "line 2: invalid UTF-8"],
    ["an empty file", "", 1, "is empty"],
    ["a heading twice", `name,${HEAD}`, 1, "columns 1 and 3 both hold name"],
    ["semicolons", HEAD.replaceAll(",", ";"), 1, "save the file as comma-separated values"],
    ["a heading only", HEAD, 0, ""],
    ["a byte-order mark and Windows line ends", `\ufeff${HEAD}1,A,B,NY\n`.replaceAll("\n", "\r\n"), 0, ""],
    ["rows too short and too long", `${HEAD}1,A\n2,A,B,NY,x\n3,A,B,NY\n`, 0, "2 rows rejected"],
  ];
  test.each(cases)("%s", async (_, content, expected, message) => {
    const file = write("bad.csv", content);
    const appliances = write("appliances.csv", "partner_property_id,type_id,install_year\nK,elevator,1990\n");
    const { code, stderr } = await importing("--properties", file, "--appliances", appliances, "--dry-run");
    expect({ code, properties: countOfProperties() }).toEqual({ code: expected, properties: 1 });
    expect(stderr).toContain(message);
    if (expected === 1) expect(stderr).toContain("bad.csv");
  });

  test("a required field without a column", async () => {
    const file = write("short.csv", "partner_property_id,name,address\n3,Elm,1 Elm St\n");
    const { code, stderr } = await importing("--properties", file);
    expect([code, stderr]).toEqual([1, expect.stringContaining("column missing: state")]);
  });
});

// Rule: import-mapping, import-workbooks, import-buildingsync
describe("files of any form", () => {
  const formula = () =>
    writeXlsx({
      sheets: [
        { name: "Buildings", rows: [["Address", "State"]], cells: new Map([["1,0", { formula: "A1&1" }]]) },
      ],
    });

  test.each<[string, () => string | Uint8Array | Promise<Uint8Array>, string]>([
    [
      "bomb.xml",
      () => '<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><BuildingSync>&b;</BuildingSync>',
      "cannot be read as XML: Named entity isn't defined",
    ],
    ["gb.xml", () => "<gbXML/>", "is not BuildingSync XML"],
    [
      "locked.xlsx",
      () => Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      "protected by a password",
    ],
    ["formula.xlsx", formula, "sheet Buildings, cell A2: the formula has no stored result"],
    [
      "twins.csv",
      () => "Address,State,Address\n1 Elm St,NY,2 Elm St\n",
      "columns 1 and 3 have the same heading",
    ],
  ])("%s stops the import with the place", async (name, content, message) => {
    const { code, stderr } = await importing("--file", write(name, await content()), "--yes");
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(countOfProperties()).toBe(1);
  });

  test("a mapping that cannot be used, or is incomplete", async () => {
    const assets = write("assets.csv", "Building Name,Equipment Type,Tag No\nElm,Lift,E\nElm,Chandelier,C\n");
    const messy = write("messy.csv", "Visits in 2021\n\nSite,Visit Date,Work Type\nElm,03/04/2021,Repair\n");
    for (const [options, message] of [
      [["--file", messy, "--yes"], "messy.csv: no column for name was recognized"],
      [["--file", assets, "--file", messy, "--yes"], "messy.csv: no column for name was recognized"],
      [
        ["--file", messy, "--file", assets, "--yes", "--map", "Site=name", "--default", "country=CA"],
        "messy.csv, column Visit Date: 03/04/2021 may be a date with the day or the month first",
      ],
      [["--file", assets, "--map-values", "type_id Lift=hoist", "--yes"], 'names the type "hoist"'],
      [["--yes"], "--mapping, --map-values, --dates and --yes need --file"],
      [["--file", assets, "--properties", assets], "--file cannot be combined"],
      [["--file", assets, "--map", "Nothing=name", "--yes"], 'no file has a column "Nothing"'],
      [["--file", assets, "--default", "color=red", "--yes"], 'no file has a field "color"'],
      [["--file", assets, "--map-values", "state", "--yes"], "expected 'FIELD VALUE=VALUE,…'"],
    ] as const) {
      const { code, stderr } = await importing(...options);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});

// Rule: import-mapping
test("rejected rows of equipment are imported with the option that counts them as further rows of their file", async () => {
  const file = write("equipment.csv", "Site No;Equipment;Year Installed\nK;Boiler;12abc\nK;Boiler;1990\n");
  const rejects = join(place, "again");
  expect((await importing("--file", file, "--yes", "--rejects", rejects)).stdout).toContain(
    "1 rows rejected",
  );
  const { code, stderr } = await importing("--file", join(rejects, "appliances.csv"), "--yes");
  expect([code, stderr]).toEqual([2, expect.stringContaining("Pass --appliances")]);
  const alone = write("alone.csv", readFileSync(join(rejects, "appliances.csv"), "utf8"));
  const warned = await importing("--file", alone, "--yes");
  expect(warned.stderr).toContain(
    "Rejected rows: those without a serial that equal imported ones count as them",
  );
});

test("the mapping that is shown is guessed from all rows of a file, also with a saved one", async () => {
  const HEADINGS = "Building;Equipment;Warranty Expiry;Capacity\n";
  const register = (row: string, last: string) => `${HEADINGS}${`${row}\n`.repeat(2_000)}${last}\n`;
  const file = write("register.csv", register("Elm;Lift;03/04/2021;850.000", "Elm;Boiler;25/04/2021;850.5"));
  const shown = await importing("--file", file);
  expect([shown.code, shown.stderr]).toEqual([
    2,
    expect.stringContaining("Lift is elevator, Boiler is boiler"),
  ]);
  expect(shown.stderr).toContain("Warranty Expiry as DD/MM/YYYY: ");
  expect(shown.stderr).not.toContain("decimal comma");
  const saved = write("saved.json", "");
  rmSync(saved);
  const first = write("first.csv", `${HEADINGS}Elm;Lift;25/04/2021;1\n`);
  const created = await importing("--file", first, "--mapping", saved, "--yes", "--dry-run");
  expect(created.stdout).toContain("1 rows rejected");
  const again = await importing("--file", file, "--mapping", saved);
  expect(again.stderr).toContain("Guessed, since the saved mapping lacks it: Boiler is boiler");
  const visits = [
    "Building,Visit Date,Roof,Boiler,Elevator,Windows",
    ...Array(2_000).fill("Elm,2021-02-03,1,2,3,4"),
  ];
  const scored = write("visits.csv", `${visits.join("\n")}\nElm,2021-02-03,1,2,3,9\n`);
  expect((await importing("--file", scored)).stderr).toContain("scored 1 to 10");
});

describe("--default", () => {
  test.each([
    ["nonsense=1", 1, 'no file has a field "nonsense"'],
    ["unit_count=many", 1, "unit_count must be a number such as 12"],
    ["state", 2, "expected FIELD=VALUE"],
    ["state=", 2, "expected FIELD=VALUE"],
  ])("%s is rejected", async (given, code, message) => {
    const outcome = await importing("--properties", write("usable.csv", USABLE), "--default", given);
    expect(outcome).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
    expect(countOfProperties()).toBe(1);
  });

  test("that is invalid for a row rejects it like a cell", async () => {
    const file = write("stateless.csv", "partner_property_id,name,address\n3,Elm,1 Elm St\n");
    const outcome = await importing("--properties", file, "--default", "state=ZZ");
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toContain("state");
  });
});

test("a wrong command line is reported", async () => {
  const file = write("usable.csv", USABLE);
  for (const [argv, code, message] of [
    [["--properties", file], 2, "--partner is required"],
    [["--partner", "P"], 2, "no file to import"],
    [["--partner", "P", "--map", "x", "--properties", file], 2, "--map: expected COLUMN=FIELD"],
    [["--partner", "P", "--properties", file], 1, "partner not found: P"],
  ] as const)
    expect(await run("import", ...argv)).toMatchObject({ code, stderr: expect.stringContaining(message) });
});
