import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/command-line-program.ts";
import { coloredTerminalText } from "../../src/cli/terminal/terminal-colored-text.ts";
import { terminalOutputWidths } from "../../src/cli/terminal/terminal-output-widths.ts";
import { terminalPartnerText } from "../../src/cli/terminal/terminal-partner-text.ts";
import { terminalLabeledLines, terminalTable } from "../../src/cli/terminal/terminal-table.ts";

const WIDTH = 80;
const ERROR = "connection refused by the endpoint";
const FIRST_AT = Date.parse("2026-01-02T03:04:05.678Z");
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

  test("shows everything where the width is unlimited, except what does not apply", () => {
    const unused = { heading: "IN BUDGET", from: Infinity };
    expect(terminalTable([unused, ...columns], [["", ...row]], Number.POSITIVE_INFINITY).split("\n")).toEqual(
      [
        "ID    NAME                        DAY         CALLS  CHANGE",
        "ID_1  Acme Insurance of New York  2026-01-01      7  created a partner with two endpoints",
      ],
    );
  });

  test("leaves columns out, and shortens and wraps texts, but never breaks a word", () => {
    expect(terminalTable(columns, [row, ["ID_2", "B", "-", null, "x"]], 58).split("\n")).toEqual([
      "ID    NAME           CALLS  CHANGE",
      "ID_1  Acme Insuran…      7  created a partner with two",
      "                            endpoints",
      "ID_2  B                  -  x",
    ]);
  });

  test("shares the width among several long texts, and continues a text in narrow lines at the end", () => {
    const long = [
      { heading: "ID" },
      { heading: "NAME", shrinks: true },
      { heading: "URL", shrinks: true },
      { heading: "ERROR", wraps: true },
    ];
    const row = ["ID_1", "Acme Insurance of New York", "http://host/path/to/hook", "connection was refused"];
    expect(terminalTable(long, [row], 57).split("\n")[1]).toBe(
      "ID_1  Acme Insuran…  http://host…  connection was refused",
    );
    expect(terminalTable(long, [row], 38).split("\n").slice(1)).toEqual([
      "ID_1  Acme In…  http://…  connection",
      "                          was refused",
    ]);
  });

  test("has any number of rows, such as the days of many partners", () => {
    expect(terminalTable(["ID"], Array<string[]>(700_000).fill(["P"]), WIDTH)).toHaveLength(2 + 700_000 * 2);
  });

  test("of labels continues a long value below its start", () => {
    expect(
      terminalLabeledLines(
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
  expect(
    coloredTerminalText("Warning  Last backup: none\nFailed   Key: wrong\nOK       Failed States Ltd."),
  ).toBe(
    `${yellow("Warning")}  Last backup: none\n${red("Failed")}   Key: wrong\nOK       Failed States Ltd.`,
  );
  expect(coloredTerminalText("Score 0.91, CRITICAL: 53%; was WARNING")).toBe(
    `Score 0.91, ${red("CRITICAL")}: 53%; was ${yellow("WARNING")}`,
  );
  expect(coloredTerminalText("WH_1  component.critical  failed HTTP 500")).toBe(
    `WH_1  component.critical  ${red("failed")} HTTP 500`,
  );
  expect(coloredTerminalText("Status        failed\nRequest       failed")).toBe(
    `Status        ${red("failed")}\nRequest       ${red("failed")}`,
  );
});

test("tables are as wide as the terminal, and unlimited in one of unknown width", () => {
  expect(terminalOutputWidths(80)).toEqual({ columns: 80, tableWidth: 80 });
  for (const unknown of [0, undefined])
    expect(terminalOutputWidths(unknown)).toEqual({ columns: 100, tableWidth: Number.POSITIVE_INFINITY });
});

test("one property, appliance or component is not named in the plural", () => {
  const counts = { properties: 1, appliances: 1, components: 1200 };
  const none = { webhook_url: null, deliveries_pending: 0, deliveries_failed: 0, photo_bytes: 0 };
  const record = { created_at: "2026-01-01T00:00:00.000Z", daily_budget: 0, ...counts, ...none };
  expect(terminalPartnerText(record as Parameters<typeof terminalPartnerText>[0], WIDTH)).toMatch(
    /^Portfolio +1 property, 1 appliance, 1,200 components$/m,
  );
});

describe("in a terminal", () => {
  const place = mkdtempSync(join(tmpdir(), "mainstay-tables-"));
  afterAll(() => rmSync(place, { recursive: true }));
  let partnerId: string;
  let deliveryId: string;
  let embedId: string;
  let propertyId: string;

  const run = (...argv: string[]) => runAt(WIDTH, ...argv);

  async function runAt(width: number, ...argv: string[]): Promise<string> {
    let stdout = "";
    const output = {
      write(text: string) {
        stdout += text;
      },
    };
    await runCommandLine(argv, {
      stdout: output,
      texts: output,
      stderr: { write: () => {} },
      logLines: { write: () => {} },
      env: {},
      cwd: place,
      root: place,
      isTty: false,
      ...terminalOutputWidths(width),
      now: Date.now,
      random: (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
      guard: () => {},
      betweenSteps: (yieldNow) => yieldNow,
      lowerPriority: () => {},
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
    propertyId = plan.portfolio[0].property_id;
    const shared = ["--label", LONG, "--recipient", LONG, "--expires", "30", "--json"];
    embedId = JSON.parse(await run("embed", "create", propertyId, ...shared)).embed_id;
    deliveryId = JSON.parse(await run("partner", "webhook-test", partnerId, "--json")).id;
    await run("admin", "create", LONG);
    const database = new Database(join(place, "data/mainstay.db"));
    database.run("UPDATE webhook_deliveries SET status = 'failed', attempts = 2, last_error = ?", [ERROR]);
    for (const [attempt, at] of [FIRST_AT, FIRST_AT + 5000].entries())
      database.run("INSERT INTO webhook_attempts VALUES (?, ?, ?, 10, 500, ?, '127.0.0.1', '')", [
        ...[deliveryId, attempt + 1, at, ERROR],
      ]);
    database.run("UPDATE embeds SET recent_views = ?", [
      JSON.stringify([{ viewedAt: FIRST_AT, address: "127.0.0.1" }]),
    ]);
    database.close();
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
    ["embed views EMBED"],
  ])("of 80 columns `%s` fits", async (line) => {
    const ids: Record<string, string> = { PARTNER: partnerId, EMBED: embedId };
    const printed = await run(...line.split(" ").map((word) => ids[word] ?? word));
    expect(printed).not.toBe("");
    // A single word, such as a path, is never broken.
    const tooLong = printed.split("\n").filter((row) => row.length > WIDTH && / /.test(row.trim().slice(11)));
    expect(tooLong).toEqual([]);
    expect(printed).not.toMatch(/\b[a-z]+_[a-z_]+(?=[:"])|\b(true|null)\b|\.\d{3}Z/);
  });

  test("of 80 columns each row has its own ID, and what the next command needs", async () => {
    const partner = partnerId;
    for (const command of ["partner list", "partner usage", "deliveries failures"])
      expect(await run(...command.split(" "))).toContain(partner);
    expect(await run("deliveries", "list")).toMatch(
      new RegExp(
        `^${deliveryId}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  failed +Consol.*…  connec.*…$`,
        "m",
      ),
    );
    expect((await run("deliveries", "failures")).replace(/\s+/g, " ")).toContain(`${partner} connection`);
    const embeds = await run("embed", "list");
    expect(embeds).toMatch(
      new RegExp(`^${embedId}  active  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  +Consolid`, "m"),
    );
    expect(await run("admin", "list")).toMatch(/^ADM_[0-9a-z]{26} /m);
  });

  test("of more columns the IDs of properties and partners are listed too", async () => {
    expect(await runAt(100, "embed", "list")).toContain(`  ${propertyId}`);
    expect(await runAt(140, "deliveries", "list")).toContain(`  ${partnerId}`);
    expect(await runAt(120, "deliveries", "failures")).toContain(`  ${partnerId}  Consolidated`);
  });

  test("times that tell an order have seconds; a file or a pipe receives them in full", async () => {
    for (const line of [`deliveries show ${deliveryId}`, `embed views ${embedId}`])
      expect(await run(...line.split(" "))).toMatch(/ ?2026-01-02 03:04:05 {2}/);
    const shown = await run("deliveries", "show", deliveryId);
    expect(shown).toMatch(/^Created +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
    expect(shown).toContain(
      "2  2026-01-02 03:04:10  500     127.0.0.1  connection refused by the endpoint\n",
    );
    expect(await run("audit")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/m);
    for (const line of ["audit", "deliveries list", `embed views ${embedId}`, `partner show ${partnerId}`])
      expect(await runAt(0, ...line.split(" "))).toMatch(
        /(^|\s)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(\s|$)/m,
      );
    expect(await runAt(0, "deliveries", "show", deliveryId)).toContain("  2026-01-02T03:04:10.678Z  ");
  });

  test("tables within texts have all columns in a file or a pipe, and running text has lines", async () => {
    const [narrow, wide] = [await run("losses"), await runAt(0, "losses")];
    for (const text of [narrow, wide]) expect(text).toContain("WITH MODEL ERROR");
    for (const line of wide.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });
});
