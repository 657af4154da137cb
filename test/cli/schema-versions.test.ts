import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCommandModule } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/command-list.ts";
import { acquireServerInstanceLock } from "../../src/server/server-instance-lock.ts";
import { POSTGRES_MIGRATIONS } from "../../src/store/postgres/postgres-migrations.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { SQLITE_MIGRATIONS } from "../../src/store/sqlite/sqlite-migrations.ts";
import { runInProcess } from "../support/command-line.ts";
import { rowsOf, usePostgres } from "../support/postgres.ts";
import { leftBy } from "../support/released-database.ts";

/* Runs every command on a database with an older schema and on one with a newer schema. */

const MIGRATING = ["init", "serve", "migrate", "move", "restore", "demo"];
/** Commands that report or copy a database of any schema version, and change nothing in it. */
const READING_ANY = ["backup", "doctor"];
const WITHOUT_DATABASE = ["healthcheck", "smoke", "openapi", "completion", "man", "version"];

/** Values of required arguments. */
const SAMPLES: Readonly<Record<string, string>> = {
  partnerId: "PARTNER_01m7xtfbnkegg9j7dstwvcm1r5",
  deliveryId: "WH_1767225600000_abcde",
  adminId: "ADM_01m7xtfbnkegg9j7dstwvcm1r5",
  componentId: "C_01m7xtfbnkegg9j7dstwvcm1r5",
  propertyId: "P_01m7xtfbnkegg9j7dstwvcm1r5",
  duplicateId: "P_01m7xtfbnkegg9j7dstwvcm2x7",
  applianceId: "A_01m7xtfbnkegg9j7dstwvcm1r5",
  claimId: "CLM_01m7xtfbnkegg9j7dstwvcm1r5",
  eventId: "SE_01m7xtfbnkegg9j7dstwvcm1r5",
  embedId: "EMB_01m7xtfbnkegg9j7dstwvcm1r5",
  recordId: "P_01m7xtfbnkegg9j7dstwvcm1r5",
  name: "Acme",
  calls: "5",
};
const PARTNER = ["--partner", SAMPLES.partnerId!];
/** The arguments and options that a command needs besides its required arguments. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  import: [...PARTNER, "--properties", "properties.csv"],
  "deliveries resend": [...PARTNER, "--from", "2026-01-01", "--to", "2026-01-02"],
  "partner set-webhook": ["http://127.0.0.1:9/"],
  "partner probe-webhook": ["--all"],
  "appliance move": ["--type", "boiler"],
  "embed update": ["--label", "Committee"],
  "claim update": ["--set", "status=closed"],
  "component update": ["--set", "override_lifespan=20"],
  "event update": ["--set", "date=2026-03-01"],
  costs: PARTNER,
  export: PARTNER,
  plan: PARTNER,
  scores: PARTNER,
};

type CommandLine = readonly string[];

async function linesOf(entry: (typeof COMMANDS)[number]): Promise<CommandLine[]> {
  const loaded = await loadCommandModule(entry);
  const commands = "commands" in loaded ? loaded.commands : [loaded];
  return commands.map((command) => {
    const path = "commands" in loaded ? [entry.name, command.name] : [command.name];
    const needed = Object.entries(command.arguments).filter(([, { presence }]) => presence === "required");
    return [...path, ...needed.map(([name]) => SAMPLES[name]!), ...(BESIDE[path.join(" ")] ?? [])];
  });
}

const EXEMPT = [...MIGRATING, ...READING_ANY, ...WITHOUT_DATABASE];
const LINES = (await Promise.all(COMMANDS.filter(({ name }) => !EXEMPT.includes(name)).map(linesOf))).flat();
LINES.push(["import", ...BESIDE.import!, "--dry-run"]);

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "mainstay-schema-"));
  writeFileSync(join(place, "properties.csv"), "name,address,state\nElm,1 Elm St,NY\n");
});
afterEach(() => rmSync(place, { recursive: true }));

const run = (argv: CommandLine, env: Record<string, string> = {}, clockOffMs = 0) =>
  runInProcess(argv, { cwd: place, env, now: () => Date.now() + clockOffMs });

/** Runs the command; expects that it fails with exit code 1 and prints only an error. */
async function refusal(line: CommandLine, env?: Record<string, string>, clockOffMs?: number) {
  const { code, stdout, stderr } = await run([...line, "--json"], env, clockOffMs);
  expect({ line, code, stdout, stderr }).toEqual({
    line,
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^\{.*\}\n$/),
  });
  return JSON.parse(stderr) as { error: string; hint: string };
}

/** Returns the hash of every file except those that SQLite creates beside an open database. */
const fingerprint = (folder: string) =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => !/-(wal|shm)$/.test(name) && statSync(join(folder, name)).isFile())
    .sort()
    .map(
      (name) =>
        `${name} ${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}`,
    );

const CURRENT = SQLITE_MIGRATIONS.at(-1)!.number;

describe("in a data folder", () => {
  const dataDir = () => join(place, "data");
  const file = () => join(dataDir(), "mainstay.db");
  const inFolder = (...line: string[]) => [...line, "--data-dir", dataDir()];
  const version = () => {
    const db = new Database(file(), { readonly: true });
    const { version } = db.query("SELECT max(number) AS version FROM schema_migrations").get() as {
      version: number;
    };
    db.close();
    return version;
  };
  const older = () => leftBy("schema-1", { dataDir: dataDir() } as never);
  const newer = async () => {
    older();
    expect((await run(inFolder("migrate"))).code).toBe(0);
    rmSync(join(dataDir(), "backups"), { recursive: true });
    const db = new Database(file());
    db.run("INSERT INTO schema_migrations VALUES (99, 'later', 'x', 0)");
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close(true);
  };

  // Rule: other-schema
  test("every other command refuses an older schema and names both versions and the remedy", async () => {
    older();
    const before = fingerprint(dataDir());
    for (const line of LINES) {
      const { error, hint } = await refusal(inFolder(...line));
      expect(error, line.join(" ")).toContain(
        `${file()} has schema version 1, and this version of Mainstay needs ${CURRENT}`,
      );
      expect(hint).toContain("`mainstay migrate`");
      expect(fingerprint(dataDir()), line.join(" ")).toEqual(before);
    }
  });

  // Rule: other-schema
  test("every other command refuses a newer schema and names both versions and the remedy", async () => {
    await newer();
    const before = fingerprint(dataDir());
    for (const line of LINES) {
      const { error, hint } = await refusal(inFolder(...line));
      expect(error, line.join(" ")).toContain(
        "was written by a newer version of Mainstay: it has migration 99",
      );
      expect(error).toContain(`this version knows ${CURRENT}`);
      expect(hint).toContain("newer executable");
      expect(fingerprint(dataDir()), line.join(" ")).toEqual(before);
    }
  });

  test("a refusal creates no key file", async () => {
    older();
    const db = new Database(file());
    db.run("DELETE FROM webhook_receivers");
    db.close(true);
    rmSync(join(dataDir(), "mainstay.key"));
    await refusal(inFolder("partner", "list"));
    expect(readdirSync(dataDir())).not.toContain("mainstay.key");
  });

  test.each(READING_ANY.map((name) => [name]))(
    "%s reads an older schema without changing it",
    async (name) => {
      older();
      const before = fingerprint(dataDir());
      const target = name === "backup" ? [join(place, "copy.backup")] : [];
      expect((await run(inFolder(name, ...target))).code).toBe(0);
      expect(fingerprint(dataDir())).toEqual(before);
    },
  );

  // Rule: other-schema
  test.each([
    ["migrate", []],
    ["init", []],
    ["move", ["--to", "postgres://nobody@127.0.0.1:9/none"]],
    ["serve", ["--port", "0"]],
  ])("%s does not migrate while a server runs on the folder", async (name, options) => {
    older();
    const server = acquireServerInstanceLock(dataDir());
    const before = fingerprint(dataDir());
    try {
      const { error, hint } = await refusal(inFolder(name, ...options));
      expect(error).toContain(
        `server is ${name === "migrate" || name === "init" ? "" : "already "}running on the data folder ${dataDir()}`,
      );
      expect(hint).toContain("Stop it");
      expect(fingerprint(dataDir())).toEqual(before);
    } finally {
      server.release();
    }
  });

  test("demo does not migrate while a server runs on the folder", async () => {
    older();
    writeFileSync(join(dataDir(), "demo.json"), "{}\n");
    const server = acquireServerInstanceLock(dataDir());
    try {
      await refusal(inFolder("demo"));
      expect(version()).toBe(1);
    } finally {
      server.release();
    }
  });

  // Rule: other-schema
  test("migrate migrates, and then reports that there is nothing to do, also while a server runs", async () => {
    older();
    expect((await run(inFolder("migrate"))).stdout).toStartWith("Applied: ");
    expect(version()).toBe(CURRENT);
    const server = acquireServerInstanceLock(dataDir());
    try {
      expect((await run(inFolder("migrate"))).stdout).toBe("The schema is up to date.\n");
      expect((await run(inFolder("partner", "list"))).code).toBe(0);
    } finally {
      server.release();
    }
  });

  test("init migrates an older schema", async () => {
    older();
    expect((await run(inFolder("init"))).code).toBe(0);
    expect(version()).toBe(CURRENT);
  });
});

describe("in PostgreSQL", () => {
  const postgres = usePostgres();
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const known = POSTGRES_MIGRATIONS.length;
  /** Returns a database as the first migration leaves it. */
  const olderDatabase = async () => {
    const url = await postgres.newDatabase();
    const { number, name, sql } = POSTGRES_MIGRATIONS[0]!;
    await rowsOf(
      url,
      `CREATE TABLE schema_migrations (number bigint PRIMARY KEY, name text, sha256 text, applied_at bigint);
       ${sql};
       INSERT INTO schema_migrations VALUES (${number}, '${name}', '${createHash("sha256").update(sql).digest("hex")}', 0)`,
    );
    return url;
  };
  const newerDatabase = async () => {
    const url = await postgres.newDatabase();
    const migrations = [
      ...POSTGRES_MIGRATIONS,
      { number: 99, name: "later", sql: "CREATE TABLE later (id int)" },
    ];
    await (await openPostgresStore(url, { clock: Date.now, random, migrations })).close();
    return url;
  };
  const ledgerOf = (url: string) => rowsOf(url, "SELECT * FROM schema_migrations ORDER BY number");

  // Rule: other-schema
  test.each([
    ["an older", olderDatabase, `has schema version 1, and this version of Mainstay needs ${known}`],
    ["a newer", newerDatabase, `it has migration 99 (later), and this version knows ${known}`],
  ])(
    "every other command refuses %s schema and names both versions and the remedy",
    async (_, newDatabase, message) => {
      const url = await newDatabase();
      const before = await ledgerOf(url);
      for (const line of LINES) {
        const { error, hint } = await refusal([...line, "--data-dir", join(place, "data")], {
          MAINSTAY_STORAGE__URL: url,
        });
        expect(error, line.join(" ")).toContain(message);
        expect(hint).toMatch(/`mainstay migrate`|newer version/);
      }
      expect(await ledgerOf(url)).toEqual(before);
      expect(readdirSync(place)).toEqual(["properties.csv"]);
    },
  );

  test("migrate migrates", async () => {
    const url = await olderDatabase();
    const env = { MAINSTAY_STORAGE__URL: url };
    expect((await run(["migrate", "--data-dir", join(place, "data")], env)).code).toBe(0);
    expect(await ledgerOf(url)).toHaveLength(known);
  });

  // Rule: command-clock
  test("a command refuses a machine whose clock is not the database's, unless what it reports depends on none", async () => {
    const env = { MAINSTAY_STORAGE__URL: await postgres.newInstallation() };
    const onDatabase = (...line: string[]) => [...line, "--data-dir", join(place, "data")];
    expect((await run(onDatabase("init", "--config", join(place, "new.toml")), env)).code).toBe(0);
    for (const [line, clockOffMs] of [
      [["snapshot"], 86_400_000],
      [["snapshot", "--discard-later"], -3_600_000],
      [["partner", "create", "Acme"], 120_000],
      [["partner", "list"], 120_000],
    ] as const) {
      const { error, hint } = await refusal(onDatabase(...line), env, clockOffMs);
      expect(error).toMatch(
        /^this machine's clock \(20.*Z\) differs from the database's \(20.*Z\) by \d+ s$/,
      );
      expect(hint).toContain("Synchronize both with NTP");
    }
    for (const line of ["servers", "audit"])
      expect((await run(onDatabase(line), env, 86_400_000)).code, line).toBe(0);
    const { stdout: diagnosis } = await run(onDatabase("doctor", "--full", "--json"), env, 86_400_000);
    expect(JSON.parse(diagnosis).checks).toContainEqual({
      name: "derived_data",
      status: "fail",
      detail: expect.stringContaining("this machine's clock"),
      remedy: expect.stringContaining("Synchronize both with NTP"),
    });
    const { stdout } = await run(onDatabase("audit", "--json"), env);
    expect(JSON.parse(stdout).entries).toEqual([]);
    expect((await run(onDatabase("partner", "list"), env, 30_000)).code).toBe(0);
  });
});
