import { readdirSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Fleet } from "../servers/fleet.ts";
import { postgresStorage } from "../servers/postgres.ts";
import { SeededRandom } from "../servers/seeded-random.ts";
import { folderStorage } from "../servers/storage.ts";
import type { Json } from "../support/json.ts";
import { fillCaches } from "./caches.ts";
import { calendarOf } from "./calendar.ts";
import { startEndpoints } from "./endpoints.ts";
import { Recorder } from "./recorder.ts";
import { visit } from "./visit.ts";

export type Engine = "folder" | "postgres";
export type SoakOptions = {
  seed: number;
  seconds: number;
  servers: number;
  /** Partners that call at the same time. */
  visitors: number;
  pauseMs: number;
  /** The time from one snapshot to the next. */
  daySeconds: number;
};

const SAMPLE_MS = 10_000;
/** The time in which servers have collected their garbage. */
const COLLECTED_MS = 300;
const PRELOADED = join(import.meta.dir, "collect-garbage.ts");
/** Three servers use 57 connections; commands and purges, which are processes of their own, use more. */
const POSTGRES = {
  isDirect: true,
  settings: { max_connections: 120, log_lock_waits: "on", log_line_prefix: "%m [%p] " },
};
const RESIDENT_PROPERTIES = 50;
const SNAPSHOT_WITHIN_MS = 180_000;

/** Nothing is limited; deliveries are kept for a day of the run's calendar; only a data folder is backed up by a schedule. */
const configurationFor = (engine: Engine, backups: string) => `
[server]
drain_s = 0
[admin]
listen = "127.0.0.1:0"
[limits]
per_ip_per_minute = 0
per_partner_per_minute = 0
daily_budget = 1000000000
[snapshot]
at = "23:59"
[webhooks]
allow_networks = ["127.0.0.0/8"]
timeout_ms = 2000
log_retention_days = 1
${engine === "folder" ? `[backup]\nschedule = "* * * * *"\nkeep = 2\ndir = ${JSON.stringify(backups)}` : ""}
`;

/** Runs the load on one engine for the time and returns what was seen. */
export async function soakEngine(engine: Engine, options: SoakOptions): Promise<Recorder> {
  const recorder = new Recorder();
  const random = new SeededRandom(options.seed).fork(engine);
  const storage = engine === "folder" ? folderStorage() : await postgresStorage(POSTGRES);
  const endpoints = await startEndpoints();
  const backups = join(storage.dataDir(0), "backups");
  const onLine = (line: string) => {
    if (/"level":"(error|fatal)"/.test(line)) recorder.wrong(`logged: ${withoutIds(line)}`);
  };
  const fleet = new Fleet(
    options.servers,
    storage,
    random.fork("fleet"),
    (what) => recorder.wrong(`a server ended by itself: ${what}`),
    {
      configuration: configurationFor(engine, backups),
      onLine,
      env: { BUN_OPTIONS: `--preload=${PRELOADED}` },
    },
  );
  const calendar = calendarOf(storage);
  const driver = monitorEventLoopDelay({ resolution: 20 });
  driver.enable();
  try {
    await fleet.init();
    await addResident(fleet, endpoints.url("good"));
    const { admin_key } = await fleet.run("admin", "create", "Night shift");
    const administrator = { "x-api-key": admin_key };
    await fleet.start();
    await fillCaches(fleet, administrator);
    await calendar.reclaim();
    recorder.begin();
    const over = AbortSignal.timeout(options.seconds * 1000);
    const context = { fleet, random, recorder, administrator, endpoints, pauseMs: options.pauseMs, over };
    let next = 0;
    const visitors = Array.from({ length: options.visitors }, async () => {
      while (!over.aborted) await visit(context, next++).catch((error) => recorder.failed("visit", error));
    });
    const repeat = async (everyMs: number, what: string, run: () => Promise<void>) => {
      while (!over.aborted) {
        await run().catch((error) => recorder.failed(what, error));
        await Bun.sleep(everyMs);
      }
    };
    await Promise.all([
      ...visitors,
      repeat(SAMPLE_MS, "samples", async () => {
        await sample(fleet, recorder);
        recorder.sample("database", await calendar.databaseBytes());
        if (recorder.visits > 0)
          recorder.sample("audit entries per visit", (await calendar.auditEntries()) / recorder.visits);
        recorder.sample("event loop, this test", driver.percentile(99) / 1e9);
        driver.reset();
        if (engine === "folder") recorder.sample("backups kept", backupsIn(backups));
      }),
      repeat(options.daySeconds * 1000, "day", async () => {
        await calendar.nextDay();
        await takeSnapshot(fleet, random, administrator);
        recorder.days++;
      }),
    ]);
    for (const server of fleet.servers) {
      const code = await server.stop();
      if (code !== 0) recorder.wrong(`${server.name} exited with ${code} after SIGTERM`);
    }
    recorder.databaseLog = storage.database?.primary().log;
    return recorder;
  } finally {
    driver.disable();
    await fleet.end();
    await endpoints.close();
    await storage.end();
  }
}

const withoutIds = (line: string) =>
  line
    .replaceAll(/"(time|request_id|ms|pid)":("[^"]*"|[\d.]+),?/g, "")
    .replaceAll(/\b[A-Z]+_[0-9a-z_]{8,}/g, "{id}");

/** Adds the portfolio that every snapshot scores. */
async function addResident(fleet: Fleet, webhookUrl: string): Promise<void> {
  const { partner_id } = await fleet.run("partner", "create", "Resident", "--webhook-url", webhookUrl);
  const numbers = Array.from({ length: RESIDENT_PROPERTIES }, (_, nth) => nth);
  const properties = numbers.map((nth) => `${nth},Elm ${nth},Elm St,NY`);
  const appliances = numbers.map((nth) => `${nth},water_heater_gas,OLD${nth},${1986 + (nth % 40)}`);
  const file = (name: string, header: string, rows: readonly string[]) => fleet.file(name, [header, ...rows]);
  await fleet.run(
    ...["import", "--partner", partner_id],
    ...["--properties", file("p.csv", "partner_property_id,name,address,state", properties)],
    ...["--appliances", file("a.csv", "partner_property_id,type_id,serial,install_year", appliances)],
  );
}

const METRICS = {
  heap: /^process_heap_bytes (\S+)/m,
  memory: /^process_resident_memory_bytes (\S+)/m,
  handles: /^process_open_fds (\S+)/m,
  "event loop": /^mainstay_event_loop_delay_seconds\{percentile="99"\} (\S+)/m,
};

/**
 * Samples each server after it has collected its garbage: what is left is in use. The log is measured per call: its size
 * grows by its nature.
 */
async function sample(fleet: Fleet, recorder: Recorder): Promise<void> {
  for (const server of fleet.servers) server.collectGarbage();
  await Bun.sleep(COLLECTED_MS);
  for (const { name, adminUrl } of fleet.servers) {
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    for (const [metric, pattern] of Object.entries(METRICS)) {
      const value = Number(pattern.exec(text)?.[1]);
      if (Number.isFinite(value)) recorder.sample(`${metric}, ${name}`, value);
    }
  }
  const logged = fleet.servers.reduce((sum, { loggedBytes }) => sum + loggedBytes, 0);
  if (recorder.calls > 0) recorder.sample("log per call", logged / recorder.calls);
}

async function takeSnapshot(
  fleet: Fleet,
  random: SeededRandom,
  headers: Record<string, string>,
): Promise<void> {
  const server = random.pick(fleet.servers);
  const ask = async (method: string, path: string, otherwise?: number): Promise<Json> => {
    const response = await fetch(`${server.adminUrl}${path}`, { method, headers });
    if (!response.ok && response.status !== otherwise)
      throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
    return await response.json();
  };
  const today = new Date().toISOString().slice(0, 10);
  // 409: it is running on its schedule.
  for (const job of ["snapshot", "prune-deliveries", "prune-idempotency-keys"])
    await ask("POST", `/admin/jobs/${job}/run`, 409);
  for (
    const endAt = performance.now() + SNAPSHOT_WITHIN_MS;
    performance.now() < endAt;
    await Bun.sleep(250)
  ) {
    const { snapshots } = await ask("GET", "/admin/snapshots?limit=1");
    if (snapshots[0]?.date === today && snapshots[0].finished_at !== null) return;
  }
  throw new Error(`the snapshot of the day was not taken within ${SNAPSHOT_WITHIN_MS / 1000} s`);
}

function backupsIn(folder: string): number {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".backup")).length;
  } catch {
    return 0;
  }
}
