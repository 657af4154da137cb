import { beforeAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";
import { startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
let server: Installation;
let acme: Partner;
beforeAll(async () => {
  server = await serve();
  const { url } = await startReceiver();
  acme = await server.createPartner("Acme", "--webhook-url", url, "--daily-budget", "500");
});

describe("the metrics", () => {
  test("are Prometheus text, on the administrators' listener only, for anybody there", async () => {
    const response = await fetch(`${server.adminUrl}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    await server.anonymous.ask("GET", "/metrics", 404);
    const names = await metricNames(server);
    for (const name of names) expect(name).toMatch(/^(mainstay|process)_[a-z_]+$/);
    expect(new Set(names).size).toBe(names.length);
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

  test("have no series of a word that a client sent", async () => {
    await fetch(`${server.url}/made-up-path`, { method: "PROPFIND" });
    const text = [...(await scrape(server)).keys()].join("\n");
    expect(text).not.toContain("made-up-path");
    expect(text).not.toContain("PROPFIND");
  });

  test("say how large the portfolio is, and how much of a budget is used", async () => {
    const client = server.as(acme);
    const property = await addProperty(client);
    await addAppliance(client, property.id);
    const values = await scrape(server);
    expect(values.get("mainstay_properties")).toBe(1);
    expect(values.get('mainstay_components{tier="GOOD"}')).toBeGreaterThan(0);
    expect(values.get('mainstay_components{tier="CRITICAL"}')).toBe(0);
    const partner = `{partner="${acme.partner_id}"}`;
    expect(values.get(`mainstay_partner_daily_budget${partner}`)).toBe(500);
    expect(values.get(`mainstay_partner_budget_taken${partner}`)).toBeGreaterThanOrEqual(2);
  });

  test("follow deliveries to the last", async () => {
    await addProperty(server.as(acme));
    await eventually(async () => {
      const values = await scrape(server);
      expect(values.get('mainstay_webhook_deliveries_total{outcome="delivered"}')).toBeGreaterThan(0);
      expect(values.get('mainstay_webhook_attempts_total{result="ok"}')).toBeGreaterThan(0);
      expect(values.get("mainstay_webhook_outbox_pending")).toBe(0);
      expect(values.get("mainstay_webhook_outbox_oldest_age_seconds")).toBe(0);
    });
  });

  test("show deliveries that wait, and how long the oldest has", async () => {
    const { url } = await startReceiver({ behave: () => "hang" });
    const slow = await server.createPartner("Slow", "--webhook-url", url);
    await addProperty(server.as(slow));
    const waiting = async () => {
      const values = await scrape(server);
      expect(values.get("mainstay_webhook_outbox_pending")).toBeGreaterThan(0);
      return values.get("mainstay_webhook_outbox_oldest_age_seconds")!;
    };
    const first = await waiting();
    await eventually(async () => expect(await waiting()).toBeGreaterThan(first));
    expect(first).toBeLessThan(60);
  });

  test("measure the writes, the database and the process", async () => {
    const values = await scrape(server);
    for (const name of [
      "mainstay_write_group_size_count",
      "mainstay_write_group_duration_seconds_count",
      "mainstay_database_bytes",
      "mainstay_database_wal_bytes",
      "process_resident_memory_bytes",
      "process_heap_bytes",
      "process_cpu_seconds_total",
      "process_open_fds",
    ])
      expect(values.get(name), name).toBeGreaterThan(0);
    expect(values.get("mainstay_write_queue_length")).toBeGreaterThanOrEqual(0);
    expect(values.get('mainstay_event_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
    const startedAgoS = Date.now() / 1000 - values.get("process_start_time_seconds")!;
    expect(startedAgoS).toBeGreaterThan(0);
    expect(startedAgoS).toBeLessThan(120);
    const build = [...values.keys()].find((series) => series.startsWith("mainstay_build_info{"));
    expect(build).toMatch(/version="\d+\.\d+\.\d+",commit="[^"]+",target="[^"]+",bun="\d/);
  });

  test("say when the newest snapshot was taken, of how much, and how long it took", async () => {
    expect((await scrape(server)).has("mainstay_snapshot_age_seconds")).toBe(false);
    await server.json("snapshot");
    const values = await scrape(server);
    expect(values.get("mainstay_snapshot_age_seconds")).toBeLessThan(60);
    expect(values.get("mainstay_snapshot_duration_seconds")).toBeGreaterThanOrEqual(0);
    expect(values.get("mainstay_snapshot_components")).toBeGreaterThan(0);
  });
});

test("the metrics are on the main listener when administrators are", async () => {
  const together = await serve({ admin: { listen: "main" } });
  expect((await fetch(`${together.url}/metrics`)).status).toBe(200);
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
