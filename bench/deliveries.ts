import type { Figure } from "./figure.ts";
import type { Bench, Credentials } from "./mainstay.ts";

const EVENTS = 20_000;

/** A receiver that answers at once, with what each delivery took from its commit to its arrival, in milliseconds. */
export function startReceiver() {
  const arrivals: number[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = (await request.json()) as { timestamp: string };
      arrivals.push(Date.now() - Date.parse(body.timestamp));
      return new Response(null, { status: 204 });
    },
  });
  return { arrivals, url: `http://127.0.0.1:${server.port}/`, stop: () => server.stop(true) };
}

/** Writes so many events, a thousand a request: deliveries a second until all of them have arrived. */
export async function outboxPerSecond(
  url: string,
  { api_key }: Credentials,
  arrivals: readonly number[],
  events: number,
): Promise<number> {
  const headers = { "x-api-key": api_key, "content-type": "application/json" };
  const post = (body: unknown, path: string) =>
    fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) }).then(
      (answer) => answer.json() as Promise<{ id: string }>,
    );
  const property = await post({ name: "D", address: "1 D", state: "NY" }, "/v1/properties");
  const appliance = await post(
    { property_id: property.id, type_id: "roof", install_year: 2020 },
    "/v1/appliances",
  );
  const startedAt = performance.now();
  for (let i = 0; i < events / 1000; i++)
    await post(
      {
        events: Array.from({ length: 1000 }, () => ({
          appliance_id: appliance.id,
          event_type: "Other",
          date: "2026-01-15",
        })),
      },
      "/v1/service-events/bulk",
    );
  while (arrivals.length < events + 2 && performance.now() - startedAt < 60_000) await Bun.sleep(20);
  return arrivals.length / ((performance.now() - startedAt) / 1000);
}

/** How fast the outbox empties into a receiver that answers at once, and how soon after the commit at a steady rate. */
export async function deliveries(bench: Bench): Promise<Figure[]> {
  const receiver = startReceiver();
  const { arrivals } = receiver;
  const hanging = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: () => new Promise<Response>(() => {}),
  });
  const partner = await bench.partner("Deliveries", receiver.url);
  const server = await bench.serve();
  const perSecond = await outboxPerSecond(server.url, partner, arrivals, EVENTS);

  // Twenty receivers, three of which hang, at 200 events a second together.
  const partners = [];
  for (let i = 0; i < 20; i++)
    partners.push(
      await bench.partner(`Steady ${i}`, i < 3 ? `http://127.0.0.1:${hanging.port}/` : receiver.url),
    );
  arrivals.length = 0;
  let sent = 0;
  const steadyUntil = performance.now() + 15_000;
  const began = performance.now();
  while (performance.now() < steadyUntil) {
    const due = Math.floor(((performance.now() - began) / 1000) * 200);
    for (; sent < due; sent++) {
      const { api_key } = partners[sent % 20]!;
      void fetch(`${server.url}/v1/properties`, {
        method: "POST",
        headers: { "x-api-key": api_key, "content-type": "application/json" },
        body: JSON.stringify({ name: "S", address: `${sent} S`, state: "NY" }),
      }).then((answer) => answer.text());
    }
    await Bun.sleep(5);
  }
  await Bun.sleep(500);
  const sorted = arrivals.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.POSITIVE_INFINITY;
  await server.stop();
  void receiver.stop();
  void hanging.stop(true);
  return [
    {
      what: "deliveries to a local receiver that answers at once, while the events are written",
      target: "5,000/s",
      measured: `${perSecond.toFixed(0)}/s`,
      holds: perSecond >= 5000,
    },
    {
      what: `95% delivered after the commit, at 200 events/s while 3 of 20 receivers hang (${sorted.length} arrivals)`,
      target: "250 ms",
      measured: `${p95.toFixed(0)} ms`,
      holds: p95 <= 250,
    },
  ];
}
