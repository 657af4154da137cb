import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, PROPERTY } from "../support/portfolio.ts";
import type { Reply } from "../support/reply.ts";

const { install, serve } = useMainstay();
const statuses = (replies: Reply[]) => replies.map(({ status }) => status);

// Rule: default-limits
test("a partner has 1000 calls per day and 60 per minute, and an address 120 per minute", async () => {
  const server = install();
  writeFileSync(server.configFile, "");
  await server.start();
  const client = server.as(await server.createPartner());
  const asked = await Promise.all(Array.from({ length: 60 }, () => client.send("GET", "/v1/ping")));
  expect(statuses(asked)).toEqual(Array(60).fill(200));
  expect(asked[0]!.headers.get("x-ratelimit-limit")).toBe("1000");
  const { body } = await client.get("/v1/ping", {}, 429);
  expect(body.error).toBe("Rate limit exceeded. Maximum 60 requests per minute.");
  const unknown = () => server.anonymous.send("GET", "/unknown");
  expect(statuses(await Promise.all(Array.from({ length: 59 }, unknown)))).toEqual(Array(59).fill(404));
  const refused = await server.anonymous.get("/unknown", {}, 429);
  expect(refused.body.error).toBe("Too many requests. Please slow down.");
});

describe("with other settings", () => {
  let client: ApiClient;
  let property: Json;
  let appliance: Json;
  beforeAll(async () => {
    const server = await serve({ limits: { body_bytes: 2000, bulk_items: 2, photo_bytes: 4000 } });
    client = server.as(await server.createPartner());
    property = await addProperty(client);
    appliance = await addAppliance(client, property.id);
  });

  // Rule: limit-settings
  test("a body is limited by limits.body_bytes", async () => {
    const { body } = await client.post("/v1/properties", { ...PROPERTY, notes: "n".repeat(2000) }, 413);
    expect(body.error).toBe("Body is larger than 2000 bytes");
    await client.post("/v1/properties", { ...PROPERTY, notes: "n".repeat(1500) });
  });

  // Rule: limit-settings
  test("a bulk request is limited by limits.bulk_items", async () => {
    const bulk: [string, string][] = [
      ["/v1/service-events/bulk", "events"],
      ["/v1/appliances/bulk", "appliances"],
      [`/v1/property/${property.id}/claims`, "claims"],
    ];
    for (const [path, name] of bulk) {
      const { body } = await client.post(path, { [name]: [{}, {}, {}] }, 400);
      expect(body.error).toBe("At most 2 items per request");
      expect((await client.post(path, { [name]: [{}, {}] })).body.errors).toBe(2);
    }
  });

  // Rule: limit-settings
  test("a photo is limited by limits.photo_bytes", async () => {
    const upload = (bytes: number, status: number) => {
      const form = new FormData();
      const picture = new Uint8Array(bytes);
      picture.set([0xff, 0xd8, 0xff, 0xe0]);
      form.set("file", new File([picture], "tank.jpg"));
      return client.ask("POST", `/v1/appliances/${appliance.id}/photos`, status, { raw: form });
    };
    await upload(4000, 201);
    await upload(4001, 413);
  });
});
