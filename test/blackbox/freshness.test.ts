import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, logEvents, THIS_YEAR } from "../support/portfolio.ts";

/*
 * A response may be cached as long as the cache makes no visible difference. An unknown parameter is ignored and
 * makes an address that was never requested, so its response is read from the database.
 */
const { serve } = useMainstay();
let server: Installation;
beforeAll(async () => {
  server = await serve();
});

type Side = { partner: Partner; client: ApiClient; property: Json; appliance: Json };

async function side(name: string): Promise<Side> {
  const partner = await server.createPartner(name);
  const client = server.as(partner);
  const property = await addProperty(client, { unit_count: 1 });
  const type_id = "water_heater_gas";
  const appliance = await addAppliance(client, property.id, { type_id, install_year: THIS_YEAR - 9 });
  return { partner, client, property, appliance };
}

const pages = ({ property, appliance }: Side) => [
  "/v1/properties",
  `/v1/properties/${property.id}`,
  `/v1/property/${property.id}/units`,
  "/v1/portfolio/summary",
  "/v1/appliances",
  `/v1/appliances/${appliance.id}`,
  "/v1/components",
  `/v1/components/${appliance.components[0].id}/history`,
  "/v1/alerts",
];

let asked = 0;
async function checkFresh(one: Side): Promise<void> {
  await Promise.all(
    pages(one).map(async (path) => {
      const kept = await one.client.get(path);
      const worked = await one.client.get(path, { _fresh: ++asked });
      expect(kept.body, path).toEqual(worked.body);
      expect(kept.headers.get("etag"), path).toBe(worked.headers.get("etag"));
    }),
  );
}

/** Changes that are visible to a partner. Each is complete when its promise resolves. */
const WRITES: Record<string, (one: Side) => Promise<unknown>> = {
  property: ({ client }) => addProperty(client, { unit_count: 2 }),
  units: ({ client, property }) =>
    client.put(`/v1/properties/${property.id}`, { unit_count: 1 + (asked % 50) }),
  appliance: ({ client, property }) => addAppliance(client, property.id),
  change: ({ client, appliance }) => client.put(`/v1/appliances/${appliance.id}`, { model: `M${asked}` }),
  event: ({ client, appliance }) =>
    logEvents(client, {
      appliance_id: appliance.id,
      event_type: "Emergency Repair",
      date: `${THIS_YEAR - 1}-05-01`,
    }),
  claim: ({ client, property }) =>
    client.post(`/v1/property/${property.id}/claims`, {
      claim_type: "water_damage",
      date_of_loss: `${THIS_YEAR - 1}-06-01`,
      amount: 100,
    }),
  sensor: ({ client, appliance }) =>
    client.post("/v1/meter-event/smart/v2", {
      event_type: "water_leak",
      severity: "high",
      appliance: { appliance_id: appliance.id },
    }),
};

/** Changes by commands in other processes. */
async function writeBeside({ partner }: Side): Promise<void> {
  const file = `${server.folder}/more.csv`;
  const rows = `X-${++asked},Oak House,2 Oak St,Albany,NY,12207\n`;
  await Bun.write(file, `partner_property_id,name,address,city,state,zip\n${rows}`);
  await server.json("import", "--partner", partner.partner_id, "--properties", file);
  await server.json("snapshot");
}

const aWrite = fc.record({
  what: fc.constantFrom(...Object.keys(WRITES)),
  whose: fc.constantFrom(0, 1),
});
const aStep = fc.oneof(
  { weight: 6, arbitrary: fc.array(aWrite, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant("another process" as const) },
);

describe("a response is never older than the last acknowledged write", () => {
  test("during writes of two partners, snapshots and another process", async () => {
    const sides = [await side("Acme"), await side("Other")];
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 6 }), async (steps) => {
        for (const step of steps) {
          // Reads during a write: a response that is older than the commit must not be cached.
          const reads = Promise.all(sides.flatMap((one) => pages(one).map((path) => one.client.get(path))));
          if (step === "another process") await writeBeside(sides[asked % 2]!);
          else await Promise.all(step.map(({ what, whose }) => WRITES[what]!(sides[whose]!)));
          await reads;
          await Promise.all(sides.map(checkFresh));
        }
      }),
      { numRuns: 12 },
    );
  });

  test("after a key is rotated or a partner is disabled", async () => {
    const one = await side("Rotating");
    await one.client.get("/v1/properties");
    const { api_key } = await server.json("partner", "rotate-key", one.partner.partner_id);
    await one.client.get("/v1/properties", {}, 401);
    const renewed = server.as({ ...one.partner, api_key });
    await renewed.get("/v1/properties");
    await server.run("partner", "disable", one.partner.partner_id);
    await renewed.get("/v1/properties", {}, 401);
    await server.run("partner", "enable", one.partner.partner_id);
    await renewed.get("/v1/properties");
  });
});
