import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/program.ts";
import { coloredText } from "../../src/cli/terminal/colored-text.ts";
import { fittedTable, labeledLines } from "../../src/cli/terminal/fitted-table.ts";

const WIDTH = 80;
const LONG = "Consolidated Underwriters and Reinsurers of the Pacific Northwest and Hawaii";

describe("a table", () => {
  const columns = [
    { heading: "ID" },
    { heading: "NAME", shrinks: true },
    { heading: "DAY", from: 60 },
    { heading: "CALLS", align: "right" as const },
    { heading: "CHANGE", wraps: true },
  ];
  const row = ["ID_1", "Acme Insurance of New York", "2026-01-01", 7, "created a partner with two endpoints"];

  test("shows everything where the width is unlimited", () => {
    expect(fittedTable(columns, [row], Number.POSITIVE_INFINITY).split("\n")).toEqual([
      "ID    NAME                        DAY         CALLS  CHANGE",
      "ID_1  Acme Insurance of New York  2026-01-01      7  created a partner with two endpoints",
    ]);
  });

  test("leaves columns out, and shortens and wraps texts, but never breaks a word", () => {
    expect(fittedTable(columns, [row, ["ID_2", "B", "-", null, "x"]], 58).split("\n")).toEqual([
      "ID    NAME           CALLS  CHANGE",
      "ID_1  Acme Insuran…      7  created a partner with two",
      "                            endpoints",
      "ID_2  B                  -  x",
    ]);
  });

  test("of labels continues a long value below its start", () => {
    expect(
      labeledLines(
        [
          ["State", "paused since Monday"],
          ["Name", null],
        ],
        20,
      ),
    ).toBe("State  paused since\n       Monday\nName   -");
  });
});

test("statuses that need attention are colored, and names that contain them are not", () => {
  const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
  const yellow = (text: string) => `\u001b[33m${text}\u001b[39m`;
  expect(coloredText("Warning  Last backup: none\nFailed   Key: wrong\nOK       Failed States Ltd.")).toBe(
    `${yellow("Warning")}  Last backup: none\n${red("Failed")}   Key: wrong\nOK       Failed States Ltd.`,
  );
  expect(coloredText("Score 0.91, CRITICAL: 53%; was WARNING")).toBe(
    `Score 0.91, ${red("CRITICAL")}: 53%; was ${yellow("WARNING")}`,
  );
  expect(coloredText("WH_1  component.critical  failed HTTP 500")).toBe(
    `WH_1  component.critical  ${red("failed")} HTTP 500`,
  );
});

describe("in a terminal of 80 columns", () => {
  const place = mkdtempSync(join(tmpdir(), "mainstay-tables-"));
  afterAll(() => rmSync(place, { recursive: true }));
  let partnerId: string;

  async function run(...argv: string[]): Promise<string> {
    let stdout = "";
    await runCommandLine(argv, {
      stdout: {
        write(text) {
          stdout += text;
        },
      },
      stderr: { write: () => {} },
      logLines: { write: () => {} },
      env: {},
      cwd: place,
      root: place,
      isTty: false,
      columns: WIDTH,
      tableWidth: WIDTH,
      now: Date.now,
      random: (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
      guard: () => {},
      betweenSteps: (yieldNow) => yieldNow,
    });
    return stdout;
  }

  beforeAll(async () => {
    await run("init");
    const url = "http://127.0.0.1:9/hooks/of/the/partner/with/a/very/long/path";
    const created = await run("partner", "create", LONG, "--webhook-url", url, "--json");
    partnerId = JSON.parse(created).partner_id;
    const csv = join(place, "properties.csv");
    writeFileSync(csv, `partner_property_id,name,address,state,unit_count\nE1,"${LONG}",1 Elm St,NY,8\n`);
    await run("import", "--partner", partnerId, "--properties", csv);
    const plan = JSON.parse(await run("plan", "--partner", partnerId, "--format", "json"));
    const [{ property_id: id }] = plan.portfolio;
    await run("embed", "create", id, "--label", LONG, "--recipient", LONG);
    await run("partner", "webhook-test", partnerId, "--message", "Hello");
    await run("admin", "create", LONG);
  });

  test.each([
    ["audit"],
    ["embed list"],
    ["deliveries list"],
    ["deliveries failures"],
    ["doctor"],
    ["partner show PARTNER"],
    ["partner list"],
    ["partner usage"],
    ["admin list"],
    ["plan --partner PARTNER"],
  ])("`%s` fits", async (line) => {
    const printed = await run(...line.split(" ").map((word) => (word === "PARTNER" ? partnerId : word)));
    expect(printed).not.toBe("");
    // A single word, such as a path, is never broken.
    const tooLong = printed.split("\n").filter((row) => row.length > WIDTH && / /.test(row.trim().slice(11)));
    expect(tooLong).toEqual([]);
    expect(printed).not.toMatch(/\b[a-z]+_[a-z_]+(?=[:"])|\b(true|null)\b|\.\d{3}Z/);
  });
});
