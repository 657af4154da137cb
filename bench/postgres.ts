import { PostgresServer } from "../test/support/postgres-server.ts";
import { type Counts, startCountingProxy } from "./counting-proxy.ts";
import { outboxPerSecond, startReceiver } from "./deliveries.ts";
import type { Figure } from "./figure.ts";
import { type Load, load, median } from "./load.ts";
import { Bench, type Credentials } from "./mainstay.ts";
import { firstSnapshot, importFiles } from "./new-york.ts";
import { enlargedSample, type Files } from "./portfolio.ts";

const PAIRS = 3;
const PAIR_MS = 1000;
const LIST_CLIENTS = 16;
const WRITE_CLIENTS = 64;
const WRITERS = 16;
const EVENTS = 6_000;
/** Requests that are counted, one after the other. */
const COUNTED = 300;

/** One side of the comparison: its command line, its partners, and the partner with the portfolio. */
type Side = { bench: Bench; lister: Credentials; writers: Credentials[] };
type Asked = { method: string; path: string; headers: Record<string, string>; body?: string };

/**
 * Compares PostgreSQL with SQLite in pairs on the same machine, and three servers with one. The database
 * waits for its disk, as it would for an operator.
 */
export async function postgres(sqlite: Bench): Promise<Figure[]> {
  const database = await PostgresServer.start({
    settings: { fsync: "on", full_page_writes: "on", shared_buffers: "256MB", max_wal_size: "2GB" },
  });
  const on = (port: number) => {
    const url = new URL(database.url());
    url.port = String(port);
    return { MAINSTAY_STORAGE__URL: url.href };
  };
  const shared = new Bench(on(database.port));
  const proxy = await startCountingProxy(database);
  const others = [new Bench(on(database.port), shared), new Bench(on(database.port), shared)];
  const counted = new Bench(on(proxy.port), shared);
  const figures: Figure[] = [];
  const startedAt = performance.now();
  // Told as they come: who stops it early has what was measured by then.
  const add = (more: Figure[]) => {
    figures.push(...more);
    for (const { what, measured } of more)
      console.error(`${((performance.now() - startedAt) / 1000).toFixed(0)} s  ${what}: ${measured}`);
  };
  try {
    await shared.run("migrate");
    const files = await enlargedSample(sqlite.folder, 60);
    const file = await filled(sqlite, files);
    const server = await filled(shared, files);
    add(imports(file, server));
    add(await compared(file.side, server.side));
    add(await statementsSent(counted, server.side, proxy.counts));
    add(await several(server.side, others));
    add([await delivered(sqlite, shared)]);
    return figures;
  } finally {
    for (const one of [shared, ...others, counted]) one.remove();
    proxy.stop();
    await database.end();
  }
}

/** Partners, the portfolio of one of them, and its first snapshot. */
async function filled(bench: Bench, files: Files) {
  const lister = await bench.partner("Lister");
  const imported = await importFiles(bench, lister.partner_id, files);
  const snapshot = await firstSnapshot(bench);
  const writers: Credentials[] = [];
  for (let i = 0; i < WRITERS; i++) writers.push(await bench.partner(`Writer ${i}`));
  return { side: { bench, lister, writers } satisfies Side, imported, snapshot };
}

type Filled = Awaited<ReturnType<typeof filled>>;

function imports(file: Filled, server: Filled): Figure[] {
  const { seconds, megabytes } = server.imported;
  const { components } = server.imported.json;
  return [
    {
      what: `import of ${components.created} components into PostgreSQL`,
      target: "40 s",
      measured: `${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB (SQLite ${file.imported.seconds.toFixed(1)} s)`,
      holds: seconds <= 40,
    },
    {
      what: "first snapshot of it there, in the server",
      target: "8 s",
      measured: `${server.snapshot.seconds.toFixed(1)} s (SQLite ${file.snapshot.seconds.toFixed(1)} s)`,
      holds: server.snapshot.seconds <= 8,
    },
  ];
}

/** The kinds of load. New pages come again only when others have long taken their place in what a server keeps. */
function loadsOf({ lister, writers }: Side) {
  let page = 0;
  let written = 0;
  const list = (path: string): Asked => ({
    method: "GET",
    path,
    headers: { "x-api-key": lister.api_key },
  });
  const write = ({ api_key }: Credentials): Asked => ({
    method: "POST",
    path: "/v1/properties",
    headers: { "x-api-key": api_key },
    body: JSON.stringify({ name: `W ${written}`, address: `${written++} Write St`, state: "NY" }),
  });
  return {
    newPages: () => list(`/v1/properties?limit=50&offset=${page++ % PAGES}`),
    samePage: () => list("/v1/properties?limit=50"),
    onePartner: () => write(writers[0]!),
    manyPartners: (client: number) => write(writers[client % WRITERS]!),
  };
}
/** First rows that a page may begin at. */
const PAGES = 18_000;

type Loads = ReturnType<typeof loadsOf>;
const KINDS: { kind: keyof Loads; what: string; clients: number }[] = [
  { kind: "newPages", what: "list of 50, each page a new one", clients: LIST_CLIENTS },
  { kind: "samePage", what: "list of 50, the same page", clients: LIST_CLIENTS },
  { kind: "onePartner", what: `single durable writes of ${WRITE_CLIENTS} clients`, clients: WRITE_CLIENTS },
  {
    kind: "manyPartners",
    what: `single durable writes of ${WRITE_CLIENTS} clients of ${WRITERS} partners`,
    clients: WRITE_CLIENTS,
  },
];

const under = (url: string, clients: number, next: (client: number) => Asked) =>
  load({ url, clients, durationMs: PAIR_MS, next });

/** PostgreSQL against SQLite, a server on each. */
async function compared(file: Side, server: Side): Promise<Figure[]> {
  const sides = [];
  for (const side of [file, server])
    sides.push({ loads: loadsOf(side), running: await side.bench.serve(), byKind: [] as Load[] });
  const [ofFile, ofServer] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const figures: Figure[] = [];
  for (const { kind, what, clients } of KINDS) {
    for (const side of sides) {
      side.byKind = [];
      await load({ url: side.running.url, clients, durationMs: 500, next: side.loads[kind] });
    }
    for (let pair = 0; pair < PAIRS; pair++)
      for (const side of sides) side.byKind.push(await under(side.running.url, clients, side.loads[kind]));
    const ratio = median(ofServer.byKind.map((one, pair) => one.perSecond / ofFile.byKind[pair]!.perSecond));
    const failures = sides.reduce((sum, { byKind }) => sum + failuresOf(byKind), 0);
    const p99 = median(ofServer.byKind.map((one) => one.p99));
    figures.push({
      what: `${what}: PostgreSQL against SQLite`,
      target: "0.4",
      measured: `${ratio.toFixed(2)} (${rateOf(ofServer.byKind)}/s against ${rateOf(ofFile.byKind)}/s; p99 ${p99.toFixed(0)} ms, ${failures} failed)`,
      holds: ratio >= 0.4 && failures === 0,
    });
  }
  for (const { running } of sides) await running.stop();
  return figures;
}

const rateOf = (loads: readonly Load[]) => median(loads.map((one) => one.perSecond)).toFixed(0);
const failuresOf = (loads: readonly Load[]) => loads.reduce((sum, one) => sum + one.failures, 0);

async function delivered(sqlite: Bench, shared: Bench): Promise<Figure> {
  const rates: number[] = [];
  for (const bench of [sqlite, shared]) {
    const receiver = startReceiver();
    const partner = await bench.partner("Deliveries", receiver.url);
    const server = await bench.serve();
    rates.push(await outboxPerSecond(server.url, partner, receiver.arrivals, EVENTS));
    await server.stop();
    void receiver.stop();
  }
  const [ofFile, ofServer] = rates as [number, number];
  return {
    what: "deliveries to a local receiver that answers at once, on PostgreSQL, while the events are written",
    target: "2,000/s",
    measured: `${ofServer.toFixed(0)}/s (SQLite ${ofFile.toFixed(0)}/s)`,
    holds: ofServer >= 2000,
  };
}

/** One server, then three with as many clients in sum, all on this machine, in pairs. */
async function several(side: Side, others: readonly Bench[]): Promise<Figure[]> {
  const loads = loadsOf(side);
  const servers = [await side.bench.serve()];
  for (const other of others) servers.push(await other.serve());
  const figures: Figure[] = [];
  for (const { kind, what, clients } of KINDS) {
    const alone: Load[] = [];
    const together: Load[][] = [];
    for (let pair = 0; pair < PAIRS - 1; pair++) {
      alone.push(await under(servers[0]!.url, clients, loads[kind]));
      together.push(
        await Promise.all(
          servers.map(({ url }, nth) =>
            // Clients of all partners go to all servers.
            under(url, Math.ceil(clients / servers.length), (client) =>
              loads[kind](client * servers.length + nth),
            ),
          ),
        ),
      );
    }
    const sums = together.map((some) => some.reduce((sum, one) => sum + one.perSecond, 0));
    const ratio = median(sums.map((sum, pair) => sum / alone[pair]!.perSecond));
    const failures = failuresOf([...alone, ...together.flat()]);
    figures.push({
      what: `${what}: three servers in sum against one of them, clients, servers and database on one machine`,
      target: "none failed",
      measured: `${ratio.toFixed(2)} (${median(sums).toFixed(0)}/s against ${rateOf(alone)}/s; ${failures} failed)`,
      holds: failures === 0,
    });
  }
  for (const server of servers) await server.stop();
  return figures;
}

/** Returns the messages that a request sends to the database, counted by a proxy, without those of background work. */
async function statementsSent(bench: Bench, side: Side, counts: Counts): Promise<Figure[]> {
  const server = await bench.serve();
  const loads = loadsOf(side);
  const since = async (run: () => Promise<unknown>) => {
    const before = { ...counts };
    const startedAt = performance.now();
    await run();
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      seconds,
      statements: counts.statements - before.statements,
      roundTrips: counts.roundTrips - before.roundTrips,
    };
  };
  const send = async ({ path, method, headers, body }: Asked) => {
    const type = { "content-type": "application/json" };
    const answer = await fetch(server.url + path, { method, headers: { ...headers, ...type }, body });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`);
  };
  // Warm up: the first use of a connection or a partner costs more than a request.
  for (let i = 0; i < 100; i++) for (const { kind } of KINDS) await send(loads[kind](i));
  const idle = await since(() => Bun.sleep(3000));
  const figures: Figure[] = [];
  const add = (what: string, sent: Awaited<ReturnType<typeof since>>, requests: number, holds?: Limit) => {
    const each = (of: "statements" | "roundTrips") =>
      (sent[of] - (idle[of] / idle.seconds) * sent.seconds) / requests;
    const figure = { statements: each("statements"), roundTrips: each("roundTrips") };
    figures.push({
      what,
      target: holds?.target ?? "",
      measured: `${figure.statements.toFixed(1)} statements, ${figure.roundTrips.toFixed(1)} round trips`,
      holds: holds?.of(figure) ?? true,
    });
  };
  const list = { target: "2 statements", of: (one: Counts) => one.statements <= 2.05 };
  const write = { target: "6 round trips", of: (one: Counts) => one.roundTrips <= 6.05 };
  for (const { kind, what } of KINDS.filter((one) => one.kind !== "manyPartners")) {
    const sent = await since(async () => {
      for (let i = 0; i < COUNTED; i++) await send(loads[kind](i));
    });
    const which = kind === "onePartner" ? "a single durable write" : `a request of the ${what}`;
    add(
      `${which} sends to the database, asked for one at a time`,
      sent,
      COUNTED,
      kind === "onePartner" ? write : list,
    );
  }
  for (const { kind, what, clients } of KINDS.slice(2)) {
    let requests = 0;
    const sent = await since(async () => {
      requests = (await under(server.url, clients, loads[kind])).requests;
    });
    add(`each of the ${what} sends there`, sent, requests, write);
  }
  await server.stop();
  return figures;
}

type Limit = { target: string; of: (counts: Counts) => boolean };
