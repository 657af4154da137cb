import { join } from "node:path";
import { load, median } from "./load.ts";
import type { Bench } from "./mainstay.ts";
import { generated } from "./portfolio.ts";
import type { Figure } from "./run.ts";

const PROPERTIES = 10_000;

/** Reads, a bulk write and a backup over 10,000 properties and a million components. */
export async function large(bench: Bench): Promise<Figure[]> {
  const files = await generated(bench.folder, PROPERTIES);
  const { partner_id, api_key } = await bench.partner("Large");
  const imported = await bench.run(
    "import",
    ...["--partner", partner_id, "--properties", files.properties],
    ...["--appliances", files.appliances, "--service-events", files.serviceEvents],
  );
  const components = imported.json.components.created as number;
  console.log(`${components} components in ${imported.seconds.toFixed(0)} s`);
  const snapshot = await bench.run("snapshot");
  console.log(`snapshot in ${snapshot.seconds.toFixed(0)} s`);
  const server = await bench.serve();
  const headers = { "x-api-key": api_key };
  const get = async (path: string) => (await fetch(server.url + path, { headers })).json() as Promise<never>;
  const properties = ((await get("/v1/properties?limit=200")) as { properties: { id: string }[] }).properties;
  const parts = (
    (await get("/v1/components?limit=200")) as { components: { id: string; appliance_id: string }[] }
  ).components;
  const figures: Figure[] = [];

  const read = async (name: string, paths: string[]) => {
    const measured = await load({
      url: server.url,
      clients: 16,
      durationMs: 3000,
      next: (client, n) => ({ method: "GET", path: paths[(client * 7 + n) % paths.length]!, headers }),
    });
    figures.push({
      what: `GET ${name}, 16 clients`,
      target: "p99 50 ms",
      measured: `p99 ${measured.p99.toFixed(1)} ms, ${measured.perSecond.toFixed(0)}/s, ${measured.failures} failed`,
      holds: measured.p99 <= 50 && measured.failures === 0,
    });
  };
  const ofProperty = (tail: string) => properties.map(({ id }) => `/v1/property/${id}/${tail}`);
  await read("/v1/properties", ["/v1/properties"]);
  await read("/v1/portfolio/summary", ["/v1/portfolio/summary"]);
  await read("/v1/components", ["/v1/components"]);
  await read("/v1/components?tier=", ["/v1/components?tier=critical", "/v1/components?tier=good"]);
  await read(
    "/v1/components?property_id=",
    properties.map(({ id }) => `/v1/components?property_id=${id}`),
  );
  await read("/v1/alerts", ["/v1/alerts"]);
  await read("/v1/events", ["/v1/events?since=2020-01-01T00:00:00Z"]);
  await read(
    "/v1/components/{id}/history",
    parts.map(({ id }) => `/v1/components/${id}/history`),
  );
  await read(
    "/v1/components/{id}/trend",
    parts.map(({ id }) => `/v1/components/${id}/trend`),
  );
  await read(
    "/v1/appliances/{id}",
    parts.map(({ appliance_id }) => `/v1/appliances/${appliance_id}`),
  );
  for (const tail of [
    "summary",
    "report",
    "forecast",
    "reserve",
    "condition-score",
    "rcv",
    "compliance",
    "claims",
    "claims/impact",
  ])
    await read(`/v1/property/{id}/${tail}`, ofProperty(tail));

  for (const path of [
    "/v1/components?",
    "/v1/components?tier=critical&",
    "/v1/alerts?",
    "/v1/events?since=2020-01-01T00:00:00Z&",
    "/v1/properties?",
  ])
    figures.push(await offsets(server.url, headers, path));
  figures.push(await bulk(server.url, headers, parts));
  figures.push(await backupBesideReads(bench, server.url, headers, properties));
  await server.stop();
  return figures;
}

async function offsets(url: string, headers: Record<string, string>, path: string): Promise<Figure> {
  const { total } = (await (await fetch(`${url}${path}limit=1`, { headers })).json()) as { total: number };
  const time = async (offset: number) => {
    const times: number[] = [];
    for (let i = 0; i < 60; i++) {
      const startedAt = performance.now();
      await (await fetch(`${url}${path}limit=50&offset=${offset + (i % 5)}`, { headers })).text();
      times.push(performance.now() - startedAt);
    }
    return median(times);
  };
  await time(0);
  const first = await time(0);
  const ratios: number[] = [];
  for (const share of [0.25, 0.5, 0.75, 0.99]) ratios.push((await time(Math.floor(total * share))) / first);
  const worst = Math.max(...ratios);
  return {
    what: `GET ${path.replace(/[?&]$/, "")} at any offset of ${total}, against offset 0`,
    target: "3 times",
    measured: `${worst.toFixed(1)} times`,
    holds: worst <= 3,
  };
}

async function bulk(
  url: string,
  headers: Record<string, string>,
  parts: { appliance_id: string }[],
): Promise<Figure> {
  const ids = [...new Set(parts.map((part) => part.appliance_id))];
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    const events = Array.from({ length: 1000 }, (_, i) => ({
      appliance_id: ids[i % ids.length],
      event_type: "Inspection",
      date: "2026-01-15",
      notes: `round ${round}, item ${i}`,
    }));
    const startedAt = performance.now();
    const answer = await fetch(`${url}/v1/service-events/bulk`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ events }),
    });
    await answer.text();
    times.push(performance.now() - startedAt);
  }
  const ms = median(times);
  return {
    what: "a bulk of 1,000 service events",
    target: "250 ms",
    measured: `${ms.toFixed(0)} ms`,
    holds: ms <= 250,
  };
}

async function backupBesideReads(
  bench: Bench,
  url: string,
  headers: Record<string, string>,
  properties: { id: string }[],
): Promise<Figure> {
  let done = false;
  const backup = bench.run("backup", join(bench.folder, "large.backup")).finally(() => {
    done = true;
  });
  const p99s: number[] = [];
  while (!done) {
    const measured = await load({
      url,
      clients: 4,
      durationMs: 1000,
      next: (client, n) => ({
        method: "GET",
        path: `/v1/property/${properties[(client + n) % properties.length]!.id}/summary`,
        headers,
      }),
    });
    p99s.push(measured.p99);
  }
  const { seconds } = await backup;
  const p99 = Math.max(...p99s);
  return {
    what: "backup of it beside reads of 4 clients",
    target: "20 s, p99 100 ms",
    measured: `${seconds.toFixed(1)} s, p99 ${p99.toFixed(0)} ms`,
    holds: seconds <= 20 && p99 <= 100,
  };
}
