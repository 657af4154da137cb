import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, logEvents } from "../support/portfolio.ts";

/** What is right takes a tenth of it; on a machine with much else to do it must not fail. */
const BODY_MS = 5_000;
/**
 * Half of the pings. The slowest may wait for the write itself, to count the call: `bun run bench --only stalls` has
 * that figure, of a machine of its own.
 */
const PING_MS = 250;
const ITEMS = 1000;

const { serve } = useMainstay();
let client: ApiClient;
let other: ApiClient;
let property: Json;
beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  other = server.as(await server.createPartner("Other"));
  property = await addProperty(client);
});

/** How long it took, and how long another partner waited for a page meanwhile. */
async function beside<T>(send: () => Promise<T>) {
  let going = true;
  const times: number[] = [];
  const pings = (async () => {
    while (going) {
      const startedAt = performance.now();
      await other.get("/v1/properties");
      times.push(performance.now() - startedAt);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const startedAt = performance.now();
  const answer = await send();
  const tookMs = performance.now() - startedAt;
  going = false;
  await pings;
  const pingMs = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
  return { answer, tookMs, pingMs };
}

const day = (i: number) => new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10);
const items = (make: (i: number) => object) => Array.from({ length: ITEMS }, (_, i) => make(i));

describe("a full body keeps nobody waiting", () => {
  test.each<[string, (i: number) => object]>([
    [
      "as many warranty claims as replacements, of one day",
      (i) => ({ event_type: i % 2 === 0 ? "Warranty Claim" : "Replacement", date: "2024-03-01" }),
    ],
    ["replacements, each of a day of its own", (i) => ({ event_type: "Replacement", date: day(i) })],
  ])("of service events of one appliance: %s", async (_, event) => {
    const { id } = await addAppliance(client, property.id, {
      type_id: "water_heater_gas",
      install_year: 2000,
    });
    const { answer, tookMs, pingMs } = await beside(() =>
      logEvents(client, ...items((i) => ({ appliance_id: id, ...event(i) }))),
    );
    expect(answer.created).toBe(ITEMS);
    expect(tookMs).toBeLessThan(BODY_MS);
    expect(pingMs).toBeLessThan(PING_MS);
  });

  test("of appliances of one property, which it is scored for once, however many it has", async () => {
    const types = ["plumbing_supply", "washer", "water_heater_gas"];
    const { id } = await addProperty(client);
    for (let body = 0; body < 3; body++) {
      const { answer, tookMs, pingMs } = await beside(async () => {
        const appliances = items((i) => ({
          property_id: id,
          type_id: types[i % 3],
          install_year: 2000 + (i % 20),
        }));
        return (await client.post("/v1/appliances/bulk", { appliances })).body;
      });
      expect(answer.created).toBe(ITEMS);
      expect(tookMs).toBeLessThan(BODY_MS);
      expect(pingMs).toBeLessThan(PING_MS);
    }
  });
});
