import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { annualBookLosses } from "../src/domain/losses/book-losses.ts";
import { LossBook } from "../src/domain/losses/loss-book.ts";
import { embeddedKnowledge } from "../src/knowledge/embedded-knowledge.ts";
import type { Figure } from "./figure.ts";
import { median } from "./load.ts";
import { Bench, type Credentials } from "./mainstay.ts";
import { processorMs } from "./pages.ts";
import { generated } from "./portfolio.ts";
import { fleetOf, LAYER, winters } from "./winters.ts";

const PROPERTY = { components: 300, ms: 50, rounds: 30 };
/** About as many components as New York's elevators have, and a million. */
const BOOKS = [
  { properties: 1075, seconds: 1, megabytes: 400 },
  { properties: 9930, seconds: 8, megabytes: 400 },
];
const STEP_MS = 10;

/** Measures the losses of a property, of 108,000 components and of a million. */
export async function losses(bench: Bench): Promise<Figure[]> {
  const figures = [...(await ofProperty(bench)), ...longestStep(), winters(embeddedKnowledge())];
  for (const book of BOOKS) {
    const own = new Bench();
    try {
      figures.push(...(await ofBook(own, book)));
    } finally {
      own.remove();
    }
  }
  return figures;
}

async function ofProperty(bench: Bench): Promise<Figure[]> {
  const partner = await bench.partner("Losses");
  const server = await bench.serve();
  const headers = { "x-api-key": partner.api_key, "content-type": "application/json" };
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string; components: unknown[] };
  };
  const { id } = await post("/v1/properties", {
    name: "Elm Court",
    address: "1 Elm St",
    city: "Albany",
    state: "NY",
    unit_count: 60,
  });
  const types = [...embeddedKnowledge().types.keys()];
  let components = 0;
  for (let n = 0; components < PROPERTY.components; n++) {
    const body = { property_id: id, type_id: types[n % types.length], install_year: 1996 + ((n * 7) % 30) };
    components += (await post("/v1/appliances", body)).components.length;
  }
  await bench.run("snapshot");
  /** Another deductible is another answer. */
  const read = async (deductible: number) => {
    const startedAt = performance.now();
    const answer = await fetch(`${server.url}/v1/property/${id}/losses?deductible=${deductible}`, {
      headers,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the losses answered ${answer.status}: ${text}`);
    return { text, ms: performance.now() - startedAt };
  };
  for (let round = 0; round < PROPERTY.rounds; round++) await read(1 + round);
  const before = processorMs(server.pid);
  const times: number[] = [];
  for (let round = 0; round < PROPERTY.rounds; round++) times.push((await read(1000 + round)).ms);
  const spent = (processorMs(server.pid) - before) / PROPERTY.rounds;
  const again: number[] = [];
  for (let round = 0; round < PROPERTY.rounds; round++) again.push((await read(1000 + round)).ms);
  await server.stop();
  return [
    {
      what: `The losses of a property with ${components} components`,
      target: `${PROPERTY.ms} ms`,
      measured: `${spent.toFixed(0)} ms of the server's processor time, median ${median(times).toFixed(0)} ms by the clock; ${median(again).toFixed(1)} ms for an answer that is kept`,
      holds: spent <= PROPERTY.ms,
    },
  ];
}

type Size = (typeof BOOKS)[number];

async function ofBook(bench: Bench, { properties, seconds, megabytes }: Size): Promise<Figure[]> {
  const folder = join(bench.folder, "book");
  mkdirSync(folder);
  const files = await generated(folder, properties);
  const partner = await bench.partner("Book");
  const { json } = await bench.run(
    ...["import", "--partner", partner.partner_id, "--properties", files.properties],
    ...["--appliances", files.appliances, "--service-events", files.serviceEvents],
  );
  await bench.run("snapshot");
  const alone = await bench.run("losses");
  const idle = await bench.run("partner", "list");
  const server = await bench.serve();
  await bench.jobsEnded(server);
  const kept = await readBook(server, partner);
  await server.stop();
  const components = (json.components.created as number).toLocaleString("en-US");
  const spent = alone.cpuSeconds - idle.cpuSeconds;
  return [
    {
      what: `The losses of ${components} components`,
      target: `${seconds} s, ${megabytes} MB`,
      measured: `${spent.toFixed(1)} s of processor time, ${alone.seconds.toFixed(1)} s by the clock, ${alone.megabytes.toFixed(0)} MB; in a server ${kept.cpuSeconds.toFixed(1)} s with the pings, ${(kept.firstMs / 1000).toFixed(1)} s by the clock, ${kept.megabytes.toFixed(0)} MB besides the database, and ${kept.againMs.toFixed(1)} ms for the answer that is kept`,
      holds: spent <= seconds && alone.megabytes <= megabytes && kept.cpuSeconds <= seconds,
    },
    {
      what: "The slowest ping of that server meanwhile",
      target: "50 ms",
      measured: `${kept.slowestMs.toFixed(0)} ms`,
      holds: kept.slowestMs <= 50,
    },
    {
      what: "The same bytes from the same book, in the command and after a restart",
      target: "equal",
      measured: kept.isSame && kept.total === JSON.stringify(alone.json.total) ? "equal" : "different",
      holds: kept.isSame && kept.total === JSON.stringify(alone.json.total),
    },
  ];
}

async function readBook({ url, pid }: { url: string; pid: number }, { api_key }: Credentials) {
  const headers = { "x-api-key": api_key };
  const read = async () => {
    const startedAt = performance.now();
    const text = await (await fetch(`${url}/v1/portfolio/losses`, { headers })).text();
    return { text, ms: performance.now() - startedAt };
  };
  let isOver = false;
  let slowestMs = 0;
  let megabytes = 0;
  const pings = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await (await fetch(`${url}/v1/ping`, { headers })).text();
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      megabytes = Math.max(megabytes, ownMegabytes(pid));
      await Bun.sleep(5);
    }
  })();
  const before = processorMs(pid);
  const first = await read();
  const cpuSeconds = (processorMs(pid) - before) / 1000;
  isOver = true;
  await pings;
  const again = await read();
  const total = JSON.stringify(JSON.parse(first.text).total);
  return {
    firstMs: first.ms,
    cpuSeconds,
    megabytes,
    againMs: again.ms,
    slowestMs,
    isSame: first.text === again.text,
    total,
  };
}

/** Returns the memory of a process without the pages of the files that it maps. */
function ownMegabytes(pid: number): number {
  const [, kilobytes] = readFileSync(`/proc/${pid}/status`, "latin1").match(/RssAnon:\s+(\d+)/)!;
  return Number(kilobytes) / 1000;
}

/** Measures the steps of the computation, whose length does not depend on how the components are stored. */
function longestStep(): Figure[] {
  const knowledge = embeddedKnowledge();
  const terms = { layer: LAYER, amounts: [1_000_000] };
  const book = new LossBook((system) => knowledge.lossClass(system), terms);
  const partOf = fleetOf(knowledge);
  for (let n = 0; n < 1_000_000; n++) book.add(partOf(n));
  const holds: number[] = [];
  const steps = annualBookLosses(book, { modelError: 0.25 });
  const startedAt = process.cpuUsage();
  for (;;) {
    // The compiler and the garbage collector run beside this thread, and do not delay its other work.
    const before = process.threadCpuUsage();
    const { done } = steps.next();
    const { user, system } = process.threadCpuUsage(before);
    holds.push((user + system) / 1000);
    if (done) break;
  }
  const { user, system } = process.cpuUsage(startedAt);
  const longest = Math.max(...holds);
  return [
    {
      what: "Longest step of the losses of a million components, rows aside",
      target: `${STEP_MS} ms`,
      measured: `${longest.toFixed(1)} ms of the thread's processor time, of ${((user + system) / 1e6).toFixed(1)} s`,
      holds: longest <= STEP_MS,
    },
  ];
}
