import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";
import { onPostgres, testOnSqlite } from "../support/postgres.ts";

const QUOTA = 20_000;
const { serve } = useMainstay();
let server: Installation;
beforeAll(async () => {
  server = await serve({ limits: { photo_bytes_per_partner: QUOTA } });
});

type Uploader = { id: string; client: ApiClient; appliance: Json };
async function uploader(on: Installation, name: string): Promise<Uploader> {
  const partner = await on.createPartner(name);
  const client = on.as(partner);
  const appliance = await addAppliance(client, (await addProperty(client)).id);
  return { id: partner.partner_id, client, appliance };
}

const send = ({ client, appliance }: Uploader, bytes: number, headers: Record<string, string> = {}) => {
  const form = new FormData();
  const picture = new Uint8Array(bytes);
  picture.set([0xff, 0xd8, 0xff, 0xe0]);
  form.set("file", new File([picture], "tank.jpg"));
  return client.send("POST", `/v1/appliances/${appliance.id}/photos`, { raw: form, headers });
};
const photoBytesOf = async ({ id }: Uploader) =>
  (await server.sql(`SELECT photo_bytes AS bytes FROM partner_totals WHERE partner_id = '${id}'`)).map(
    ({ bytes }) => Number(bytes),
  );

describe("limits.photo_bytes_per_partner", () => {
  test("refuses a photo beyond it with 413, stores nothing of it, and leaves other partners alone", async () => {
    const [acme, other] = [await uploader(server, "Acme"), await uploader(server, "Other")];
    expect((await send(acme, 12_000)).status).toBe(201);
    const stored = await server.uploads();
    const refused = await send(acme, 8_001);
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({
      error:
        "The photos of a partner may take 20000 bytes together, and yours take 12000. Remove photos that you no longer need, or ask the operator for more.",
      code: "payload_too_large",
    });
    expect(await server.uploads()).toEqual(stored);
    const key = { "idempotency-key": "the last one" };
    expect((await send(acme, 8_000, key)).status).toBe(201);
    expect((await send(acme, 1_000)).status).toBe(413);
    // A repeated request whose photo is stored is no further one.
    expect((await send(acme, 8_000, key)).status).toBe(201);
    expect((await send(acme, 8_000, { "idempotency-key": "a new one" })).status).toBe(413);
    expect((await send(other, 12_000)).status).toBe(201);
    expect(await photoBytesOf(acme)).toEqual([QUOTA]);
    const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(metrics).toContain(`mainstay_partner_photo_bytes{partner="${acme.id}"} ${QUOTA}`);
  });

  // Rule: remove-photo
  test("is free again for what was removed, once, however often at a time", async () => {
    const acme = await uploader(server, "Removing");
    const first = await send(acme, 12_000);
    expect((await send(acme, 9_000)).status).toBe(413);
    const path = `/v1/appliances/${acme.appliance.id}/photos/${first.body.id}`;
    const replies = await Promise.all(Array.from({ length: 5 }, () => acme.client.send("DELETE", path)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
    expect(await photoBytesOf(acme)).toEqual([0]);
    expect((await send(acme, 9_000)).status).toBe(201);
    expect(await photoBytesOf(acme)).toEqual([9_000]);
  });

  test("holds for concurrent uploads", async () => {
    const many = await uploader(server, "Many");
    const replies = await Promise.all(Array.from({ length: 12 }, () => send(many, 4_000)));
    const accepted = replies.filter(({ status }) => status === 201);
    expect(accepted).toHaveLength(QUOTA / 4_000);
    expect(replies.filter(({ status }) => status === 413)).toHaveLength(12 - accepted.length);
    expect(await photoBytesOf(many)).toEqual([QUOTA]);
    expect((await many.client.get(`/v1/appliances/${many.appliance.id}/photos`)).body.total).toBe(5);
  });
});

testOnSqlite(
  "an upload that leaves less than storage.min_free_bytes is a 503, and other writes continue",
  async () => {
    const full = await serve({ storage: { min_free_bytes: 1_000_000_000_000 } });
    full.expectFault(/request refused: no storage/);
    const acme = await uploader(full, "Acme");
    const refused = await send(acme, 1_000);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const { reason } = await full.logged(({ msg }) => msg === "request refused: no storage");
    expect(reason).toContain("storage.min_free_bytes");
    expect(await full.uploads()).toEqual([]);
    await addProperty(acme.client, { name: "Second" });
  },
);

test.skipIf(!onPostgres)("an upload beyond storage.max_database_bytes is a 503 on PostgreSQL", async () => {
  const full = await serve({ storage: { max_database_bytes: 1 } });
  full.expectFault(/request refused: no storage/);
  const acme = await uploader(full, "Acme");
  expect((await send(acme, 1_000)).status).toBe(503);
  const { reason } = await full.logged(({ msg }) => msg === "request refused: no storage");
  expect(reason).toContain("storage.max_database_bytes");
  expect(await full.uploads()).toEqual([]);
  await addProperty(acme.client, { name: "Second" });
});
