import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DELIVERED_ENVIRONMENT, EXECUTABLE } from "../support/executable.ts";
import { type Installation, type Outcome, runMainstay, useMainstay } from "../support/mainstay.ts";
import { addProperty } from "../support/portfolio.ts";
import { describeOnSqlite, testOnSqlite } from "../support/postgres.ts";

const { serve, install } = useMainstay();

/** Starts a server, which must fail. */
const refused = async (installation: Installation, ...args: string[]): Promise<Outcome> => {
  const outcome = await installation.run("serve", "--port", "0", ...args);
  expect(outcome.code).toBe(1);
  return outcome;
};
const databaseOf = ({ dataDir }: Installation) => join(dataDir, "mainstay.db");

describe("a server does not start", () => {
  // Rule: bad-settings
  test("with a misspelled setting, and reports its line and a suggestion", async () => {
    const installation = install({ server: { prot: 8080 }, limits: { daily_budgte: 1 } });
    const { stderr } = await refused(installation);
    expect(stderr).toContain("2 problems in the configuration:");
    expect(stderr).toMatch(/mainstay\.toml:\d+/);
    expect(stderr).toMatch(/server\.prot: .*did you mean "server\.port"\?/);
    expect(stderr).toMatch(/limits\.daily_budgte: .*did you mean "limits\.daily_budget"\?/);
  });

  // Rule: bad-settings
  test("with a value of the wrong type or out of range", async () => {
    const installation = install({ limits: { daily_budget: "many" }, webhooks: { timeout_ms: 1 } });
    const { stderr } = await refused(installation);
    expect(stderr).toContain("limits.daily_budget");
    expect(stderr).toContain("webhooks.timeout_ms");
  });

  test("on a port in use by another program, and names the setting", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as { port: number };
    const installation = install({ admin: { listen: "127.0.0.1:0" } });
    const { code, stderr } = await installation.run("serve", "--port", String(port));
    blocker.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`the address 127.0.0.1:${port} is in use`);
  });

  test("on a port in use by another Mainstay, with which it would share requests", async () => {
    const first = await serve();
    const { port } = new URL(first.url);
    const { code, stderr } = await install({ admin: { listen: "127.0.0.1:0" } }).run("serve", "--port", port);
    expect(code).toBe(1);
    expect(stderr).toContain(`the address 127.0.0.1:${port} is in use`);
    await first.stop();
  });

  test("on an administration port in use by another program, and leaves nothing listening", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as { port: number };
    const installation = install({ server: { port: 0 }, admin: { listen: `127.0.0.1:${port}` } });
    const { code, stderr } = await installation.run("serve");
    blocker.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`the address 127.0.0.1:${port} is in use`);
  });

  // Rule: second-server
  testOnSqlite("on a data folder that another server serves, which continues undisturbed", async () => {
    const server = await serve();
    const client = server.as(await server.createPartner());
    const { stderr } = await refused(server);
    expect(stderr).toContain(
      `another Mainstay server is already running on the data folder ${server.dataDir}`,
    );
    await addProperty(client);
    await server.stop();
  });

  test.each([
    ["is a file", (path: string) => writeFileSync(path, "mine")],
    [
      "is in a file",
      (path: string) => {
        rmSync(join(path, ".."), { recursive: true });
        writeFileSync(join(path, ".."), "mine");
      },
    ],
  ])("on a data folder that %s", async (_, occupy) => {
    const installation = install();
    const path = join(installation.folder, "occupied", "data");
    mkdirSync(join(path, ".."));
    occupy(path);
    const { code, stderr } = await runMainstay(["serve", "--port", "0", "--data-dir", path]);
    expect(code).toBe(1);
    expect(stderr).toContain(path);
    expect(stderr).not.toContain("This is a bug in Mainstay");
  });

  test("without the key that encrypted its secrets", async () => {
    const installation = install();
    await installation.createPartner();
    rmSync(join(installation.dataDir, "mainstay.key"));
    const { stderr } = await refused(installation);
    expect(stderr).toContain("mainstay.key");
    expect(stderr).not.toContain("This is a bug in Mainstay");
    expect(readdirSync(installation.dataDir)).not.toContain("mainstay.key");
  });

  testOnSqlite(
    "with another key than the one that encrypted its secrets, until they are replaced",
    async () => {
      const installation = install();
      const partner = await installation.createPartner();
      writeFileSync(
        join(installation.dataDir, "mainstay.key"),
        `mainstay-key-v1:${Buffer.alloc(32).toString("base64url")}\n`,
      );
      const { stderr } = await refused(installation);
      expect(stderr).toContain("a stored secret cannot be decrypted with this key");
      await installation.run("partner", "rotate-webhook-secret", partner.partner_id);
      await installation.start();
      await installation.stop();
    },
  );
});

testOnSqlite(
  "a server starts again in its process with settings of the engine, unless it has some",
  async () => {
    const { configFile, dataDir, folder } = install();
    const settingsOf = async (env: Record<string, string>) => {
      const args = ["serve", "--port", "0", "--config", configFile, "--data-dir", dataDir];
      const server = Bun.spawn([EXECUTABLE, ...args], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "ignore"],
      });
      await server.stdout.getReader().read(); // its first log line
      const environment = readFileSync(`/proc/${server.pid}/environ`, "utf8").split("\0");
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
      return environment.filter((line) => line.startsWith("BUN_JSC_"));
    };
    expect(await settingsOf(DELIVERED_ENVIRONMENT)).toEqual([
      "BUN_JSC_thresholdForFTLOptimizeAfterWarmUp=1000000",
      "BUN_JSC_thresholdForFTLOptimizeSoon=10000",
    ]);
    expect(await settingsOf({ ...DELIVERED_ENVIRONMENT, BUN_JSC_useFTLJIT: "0" })).toEqual([
      "BUN_JSC_useFTLJIT=0",
    ]);
  },
);

describeOnSqlite("a folder whose database is missing is not treated as a new installation", () => {
  const made = install();
  beforeAll(async () => {
    await made.createPartner();
  });
  const everythingIn = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((name) => [name, statSync(join(folder, name)).mtimeMs, statSync(join(folder, name)).size]);

  // Rule: damage-rejected
  test.each([
    ["missing", "a key file", (file: string) => rmSync(file), "mainstay.key"],
    ["empty", "a key file", (file: string) => writeFileSync(file, ""), "mainstay.key"],
    [
      "missing",
      "a write-ahead log",
      (file: string) => {
        rmSync(file);
        rmSync(join(file, "../mainstay.key"));
        writeFileSync(`${file}-wal`, "pages");
      },
      "mainstay.db-wal",
    ],
    [
      "empty",
      "photos",
      (file: string) => {
        writeFileSync(file, "");
        rmSync(join(file, "../mainstay.key"));
        mkdirSync(join(file, "../uploads"));
        writeFileSync(join(file, "../uploads/a.jpg"), "picture");
      },
      "uploads with files",
    ],
  ])("a database that is %s beside %s is rejected, and nothing is changed", async (state, _, act, found) => {
    const installation = install();
    cpSync(made.dataDir, installation.dataDir, { recursive: true });
    act(databaseOf(installation));
    const before = everythingIn(installation.dataDir);
    for (const command of [
      ["serve", "--port", "0"],
      ["demo"],
      ["partner", "list"],
      ["snapshot"],
      ["backup", "now"],
    ]) {
      const { code, stdout, stderr } = await installation.run(...command);
      expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: "" });
      expect(stderr).toContain(`${databaseOf(installation)} is ${state}`);
      expect(stderr).toContain(found);
    }
    const config = join(installation.folder, "by-init.toml");
    const { code } = await runMainstay(["init", "--config", config, "--data-dir", installation.dataDir]);
    expect(code).toBe(1);
    expect((await installation.run("doctor")).stdout).toContain(found);
    expect(everythingIn(installation.dataDir)).toEqual(before);
  });

  test("an interrupted creation of a database is completed", async () => {
    const installation = install();
    cpSync(made.dataDir, installation.dataDir, { recursive: true });
    rmSync(join(installation.dataDir, "mainstay.key"));
    const db = new Database(databaseOf(installation));
    db.run("DELETE FROM webhook_receivers");
    db.close(true);
    await installation.start();
    expect(readdirSync(installation.dataDir)).toContain("mainstay.key");
    const empty = install();
    mkdirSync(empty.dataDir, { mode: 0o700 });
    writeFileSync(databaseOf(empty), "");
    await empty.start();
  });
});

// Rule: installation-creation
describeOnSqlite("a command in a folder without an installation", () => {
  const COMMANDS = [
    ["partner", "list"],
    ["partner", "create", "Acme"],
    ["migrate"],
    ["snapshot"],
    ["deliveries", "list"],
    ["admin", "list"],
    ["audit"],
    ["import", "--partner", "PARTNER_x", "--properties", "properties.csv"],
    ["export", "--partner", "PARTNER_x"],
    ["backup", "now.backup"],
  ];
  test.each(COMMANDS.map((command) => [command]))(
    "%p creates none, and names the folder",
    async (command) => {
      const installation = install();
      writeFileSync(join(installation.folder, "properties.csv"), "name,address,state\n");
      const { code, stdout, stderr } = await installation.run(...command);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toStartWith(
        `mainstay: no installation in ${installation.dataDir}: mainstay.db not found\n`,
      );
      expect(stderr).toContain(`Using configuration ${installation.configFile}.`);
      expect(stderr).toContain("mainstay init");
      expect(readdirSync(installation.folder).toSorted()).toEqual(["mainstay.toml", "properties.csv"]);
    },
  );
});

describeOnSqlite("a database that is not for this executable is rejected and left byte for byte", () => {
  const made = install();
  beforeAll(async () => {
    await made.createPartner();
  });

  /** Creates an installation with a key and a modified database. */
  function doctored(act: (file: string) => void): Installation {
    const installation = install();
    cpSync(made.dataDir, installation.dataDir, { recursive: true });
    act(databaseOf(installation));
    return installation;
  }
  function change(file: string, sql: string): void {
    const db = new Database(file);
    db.run(sql);
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close(true);
  }
  async function expectUntouched(
    installation: Installation,
    complaint: string,
    command = ["serve", "--port", "0"],
  ) {
    const before = readFileSync(databaseOf(installation));
    const { code, stderr } = await installation.run(...command);
    expect(code).toBe(1);
    expect(stderr).toContain(complaint);
    expect(stderr).not.toContain("This is a bug in Mainstay");
    expect(readFileSync(databaseOf(installation)).equals(before)).toBe(true);
  }

  test("of a newer version, by the server and by a command", async () => {
    const newer = doctored((file) =>
      change(
        file,
        "INSERT INTO schema_migrations (number, name, sha256, applied_at) VALUES (999, 'later', 'x', 0)",
      ),
    );
    await expectUntouched(newer, "was written by a newer version of Mainstay");
    await expectUntouched(newer, "was written by a newer version of Mainstay", ["partner", "list"]);
  });

  test("with another text of a migration", async () => {
    const edited = doctored((file) =>
      change(file, "UPDATE schema_migrations SET sha256 = 'edited' WHERE number = 1"),
    );
    await expectUntouched(edited, "was created with a different text of migration 1");
  });

  test("of another program", async () => {
    const foreign = doctored((file) => {
      rmSync(file);
      change(file, "CREATE TABLE songs (title TEXT)");
    });
    await expectUntouched(foreign, "is a SQLite database of another program");
  });

  test.each([
    ["text", "not a database, ".repeat(100)],
    ["one byte", "x"],
  ])("a file of %s", async (_, content) => {
    const none = doctored((file) => writeFileSync(file, content));
    await expectUntouched(none, "is no SQLite database");
  });
});

describe("the working directory", () => {
  const hostile = {
    ".env": "MAINSTAY_SERVER__HOST=203.0.113.1\nMAINSTAY_LOG__LEVEL=silent\n",
    ".env.production": "MAINSTAY_LOG__LEVEL=silent\n",
    "bunfig.toml": 'preload = ["./preload.ts"]\n[serve]\nport = 1\n',
    "preload.ts": 'require("node:fs").writeFileSync("preloaded", ""); process.exit(66);\n',
    "package.json": '{"main": "preload.ts"}',
    "tsconfig.json": "{",
  };

  // Rule: no-env-files
  test("has no effect with .env or bunfig.toml", async () => {
    const installation = install();
    for (const [name, text] of Object.entries(hostile)) writeFileSync(join(installation.folder, name), text);
    await installation.start({ cwd: installation.folder });
    expect(installation.url).toStartWith("http://127.0.0.1:");
    await installation.anonymous.get("/health");
    await installation.stop();
    expect(readdirSync(installation.folder)).not.toContain("preloaded");
  });

  // Rule: base-path-setting
  test("is searched for mainstay.toml, which the environment overrides", async () => {
    const installation = install({ server: { base_path: "/from-the-file" } });
    await installation.start({ env: { MAINSTAY_LOG__LEVEL: "debug", MAINSTAY_SERVER__BASE_PATH: "/risk" } });
    await installation.anonymous.get("/risk/health");
    await installation.anonymous.ask("GET", "/from-the-file/health", 404);
  });
});

// Rule: port-0
test("a server listens on free ports, also for administration, and logs them", async () => {
  const [first, second] = [await serve(), await serve()];
  const urls = [first.url, first.adminUrl, second.url, second.adminUrl];
  expect(new Set(urls).size).toBe(4);
  expect(first.log.find((line) => line.msg === "listening")).toMatchObject({
    level: "info",
    version: expect.any(String),
    commit: expect.any(String),
  });
});

test("a server restarted on its folder has the same data", async () => {
  const server = await serve();
  const client = server.as(await server.createPartner());
  const { warnings, ...property } = await addProperty(client, { unit_count: 3 });
  expect(warnings).toEqual([]);
  await server.stop();
  await server.start();
  expect((await client.get(`/v1/properties/${property.id}`)).body).toEqual(property);
});
