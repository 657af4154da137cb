import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { ENVIRONMENT, EXECUTABLE } from "../support/executable.ts";
import { type Installation, runMainstay, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { testOnSqlite } from "../support/postgres.ts";

const { serve, install, folder } = useMainstay();

/** Printed after the output of a command in a terminal. */
const END = "\u0004";

/** Returns the output of a command in a terminal of that many columns. */
async function inTerminal(
  installation: Installation,
  { columns, NO_COLOR = "" }: { columns: number; NO_COLOR?: string },
  ...args: string[]
): Promise<string> {
  const { configFile, dataDir } = installation;
  const decoder = new TextDecoder();
  let output = "";
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  await using terminal = new Bun.Terminal({
    data(_terminal, bytes) {
      output += decoder.decode(bytes, { stream: true });
      if (output.includes(END)) end();
    },
  });
  const program = [EXECUTABLE, ...args, "--config", configFile, "--data-dir", dataDir];
  // The program may exit before its output has been read.
  const child = Bun.spawn(["sh", "-c", `stty cols ${columns} && "$@"; printf '\\004'`, "sh", ...program], {
    env: { ...ENVIRONMENT, TERM: "xterm", NO_COLOR },
    terminal,
  });
  await Promise.all([ended, child.exited]);
  return output.slice(0, output.indexOf(END)).replaceAll("\r\n", "\n");
}

describe("every command", () => {
  test("ends quietly once its terminal is lost", async () => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const terminal = new Bun.Terminal({ data: () => start() });
    // Under nohup, which ignores the signal of the loss, the command writes to a terminal that is gone.
    const script = `trap "" HUP; echo started; read line; exec ${EXECUTABLE} --help`;
    const child = Bun.spawn(["sh", "-c", script], { env: ENVIRONMENT, terminal });
    await started;
    terminal.close();
    expect(await child.exited).toBe(129);
  });

  // Rule: command-form
  test("has a --help that works without an installation", async () => {
    const { code, stdout, stderr } = await runMainstay(["partner", "create", "--help"], { cwd: folder() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toStartWith("Usage: mainstay partner create [options] <name>");
    for (const option of ["--webhook-url <URL>", "--daily-budget <CALLS>", "--config <FILE>", "--json"])
      expect(stdout).toContain(option);
  });

  // Rule: command-form, misspelled-command
  test.each([
    [["serve", "--prot", "1"], "unknown option '--prot'", "Did you mean --port?"],
    [["partner", "craete", "X"], "unknown command 'craete'", "Did you mean create?"],
    [["partner", "create"], "missing required argument 'name'", "See: mainstay partner create --help"],
    [["partner", "create", "X", "--daily-budget", "-1"], "--daily-budget", "expected a whole number"],
  ])("rejects %p as incorrect usage, with a suggestion", async (args, complaint, suggestion) => {
    const { code, stdout, stderr } = await runMainstay(args, { cwd: folder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(complaint);
    expect(stderr).toContain(suggestion);
  });

  // test/cli/refusals.test.ts tests groups and all other kinds of incorrect usage.
  test("in the help rejects an unknown option, in JSON if requested, and writes nothing", async () => {
    const cwd = folder();
    const [, list = ""] = (await runMainstay(["help"])).stdout.split("\nCommands:\n");
    const names = [...list.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(15);
    // Two at a time, to leave CPU time for other tests.
    for (let at = 0; at < names.length; at += 2)
      await Promise.all(
        names.slice(at, at + 2).map(async (name) => {
          const { code, stdout, stderr } = await runMainstay([name, "--no-such-option", "--json"], { cwd });
          expect({ name, code, stdout }).toEqual({ name, code: 2, stdout: "" });
          expect(JSON.parse(stderr)).toEqual({
            error: "unknown option '--no-such-option'",
            hint: `See: mainstay ${name} --help`,
          });
        }),
      );
    expect(readdirSync(cwd)).toEqual([]);
  });

  // Rule: command-form
  test("prints no control characters of names and files, which a terminal would run", async () => {
    const installation = install();
    const { partner_id } = await installation.createPartner("Acme\u009b31m");
    const file = join(folder(), "events.csv");
    const spoofed = '"\u001b[2JX\nImported: all rows\u009b"';
    writeFileSync(
      file,
      `partner_property_id,serial,event_type,date,a\u001b]0;b\u0007\n${spoofed},S,Repair,2026-01-01,\n`,
    );
    const outcomes = [
      await installation.run("partner", "list"),
      await installation.run("partner", "show", partner_id),
      await installation.run("partner", "show", "\u001b[31m"),
      await installation.run("import", "--partner", partner_id, "--service-events", file),
      await installation.run("import", "--partner", partner_id, "--service-events", "\u001b[31m"),
    ];
    for (const { stdout, stderr } of outcomes) expect(stdout + stderr).not.toMatch(/(?![\t\n])\p{Cc}/u);
    expect(outcomes[0]!.stdout).toContain("Acme\ufffd31m");
    expect(outcomes[3]!.stderr).toContain("Property not found: \ufffd[2JX Imported: all rows\ufffd");
    // JSON has the exact text.
    const { stdout } = await installation.run("partner", "show", partner_id, "--json");
    expect(JSON.parse(stdout).name).toBe("Acme\u009b31m");
  });

  // Rule: command-form
  test("colors what needs attention only in texts for people in a terminal", async () => {
    const installation = install();
    const name = `WARNING ${"and so on ".repeat(12)}`.trim();
    await installation.createPartner(name);
    const terminal = { columns: 80 };
    const list = await inTerminal(installation, terminal, "partner", "list");
    expect(list).toContain("  \u001b[33mWARNING\u001b[39m and so on");
    expect(list).toMatch(/ so…$/m);
    const withoutSize = { columns: 0, NO_COLOR: "1" };
    expect(await inTerminal(installation, withoutSize, "partner", "list")).toContain(`  ${name}\n`);
    const json = JSON.parse(await inTerminal(installation, terminal, "partner", "list", "--json"));
    expect(json).toMatchObject({ partners: [{ name }] });
    const csv = await inTerminal(installation, terminal, "partner", "usage", "--csv");
    expect(csv).toEndWith(`,${name}\n`);
    expect((await installation.run("partner", "list")).stdout).toContain(`  ${name}\n`);
  });

  // Rule: command-form
  test("reports errors as JSON on standard error with --json", async () => {
    const installation = install();
    await installation.init();
    const { code, stdout, stderr } = await installation.run("partner", "show", "PARTNER_1", "--json");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      error: "partner not found: PARTNER_1",
      hint: "Run `mainstay partner list` to see all.",
    });
  });
});

// Rule: commands
test("every documented command exists", async () => {
  const listed = async (...group: string[]) => {
    const { stdout } = await runMainstay([...group, "--help"], { cwd: folder() });
    const commands = stdout.slice(stdout.indexOf("Commands:"));
    return [...commands.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name!);
  };
  const [all, partner, admin] = await Promise.all([listed(), listed("partner"), listed("admin")]);
  expect(all).toEqual(
    expect.arrayContaining([
      ...["init", "serve", "migrate", "snapshot", "partner", "admin", "import", "export", "backup"],
      ...["restore", "doctor", "openapi", "demo", "version"],
    ]),
  );
  expect(partner).toEqual(
    expect.arrayContaining([
      ...[
        "create",
        "list",
        "show",
        "rename",
        "disable",
        "enable",
        "rotate-key",
        "rotate-secret",
        "set-webhook",
      ],
      ...["rotate-webhook-secret", "set-budget", "revoke-tokens"],
    ]),
  );
  expect(admin).toEqual(expect.arrayContaining(["create", "list", "revoke"]));
});

// Rule: openapi-and-version
test("version prints the release, the commit and the target", async () => {
  const { stdout } = await runMainstay(["version", "--json"]);
  expect(JSON.parse(stdout)).toEqual({
    name: "mainstay",
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    commit: expect.stringMatching(/^[0-9a-f]{12}(-modified)?$/),
    target: expect.stringContaining(process.platform),
    bun: Bun.version,
  });
});

describe("a partner's record", () => {
  // Rule: ids, key-or-token
  test("is created with all credentials in their formats", async () => {
    const partner = await install().createPartner("  Acme Insurance ");
    expect(partner).toEqual({
      partner_id: expect.stringMatching(/^PARTNER_[0-9a-hjkmnp-tv-z]{26}$/),
      name: "Acme Insurance",
      api_key: expect.stringMatching(/^svc_live_[0-9a-f]{48}$/),
      client_id: expect.any(String),
      client_secret: expect.any(String),
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });

  // Rule: credentials-issued
  test("is listed and shown with its portfolio and webhook endpoint, without secrets", async () => {
    const server = await serve();
    const url = "http://127.0.0.1:9/hook";
    const partner = await server.createPartner("Acme", "--webhook-url", url, "--daily-budget", "500");
    const client = server.as(partner);
    await addWornAppliance(client, (await addProperty(client)).id);
    const { partners } = await server.json("partner", "list");
    const shown = await server.json("partner", "show", partner.partner_id);
    const record = { partner_id: partner.partner_id, name: "Acme", enabled: true, daily_budget: 500 };
    expect(partners).toMatchObject([record]);
    expect(shown).toMatchObject({ ...record, properties: 1, appliances: 1, components: 6, webhook_url: url });
    const { api_key, client_secret, webhook_secret } = partner;
    const all = JSON.stringify([partners, shown]);
    for (const secret of [api_key, client_secret, webhook_secret]) expect(all).not.toContain(secret);
  });

  test.each(["ftp://host/x", "host/x", "http://user:pw@host/"])(
    "rejects %s as a webhook endpoint",
    async (url) => {
      const installation = install();
      await installation.init();
      const { code, stderr } = await installation.run("partner", "create", "Acme", "--webhook-url", url);
      expect(code).toBe(1);
      expect(stderr).toContain("absolute http or https URL");
    },
  );

  test.each(["", " ", "two\nlines", "x".repeat(501)])(
    "rejects the name %j, also for administrators",
    async (name) => {
      const installation = install();
      await installation.init();
      for (const kind of ["partner", "admin"]) {
        const { code, stderr } = await installation.run(kind, "create", name);
        expect(code).toBe(1);
        expect(stderr).toContain("name must be one line of 1 to 500 characters");
      }
    },
  );

  test("rejects an unknown event, and a URL together with --off", async () => {
    const installation = install();
    const { partner_id } = await installation.createPartner();
    const setWebhook = (...args: string[]) => installation.run("partner", "set-webhook", partner_id, ...args);
    expect((await setWebhook("http://127.0.0.1:9/", "--event", "component.lost")).stderr).toContain(
      'unknown event "component.lost"',
    );
    expect((await setWebhook("http://127.0.0.1:9/", "--off")).code).not.toBe(0);
    expect((await setWebhook()).code).not.toBe(0);
  });
});

describe("beside a running server", () => {
  let server: Installation;
  beforeAll(async () => {
    server = await serve();
  });

  test("a new partner can call the API immediately", async () => {
    await server.as(await server.createPartner("New")).get("/v1/ping");
  });

  // Rule: key-rotated
  test("rotating a key revokes the previous one immediately, however recently it was used", async () => {
    const partner = await server.createPartner("Acme");
    await server.as(partner).get("/v1/ping");
    const rotated = await server.json("partner", "rotate-key", partner.partner_id);
    expect(rotated.partner_id).toBe(partner.partner_id);
    await server.as(partner).ask("GET", "/v1/ping", 401);
    await server.as({ api_key: rotated.api_key }).get("/v1/ping");
    await (await server.withToken(partner)).get("/v1/ping");
  });

  test("rotating a client secret revokes the previous one immediately, and its tokens when they are revoked", async () => {
    const partner = await server.createPartner("Acme");
    const before = await server.withToken(partner);
    const rotated = await server.json("partner", "rotate-secret", partner.partner_id);
    expect(rotated).toEqual({
      partner_id: partner.partner_id,
      client_id: partner.client_id,
      client_secret: expect.stringMatching(/^svc_secret_[0-9a-f]+$/),
    });
    const credentials = { grant_type: "client_credentials", client_id: partner.client_id };
    const ask = (client_secret: string, status: number) =>
      server.anonymous.post("/oauth/token", { ...credentials, client_secret }, status);
    expect((await ask(partner.client_secret, 401)).body.error).toBe("invalid_client");
    await ask(rotated.client_secret, 200);
    await before.get("/v1/ping");
    await server.as(partner).get("/v1/ping");
    await server.json("partner", "revoke-tokens", partner.partner_id);
    await before.ask("GET", "/v1/ping", 401);
    await (await server.withToken({ ...partner, ...rotated })).get("/v1/ping");
  });

  // Rule: commands-beside-server
  test("commands and requests write concurrently without losing data", async () => {
    const client = server.as(await server.createPartner("Busy"));
    const before = (await server.json("partner", "list")).partners.length;
    let isRunning = true;
    let written = 0;
    const writing = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (; isRunning; written++) await addProperty(client);
      }),
    );
    await Promise.all(["A", "B", "C", "D"].map((name) => server.createPartner(name)));
    isRunning = false;
    await writing;
    expect((await server.json("partner", "list")).partners).toHaveLength(before + 4);
    expect((await client.get("/v1/properties", { limit: 1 })).body.total).toBe(written);
  });
});

describe("a path of the wrong kind is an operator's error and not a bug", () => {
  const EXPLAINED =
    /\n(A file exists where a folder is expected|Part of the path is a file|The path is a folder)/;

  test("for rejected rows", async () => {
    const installation = install();
    const { partner_id } = await installation.createPartner();
    const file = join(installation.folder, "file");
    writeFileSync(file, "partner_property_id,name,address,state\nA,B,C,ZZ\n");
    const args = ["import", "--partner", partner_id, "--properties", file, "--rejects", file];
    const { code, stderr } = await installation.run(...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(EXPLAINED)]);
  });

  testOnSqlite("for a backup, and for the folder that is made of one", async () => {
    const installation = install();
    await installation.createPartner();
    const file = join(installation.folder, "file");
    writeFileSync(file, "");
    const backup = join(installation.folder, "backup");
    await installation.json("backup", backup);
    const within = { cwd: installation.folder };
    for (const args of [
      ["restore", installation.folder, "--data-dir", "new"],
      ["restore", backup, "--data-dir", join(file, "data")],
    ]) {
      const { code, stderr } = await runMainstay(args, within);
      expect([code, stderr]).toEqual([1, expect.stringMatching(EXPLAINED)]);
    }
  });
});

// Rule: init
test("init creates what serve needs", async () => {
  const cwd = folder();
  const { code, stdout } = await runMainstay(["init", "--json"], { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ config_created: true, key_created: true });
  const installation = install();
  const { code: again } = await runMainstay([
    "init",
    "--data-dir",
    installation.dataDir,
    "--config",
    `${cwd}/b.toml`,
  ]);
  expect(again).toBe(0);
  await installation.start();
  await eventually(async () => expect((await installation.anonymous.get("/health")).body.status).toBe("ok"));
});
