import { join } from "node:path";
import type { Figure } from "./figure.ts";
import { load, median } from "./load.ts";
import type { Bench } from "./mainstay.ts";
import { enlargedSample, type Files, filesIn } from "./portfolio.ts";

const PAIRS = 5;
const PAIR_MS = 2500;

/** Importing, scoring, listing, writing and starting with a city's elevators. */
export async function portfolio(bench: Bench, folder: string | undefined): Promise<Figure[]> {
  const files = folder === undefined ? await enlargedSample(bench.folder, 60) : filesIn(folder);
  const { partner_id, api_key } = await bench.partner("Bench");
  const imported = await importFiles(bench, partner_id, files);
  const { properties, appliances, components, service_events } = imported.json;
  const size = `${properties.created} buildings, ${appliances.created} devices, ${components.created} components, ${service_events.created} inspections`;
  const figures: Figure[] = [
    {
      what: `import of ${size}`,
      target: "30 s, 350 MB",
      measured: `${imported.seconds.toFixed(1)} s, ${imported.megabytes.toFixed(0)} MB`,
      holds: imported.seconds <= 30 && imported.megabytes <= 350,
    },
  ];
  figures.push(...(await snapshotWhileServing(bench)));
  figures.push(await startTime(bench));
  figures.push(await listAgainstBare(bench, partner_id, api_key));
  figures.push(await durableWrites(bench, api_key));
  return figures;
}

/** Imports three files for a partner by the command. */
export const importFiles = (bench: Bench, partnerId: string, files: Files) =>
  bench.run(
    "import",
    ...["--partner", partnerId, "--rejects", join(bench.folder, "rejects")],
    ...["--properties", files.properties],
    ...["--appliances", files.appliances],
    ...["--service-events", files.serviceEvents],
  );

/**
 * The first snapshot, taken by the server itself, which is asked for its health all the while: seconds from the
 * server's first answer to the snapshot's end, infinite when there was none in two minutes, and each answer's
 * milliseconds.
 */
export async function firstSnapshot(bench: Bench): Promise<{ seconds: number; latencies: number[] }> {
  const server = await bench.serve({ MAINSTAY_SNAPSHOT__ENABLED: "true", MAINSTAY_SNAPSHOT__AT: "00:00" });
  const latencies: number[] = [];
  let last: unknown = null;
  const startedAt = performance.now();
  while (last === null && performance.now() - startedAt < 120_000) {
    const askedAt = performance.now();
    const health = (await (await fetch(`${server.url}/health`)).json()) as { last_snapshot: unknown };
    latencies.push(performance.now() - askedAt);
    last = health.last_snapshot;
    await Bun.sleep(5);
  }
  const seconds = last === null ? Number.POSITIVE_INFINITY : (performance.now() - startedAt) / 1000;
  await server.stop();
  return { seconds, latencies };
}

async function snapshotWhileServing(bench: Bench): Promise<Figure[]> {
  const { seconds, latencies } = await firstSnapshot(bench);
  const slowest = Math.max(...latencies);
  return [
    {
      what: "first snapshot of it, in the server",
      target: "3 s",
      measured: `${seconds.toFixed(1)} s`,
      holds: seconds <= 3,
    },
    {
      what: "slowest health answer meanwhile",
      target: "50 ms",
      measured: `${slowest.toFixed(0)} ms (median ${median(latencies).toFixed(0)} ms of ${latencies.length})`,
      holds: slowest <= 50,
    },
  ];
}

async function startTime(bench: Bench): Promise<Figure> {
  const starts: number[] = [];
  for (let i = 0; i < 7; i++) {
    const server = await bench.serve();
    starts.push(server.startMs);
    await server.stop();
  }
  const ms = median(starts);
  return {
    what: "from start to listening on that database",
    target: "0.5 s",
    measured: `${(ms / 1000).toFixed(2)} s (median of ${starts.length})`,
    holds: ms <= 500,
  };
}

async function listAgainstBare(bench: Bench, partnerId: string, apiKey: string): Promise<Figure> {
  const server = await bench.serve({ MAINSTAY_LOG__LEVEL: "info" });
  const bare = Bun.spawn(
    [process.execPath, join(import.meta.dir, "bare.ts"), join(bench.dataDir, "mainstay.db"), partnerId],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const line = Buffer.from((await bare.stdout.getReader().read()).value!).toString();
  const bareUrl = JSON.parse(line).url as string;
  const headers = { "x-api-key": apiKey };
  const ask = (url: string, path: (n: number) => string) =>
    load({
      url,
      clients: 16,
      durationMs: PAIR_MS,
      next: (_, n) => ({ method: "GET", path: path(n), headers }),
    });
  const measure = (url: string) => ask(url, () => "/v1/properties?limit=50");
  await measure(server.url);
  await measure(bareUrl);
  // Pages that were not asked for before: the first is kept until something is committed, these are not there yet.
  const walking = (await ask(server.url, (n) => `/v1/properties?limit=50&offset=${n}`)).perSecond;
  const ratios: number[] = [];
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let i = 0; i < PAIRS; i++) {
    const a = (await measure(server.url)).perSecond;
    const b = (await measure(bareUrl)).perSecond;
    ours.push(a);
    theirs.push(b);
    ratios.push(a / b);
  }
  bare.kill();
  await server.stop();
  const ratio = median(ratios);
  return {
    what: "GET /v1/properties?limit=50 against a bare Bun.serve with the same query",
    target: "0.6",
    measured: `${ratio.toFixed(2)} (${median(ours).toFixed(0)}/s against ${median(theirs).toFixed(0)}/s; ${walking.toFixed(0)}/s where every page is a new one)`,
    holds: ratio >= 0.6,
  };
}

async function durableWrites(bench: Bench, apiKey: string): Promise<Figure> {
  const server = await bench.serve();
  const result = await load({
    url: server.url,
    clients: 64,
    durationMs: 5000,
    next: (client, n) => ({
      method: "POST",
      path: "/v1/properties",
      headers: { "x-api-key": apiKey },
      body: JSON.stringify({ name: `W ${client}`, address: `${n} Write St`, state: "NY" }),
    }),
  });
  await server.stop();
  return {
    what: "single durable writes (POST /v1/properties) of 64 clients",
    target: "2,000/s",
    measured: `${result.perSecond.toFixed(0)}/s, p99 ${result.p99.toFixed(0)} ms, ${result.failures} failed`,
    holds: result.perSecond >= 2000 && result.failures === 0,
  };
}
