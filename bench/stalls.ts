import type { Figure } from "./figure.ts";
import type { Bench } from "./mainstay.ts";
import { pageOf, startPings } from "./pings.ts";

const ITEMS = 1000;
const TARGET_MS = 50;

/** How long the worst legal bodies take, and the slowest answer that another partner gets meanwhile. */
export async function stalls(bench: Bench): Promise<Figure[]> {
  const sender = await bench.partner("Sender");
  const other = await bench.partner("Other");
  const server = await bench.serve();
  const figures: Figure[] = [];

  async function post<T>(path: string, body: unknown): Promise<T> {
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "x-api-key": sender.api_key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async function measure<T>(what: string, send: () => Promise<T>): Promise<T> {
    const pings = startPings(pageOf(server.url, other));
    const startedAt = performance.now();
    const answer = await send();
    const tookMs = performance.now() - startedAt;
    const { slowestMs, medianMs } = await pings.stop();
    figures.push({
      what: `${what}: the slowest ping of another partner meanwhile`,
      target: `${TARGET_MS} ms`,
      measured: `${slowestMs.toFixed(0)} ms (median ${medianMs.toFixed(1)}); the body took ${tookMs.toFixed(0)} ms`,
      holds: slowestMs <= TARGET_MS,
    });
    return answer;
  }

  const property = () =>
    post<{ id: string }>("/v1/properties", { name: "Elm Court", address: "1 Elm St", state: "NY" });
  const someAppliances = (propertyId: string, count: number) => ({
    appliances: Array.from({ length: count }, (_, i) => ({
      property_id: propertyId,
      // One of them cascades to another.
      type_id: ["water_heater_gas", "plumbing_supply", "washer"][i % 3],
      install_year: 2000 + (i % 25),
    })),
  });
  const appliance = async () =>
    (
      await post<{ events: { id: string }[] }>(
        "/v1/appliances/bulk",
        someAppliances((await property()).id, 1),
      )
    ).events[0]!.id;
  const events = (pick: (i: number) => object) => ({
    events: Array.from({ length: ITEMS }, (_, i) => pick(i)),
  });

  await appliance(); // what is only slow the first time
  const claimed = await appliance();
  await measure(`${ITEMS / 2} Warranty Claims and ${ITEMS / 2} Replacements on one appliance and day`, () =>
    post(
      "/v1/service-events/bulk",
      events((i) => ({
        appliance_id: claimed,
        event_type: i % 2 === 0 ? "Warranty Claim" : "Replacement",
        date: "2024-03-01",
      })),
    ),
  );
  const replaced = await appliance();
  await measure(`${ITEMS} Replacements of one appliance, each on a day of its own`, () =>
    post(
      "/v1/service-events/bulk",
      events((i) => ({ appliance_id: replaced, event_type: "Replacement", date: day(i) })),
    ),
  );
  const { id } = await property();
  let ids: string[] = [];
  for (const nth of ["first", "second", "third"])
    ids = (
      await measure(`the ${nth} ${ITEMS} appliances into one property`, () =>
        post<{ events: { id: string }[] }>("/v1/appliances/bulk", someAppliances(id, ITEMS)),
      )
    ).events.map((one) => one.id);
  await measure(`an Emergency Repair of each of ${ITEMS} appliances there, each on a day of its own`, () =>
    post(
      "/v1/service-events/bulk",
      events((i) => ({ appliance_id: ids[i], event_type: "Emergency Repair", date: day(i) })),
    ),
  );
  const { token } = (await bench.run("embed", "create", id)).json as { token: string };
  const reads = {
    report: `/v1/property/${id}/report`,
    forecast: `/v1/property/${id}/forecast`,
    page: `/embed/property/${token}`,
    "component list": `/embed/property/${token}/components.csv`,
    "plan as CSV": `/embed/property/${token}/plan.csv`,
  };
  for (const [what, path] of Object.entries(reads))
    await measure(`the ${what} of those ${3 * ITEMS} appliances`, async () => {
      const answer = await fetch(server.url + path, { headers: { "x-api-key": sender.api_key } });
      if (answer.status !== 200) throw new Error(`the ${what} answered ${answer.status}`);
      await answer.arrayBuffer();
    });
  await server.stop();
  return figures;
}

const day = (i: number) => new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10);
