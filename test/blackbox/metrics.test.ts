import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";
import { onPostgres, testOnSqlite } from "../support/postgres.ts";
import { startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
let server: Installation;
let acme: Partner;
const beginMs = Date.now();
/** Returns the seconds since an instant, at least as many as the server has counted. */
const secondsSince = (ms: number) => (Date.now() - ms) / 1000;
beforeAll(async () => {
  server = await serve();
  const { url } = await startReceiver();
  acme = await server.createPartner("Acme", "--webhook-url", url, "--daily-budget", "500");
});

describe("the metrics", () => {
  // Rule: admin-listener
  test("are Prometheus text, on the administrator listener only, without authentication", async () => {
    const response = await fetch(`${server.adminUrl}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    await server.anonymous.ask("GET", "/metrics", 404);
    const names = await metricNames(server);
    for (const name of names) expect(name).toMatch(/^(mainstay|process)_[a-z_]+$/);
    expect(new Set(names).size).toBe(names.length);
  });

  test("follow Prometheus's conventions, which its own tools check", async () => {
    const text = await scrapeText(server);
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      const labels = [...text.matchAll(new RegExp(`^${name}\\{([^}]*)\\}`, "gm"))].map(([, found]) => found!);
      expect(name!.endsWith("_total"), `${name} is a ${type}`).toBe(type === "counter");
      expect(name!.match(/_(milliseconds|minutes|hours|days|kilobytes|megabytes)$/), name).toBeNull();
      // Names that histograms and summaries keep to themselves.
      expect(
        labels.find((label) => /(^|,)(quantile|le)=/.test(label)),
        name,
      ).toBeUndefined();
      expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, "m"));
    }
  });

  test("count requests by route pattern, method and status, and time them", async () => {
    const client = server.as(acme);
    const before = await scrape(server);
    await client.get("/v1/ping");
    await client.get("/v1/ping");
    await client.ask("GET", "/v1/properties/P_1", 404);
    await client.ask("GET", "/v1/properties/P_2", 404);
    await client.ask("GET", "/nothing/at/all", 404);
    const after = await scrape(server);
    const more = (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
    const requests = (route: string, status: number) =>
      more(`mainstay_http_requests_total{route="${route}",method="GET",status="${status}"}`);
    expect(requests("/v1/ping", 200)).toBe(2);
    expect(requests("/v1/properties/{id}", 404)).toBe(2);
    expect(requests("unmatched", 404)).toBe(1);
    const timed = 'mainstay_http_request_duration_seconds_count{route="/v1/ping",method="GET"}';
    expect(more(timed)).toBe(2);
  });

  test("have no labels with text from clients", async () => {
    await fetch(`${server.url}/made-up-path`, { method: "PROPFIND" });
    const text = [...(await scrape(server)).keys()].join("\n");
    expect(text).not.toContain("made-up-path");
    expect(text).not.toContain("PROPFIND");
  });

  test("have the size of the portfolio, and the used share of a daily call limit", async () => {
    const client = server.as(acme);
    const property = await addProperty(client);
    await addAppliance(client, property.id);
    const values = await scrape(server);
    expect(values.get("mainstay_properties")).toBe(1);
    expect(values.get('mainstay_components{tier="GOOD"}')).toBeGreaterThan(0);
    expect(values.get('mainstay_components{tier="CRITICAL"}')).toBe(0);
    const partner = `{partner="${acme.partner_id}"}`;
    expect(values.get(`mainstay_partner_daily_call_limit${partner}`)).toBe(500);
    expect(values.get(`mainstay_partner_daily_calls_used${partner}`)).toBeGreaterThanOrEqual(2);
  });

  test("count every delivery", async () => {
    await addProperty(server.as(acme));
    await eventually(async () => {
      const values = await scrape(server);
      expect(values.get('mainstay_webhook_deliveries_total{outcome="delivered"}')).toBeGreaterThan(0);
      expect(values.get('mainstay_webhook_attempts_total{result="ok"}')).toBeGreaterThan(0);
      expect(values.get("mainstay_webhook_outbox_pending")).toBe(0);
      expect(values.get("mainstay_webhook_outbox_oldest_age_seconds")).toBe(0);
    });
  });

  test("show pending deliveries and the age of the oldest", async () => {
    const { url } = await startReceiver({ behave: () => "hang" });
    const slow = await server.createPartner("Slow", "--webhook-url", url);
    const addedMs = Date.now();
    await addProperty(server.as(slow));
    const waiting = async () => {
      const values = await scrape(server);
      expect(values.get("mainstay_webhook_outbox_pending")).toBeGreaterThan(0);
      return values.get("mainstay_webhook_outbox_oldest_age_seconds")!;
    };
    const first = await waiting();
    expect(first).toBeLessThanOrEqual(secondsSince(addedMs));
    await eventually(async () => expect(await waiting()).toBeGreaterThan(first));
  });

  test("measure the writes, the database and the process", async () => {
    const values = await scrape(server);
    for (const name of [
      "mainstay_write_group_size_count",
      "mainstay_write_group_duration_seconds_count",
      "mainstay_database_bytes",
      ...(onPostgres ? [] : ["mainstay_database_wal_bytes"]),
      "process_resident_memory_bytes",
      "process_heap_bytes",
      "process_cpu_seconds_total",
      "process_open_fds",
    ])
      expect(values.get(name), name).toBeGreaterThan(0);
    expect(values.get("mainstay_write_queue_length")).toBeGreaterThanOrEqual(0);
    expect(values.get('mainstay_event_loop_delay_seconds{percentile="99"}')).toBeGreaterThanOrEqual(0);
    const startedMs = values.get("process_start_time_seconds")! * 1000;
    expect(startedMs).toBeWithin(beginMs - 1000, Date.now());
    const build = [...values.keys()].find((series) => series.startsWith("mainstay_build_info{"));
    expect(build).toMatch(/version="\d+\.\d+\.\d+",commit="[^"]+",target="[^"]+",bun="\d/);
  });

  // Rule: health-metrics
  test("have each check of the health, and the space of the disks", async () => {
    const { checks } = (await server.anonymous.get("/health")).body;
    const values = await scrape(server);
    for (const check of Object.keys(checks))
      expect(values.get(`mainstay_health_check_ok{check="${check}"}`), check).toBe(1);
    expect(values.get("mainstay_draining")).toBe(0);
    const folders = onPostgres ? ["data"] : ["data", "backups"];
    for (const folder of folders) {
      const free = values.get(`mainstay_disk_free_bytes{folder="${folder}"}`)!;
      expect(free).toBeWithin(1, values.get(`mainstay_disk_size_bytes{folder="${folder}"}`)! + 1);
    }
  });

  test("have the time, the size and the duration of the newest snapshot", async () => {
    expect((await scrape(server)).has("mainstay_snapshot_age_seconds")).toBe(false);
    const takenMs = Date.now();
    await server.json("snapshot");
    const values = await scrape(server);
    expect(values.get("mainstay_snapshot_age_seconds")).toBeWithin(0, secondsSince(takenMs));
    expect(values.get("mainstay_snapshot_duration_seconds")).toBeGreaterThanOrEqual(0);
    expect(values.get("mainstay_snapshot_components")).toBeGreaterThan(0);
  });
});

describe("the metrics reflect", () => {
  testOnSqlite(
    "the writes: how many wait, how many are committed together, and the database that grows",
    async () => {
      const client = server.as(acme);
      const before = await scrape(server);
      const lock = new Database(join(server.dataDir, "mainstay.db"));
      lock.run("BEGIN IMMEDIATE");
      const properties = Array.from({ length: 12 }, () => addProperty(client, { unit_count: 500 }));
      // One group waits for the lock, of as many as had come by then; whatever comes later waits for its group.
      await eventually(async () => {
        properties.push(addProperty(client, { unit_count: 500 }));
        const values = await scrape(server);
        expect(values.get("mainstay_write_queue_length")).toBeGreaterThan(2);
        expect(values.get('mainstay_health_check_ok{check="database"}')).toBe(0);
      });
      lock.run("ROLLBACK");
      lock.close();
      await Promise.all(properties);
      const after = await eventually(async () => {
        const values = await scrape(server);
        expect(values.get("mainstay_write_queue_length")).toBe(0);
        return values;
      });
      const more = (series: string) => after.get(series)! - before.get(series)!;
      expect(more("mainstay_write_group_size_sum")).toBeGreaterThanOrEqual(properties.length);
      expect(more("mainstay_write_group_size_count")).toBeLessThan(more("mainstay_write_group_size_sum"));
      expect(more("mainstay_write_group_duration_seconds_sum")).toBeGreaterThan(0);
      expect(more("mainstay_database_bytes")).toBeGreaterThan(100_000);
      expect(more("mainstay_properties")).toBe(properties.length);
      const { size } = statSync(join(server.dataDir, "mainstay.db-wal"));
      expect(after.get("mainstay_database_wal_bytes")).toBeLessThanOrEqual(size);
    },
  );

  test("a partner's calls", async () => {
    const taken = async () =>
      (await scrape(server)).get(`mainstay_partner_daily_calls_used{partner="${acme.partner_id}"}`)!;
    const before = await taken();
    for (let nth = 0; nth < 20; nth++) await server.as(acme).get("/v1/ping");
    const more = (await taken()) - before;
    // Up to 10 are set aside before they are used.
    expect(more).toBeGreaterThanOrEqual(10);
    expect(more).toBeLessThanOrEqual(30);
  });

  test("the process: its memory, its CPU time, and a blocked event loop", async () => {
    const before = await scrape(server);
    process.kill(server.pid, "SIGSTOP");
    const stoppedAt = performance.now();
    await eventually(() => expect(performance.now() - stoppedAt).toBeGreaterThan(300));
    process.kill(server.pid, "SIGCONT");
    const after = await eventually(async () => {
      const values = await scrape(server);
      expect(values.get('mainstay_event_loop_delay_seconds{percentile="100"}')).toBeGreaterThan(0.2);
      return values;
    });
    expect(after.get("process_cpu_seconds_total")).toBeGreaterThan(before.get("process_cpu_seconds_total")!);
    const [, pages] = readFileSync(`/proc/${server.pid}/statm`, "utf8").split(" ").map(Number);
    const resident = after.get("process_resident_memory_bytes")!;
    expect(resident / (pages! * 4096)).toBeGreaterThan(0.5);
    expect(resident / (pages! * 4096)).toBeLessThan(2);
    // Each scrape has the delays since the one before it.
    const stalledS = after.get('mainstay_event_loop_delay_seconds{percentile="100"}')!;
    await eventually(async () => {
      const settled = await scrape(server);
      expect(settled.get('mainstay_event_loop_delay_seconds{percentile="100"}')).toBeLessThan(stalledS);
    });
  });
});

test("on the main listener, for partners, the metrics require an administrator's key", async () => {
  const together = await serve({ admin: { listen: "main" } });
  const partner = await together.createPartner();
  await together.anonymous.ask("GET", "/metrics", 401);
  await together.as(partner).ask("GET", "/metrics", 401);
  const { admin_key } = await together.json("admin", "create", "Prometheus");
  const reply = await together.client({ "x-api-key": admin_key }).get("/metrics");
  expect(reply.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  expect(reply.text).toContain(`partner="${partner.partner_id}"`);
});

async function scrapeText({ adminUrl }: Installation): Promise<string> {
  return await (await fetch(`${adminUrl}/metrics`)).text();
}

async function metricNames(installation: Installation): Promise<string[]> {
  const text = await scrapeText(installation);
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!);
}

/** Values by series, as `name{label="value"}`. A series without a value yet is left out. */
async function scrape(installation: Installation): Promise<Map<string, number>> {
  const text = await scrapeText(installation);
  const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    series.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}
