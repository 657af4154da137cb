import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killAt, killable, untilInTime } from "../support/kill-during-work.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { operator } from "../support/operator.ts";
import { connectTo, TYPES, usePostgres } from "../support/postgres.ts";
import { KEY_FILE } from "../support/several-servers.ts";

/* Imports of one partner that are run at once, on one machine over a data folder or on two over PostgreSQL. */

const { install } = useMainstay({ inFolder: true });
const postgres = usePostgres();

/** More rows than one transaction: appliances without a serial are counted once, at the property's first row. */
const APPLIANCES = 600;

type TwoInstallations = {
  /** The installation in which the commands run. */
  here: Installation;
  there: Installation;
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Returns the number of committed appliances, as seen by another process. */
  appliances(): Promise<number>;
  /** Runs `mainstay import` for a building with identical appliances without serials. */
  args: string[];
  [Symbol.asyncDispose](): Promise<void>;
};

async function over(here: Installation, there: Installation, url?: string): Promise<TwoInstallations> {
  const { partner_id: partner } = await here.createPartner();
  const file = (name: string, lines: readonly string[]) => {
    const path = join(here.folder, `${name}.csv`);
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  };
  const properties = file("properties", [
    "partner_property_id,name,address,state",
    "TOWER,Elm Tower,1 Elm St,NY",
  ]);
  const rows = Array.from({ length: APPLIANCES }, () => "TOWER,refrigerator,2015");
  const appliances = file("appliances", ["partner_property_id,type_id,install_year", ...rows]);
  const count = "SELECT count(*) AS count FROM appliances";
  const args = ["import", "--partner", partner, "--properties", properties, "--appliances", appliances];
  if (url === undefined) {
    const { read, close } = await here.watch(count);
    const sql = (text: string) => here.sql(text);
    return { here, there, args, sql, appliances: read, [Symbol.asyncDispose]: close };
  }
  if (there !== here) {
    mkdirSync(there.dataDir, { recursive: true, mode: 0o700 });
    copyFileSync(join(here.dataDir, KEY_FILE), join(there.dataDir, KEY_FILE));
  }
  const client = await connectTo(url);
  const sql = async (text: string) => (await client.query({ text, types: TYPES })).rows;
  return {
    here,
    there,
    args,
    sql,
    appliances: async () => Number((await sql(count))[0]!.count),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function overFolder(): Promise<TwoInstallations> {
  const one = install();
  return await over(one, one);
}

async function overPostgres(): Promise<TwoInstallations> {
  const url = await postgres.newInstallation();
  const [here, there] = [install({ storage: { url } }), install({ storage: { url } })];
  return await over(here, there, url);
}

/** Starts an import and pauses it in the middle; undefined if it was over by then. */
async function pausedImport(open: () => Promise<TwoInstallations>, isInTerminal = false) {
  const setup = await open();
  const { here, args, appliances } = setup;
  const terminal = isInTerminal ? new Bun.Terminal({}) : undefined;
  const child = here.spawnIn(terminal, ...args);
  while ((await appliances()) === 0 && child.exitCode === null) await Bun.sleep(2);
  child.kill("SIGSTOP");
  if (child.exitCode === null && (await appliances()) < APPLIANCES) return { setup, child, terminal };
  child.kill("SIGKILL");
  await child.exited;
  await setup[Symbol.asyncDispose]();
  return undefined;
}

const REFUSED = new RegExp(
  `^mainstay: an import for PARTNER_\\S+ is in progress already, by ${operator().replace(/[()]/g, "\\$&")} on \\S+, since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z\n` +
    "Nothing was changed\\. ",
);
const EXPIRE_LOCKS = "UPDATE locks SET expires_at = 0 WHERE name LIKE 'import:%'";

describe.each([
  ["a data folder", overFolder],
  ["one PostgreSQL", overPostgres],
])("of two imports of one file over %s", (_, open) => {
  // Rule: import-once
  test("that start at the same time, one runs, and the other fails with the name of the first", async () => {
    await using setup = await open();
    const { here, there, args } = setup;
    const outcomes = await Promise.all([here.run(...args), there.run(...args)]);
    expect(await setup.appliances()).toBe(APPLIANCES);
    const [made, other] = outcomes.toSorted((one, two) => one.code - two.code);
    expect(made!.code).toBe(0);
    // Unless one ended before the other began.
    if (other!.code !== 0)
      expect(other).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(REFUSED) });
  });

  // Rule: import-once
  test("the second is rejected while the first is paused, and continues after it is killed, within the time of a lease", async () => {
    const { setup: paused, child } = await untilInTime(() => pausedImport(open));
    await using setup = paused;
    const { here, there, args } = setup;
    const refused = await there.run(...args);
    expect(refused.stderr).toMatch(REFUSED);
    expect(refused.code).toBe(1);
    const reached = await killAt({ goal: 1 }, setup.appliances, killable(child));
    expect(reached).toBeLessThan(APPLIANCES);
    const [lease] = await setup.sql("SELECT expires_at FROM locks WHERE name LIKE 'import:%'");
    expect(Number(lease!.expires_at) - Date.now()).toBeLessThanOrEqual(15_000);
    // Makes the lease expire.
    await setup.sql(EXPIRE_LOCKS);
    const last = await there.json(...args);
    expect(last.appliances.created).toBeWithin(1, APPLIANCES - reached + 1);
    expect(await setup.appliances()).toBe(APPLIANCES);
    expect((await here.json(...args)).appliances).toMatchObject({ created: 0, unchanged: APPLIANCES });
  });
});

// Rule: import-once
test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("an import ended by %s blocks no other", async (signal, code) => {
  // Progress can no longer be shown where a terminal is lost.
  const {
    setup: paused,
    child,
    terminal,
  } = await untilInTime(() => pausedImport(overFolder, signal === "SIGHUP"));
  await using setup = paused;
  const { here, args, appliances } = setup;
  terminal?.close();
  child.kill(signal);
  child.kill("SIGCONT");
  expect(await child.exited).toBe(code);
  const reached = await appliances();
  expect(reached).toBeLessThan(APPLIANCES);
  expect((await here.json(...args)).appliances.created).toBe(APPLIANCES - reached);
});

// Rule: import-once
test("an import that was paused until another one ran writes nothing more, and fails", async () => {
  const { setup: paused, child } = await untilInTime(() => pausedImport(overPostgres));
  await using setup = paused;
  const { there, args } = setup;
  await setup.sql(EXPIRE_LOCKS);
  const last = await there.json(...args);
  expect(last.appliances.created).toBeWithin(1, APPLIANCES);
  child.kill("SIGCONT");
  expect(await child.exited).toBe(1);
  expect(await setup.appliances()).toBe(APPLIANCES);
});
