import { beforeAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty } from "../support/portfolio.ts";
import { rowsOf, usePostgres } from "../support/postgres.ts";
import { startReceiver } from "../support/receiver.ts";
import {
  type AdministeredServers,
  administerServers,
  serverStarter,
  statusesOf,
} from "../support/several-servers.ts";

/*
 * Checks what administrators request from several servers on one database at the same instant.
 */

const { install } = useMainstay({ inFolder: true });
const serverOn = serverStarter(install);
const postgres = usePostgres();

let url: string;
let servers: Installation[];
let admin: AdministeredServers;
beforeAll(async () => {
  url = await postgres.newInstallation();
  const first = await serverOn(url);
  servers = [first, await serverOn(url, first), await serverOn(url, first)];
  admin = await administerServers(servers);
});

describe("a partner that several servers administer at once", () => {
  // Rule: admin-concurrency
  test("ends with one API key, one client secret and one webhook secret", async () => {
    const partner = await servers[0]!.json("partner", "create", "Rotated");
    const path = `/admin/partners/${partner.partner_id}`;
    const works = async (nth: number, key: string) =>
      (await servers[nth]!.client({ "x-api-key": key }).send("GET", "/v1/ping")).status === 200;
    for (let round = 0; round < 3; round++) {
      const keys = (await admin.asked(`${path}/rotate-key`)).map(({ body }) => body.api_key as string);
      for (const nth of [0, 1, 2]) {
        const live = [];
        for (const key of [partner.api_key, ...keys]) if (await works(nth, key)) live.push(key);
        expect(live).toHaveLength(1);
      }
      const secrets = (await admin.asked(`${path}/rotate-secret`)).map(
        ({ body }) => body.client_secret as string,
      );
      const granted = [];
      for (const [nth, secret] of secrets.entries()) {
        const form = new URLSearchParams({
          grant_type: "client_credentials",
          client_id: partner.client_id,
          client_secret: secret,
        });
        const { status } = await fetch(`${servers[nth % 3]!.url}/oauth/token`, {
          method: "POST",
          body: form,
        });
        granted.push(status);
      }
      expect(granted.filter((status) => status === 200)).toHaveLength(1);
    }
    expect(statusesOf(await admin.asked(`${path}/rotate-webhook-secret`))).toEqual([200, 200, 200, 200]);
  });

  test("has its tokens revoked, although others enable and disable it meanwhile", async () => {
    const partner = await servers[0]!.json("partner", "create", "Revoked");
    const path = `/admin/partners/${partner.partner_id}`;
    for (let round = 0; round < 5; round++) {
      const token = await servers[1]!.withToken(partner);
      for (const server of servers) await server.client(token.credential).get("/v1/ping");
      await Promise.all([
        admin.asked(`${path}/revoke-tokens`),
        admin.asked(`${path}/enable`),
        admin.asked(`${path}/revoke-tokens`),
      ]);
      for (const server of servers) await server.client(token.credential).get("/v1/ping", {}, 401);
    }
  });

  test("has its embed revoked once, although every request reports success", async () => {
    const partner = await servers[0]!.json("partner", "create", "Embedded");
    const property = await addProperty(servers[0]!.as(partner));
    const { body } = await admin.at[0]!.post("/admin/embeds", { property_id: property.id }, 201);
    const pathOf = new URL(body.url).pathname;
    // Made on one, looked at on another at once.
    expect((await fetch(servers[1]!.url + pathOf)).status).toBe(200);
    expect(statusesOf(await admin.asked(`/admin/embeds/${body.embed_id}/revoke`))).toEqual([
      200, 200, 200, 200,
    ]);
    expect(await admin.actionsOn(body.embed_id)).toEqual(["embed.revoke", "embed.create"]);
    for (const server of servers) expect((await fetch(server.url + pathOf)).status).toBe(404);
  });

  // Rule: partner-purge-final, admin-concurrency
  test("is deleted once by several requests, although others write and administer meanwhile", async () => {
    const partner = await servers[0]!.json("partner", "create", "Gone");
    const id = partner.partner_id;
    const clients = servers.map((server) => server.as(partner));
    const properties = await Promise.all(clients.map((client) => addProperty(client)));
    for (const [nth, client] of clients.entries())
      for (let many = 0; many < 5; many++) await addAppliance(client, properties[nth]!.id);
    let isOver = false;
    const seen = new Set<number>();
    const writing = clients.map(async (client) => {
      while (!isOver) {
        const body = { name: "Late", address: "1 Elm St", city: "Albany", state: "NY" };
        seen.add((await client.send("POST", "/v1/properties", { body })).status);
      }
    });
    const meddling = [0, 1].map(async (nth) => {
      while (!isOver)
        for (const action of ["enable", "rotate-key", "rotate-secret", "rotate-webhook-secret"]) {
          const { status } = await admin.at[nth]!.send("POST", `/admin/partners/${id}/${action}`);
          if (action !== "rotate-webhook-secret") expect([200, 404, 409]).toContain(status);
          else expect([200, 404]).toContain(status);
        }
    });
    const purges = await admin.asked(`/admin/partners/${id}/purge`, { confirm: "Gone" });
    expect(purges.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const { status, body } of purges)
      if (status === 409)
        expect(body.error).toMatch(
          /^Another task is already running for this partner(, started by the server at http:\S+, since \S+)?; wait/,
        );
      else expect([202, 404]).toContain(status);
    await eventually(async () =>
      expect((await admin.at[2]!.send("GET", `/admin/partners/${id}`)).status).toBe(404),
    );
    isOver = true;
    await Promise.all([...writing, ...meddling]);
    for (const status of seen) expect([201, 401, 404]).toContain(status);
    for (const nth of [0, 1])
      await eventually(async () => {
        const { status, body } = await admin.at[nth]!.send("GET", `/admin/partners/${id}/task`);
        if (status === 200) expect(["done", "failed"]).toContain(body.task.status);
      });
    expect((await admin.actionsOn(id)).filter((action) => action === "partner.purged")).toHaveLength(1);
    for (const table of ["properties", "credentials", "webhook_receivers", "partner_totals"])
      expect(await rowsOf(url, `SELECT 1 FROM ${table} WHERE partner_id = '${id}'`)).toEqual([]);
  });
});

describe("deliveries", () => {
  // Rule: admin-concurrency
  test("are sent again once by several concurrent requests, while another server delivers", async () => {
    const receiver = await startReceiver();
    const partner = await servers[0]!.json("partner", "create", "Notified", "--webhook-url", receiver.url);
    const made = await Promise.all(
      [0, 1, 2].map(async (nth) => {
        const path = `/admin/partners/${partner.partner_id}/webhook-test`;
        return (await admin.at[nth]!.post(path, {}, 202)).body.delivery_id as string;
      }),
    );
    expect(new Set(made).size).toBe(3);
    const finished = (attempts: number) =>
      eventually(async () => {
        for (const id of made)
          expect((await admin.at[0]!.get(`/admin/webhook-deliveries/${id}`)).body).toMatchObject({
            status: "delivered",
            attempt_count: attempts,
          });
      });
    await finished(1);
    for (let round = 0; round < 3; round++) {
      const resent = await Promise.all(
        made.map(async (id) => {
          const replies = await admin.asked(`/admin/webhook-deliveries/${id}/resend`);
          const refused = replies.filter(({ status }) => status !== 202);
          for (const { status, body } of refused)
            expect([status, body.error]).toEqual([409, "Delivery is still in progress"]);
          return replies.length - refused.length;
        }),
      );
      // A delivery that arrived in the meantime may be sent once more; none is sent without an audit entry.
      expect(Math.min(...resent)).toBeGreaterThanOrEqual(1);
      await eventually(async () => {
        for (const id of made) {
          const { body } = await admin.at[0]!.get(`/admin/webhook-deliveries/${id}`);
          const entries = (await admin.actionsOn(id)).filter((action) => action === "delivery.resend").length;
          expect(body).toMatchObject({ status: "delivered", attempt_count: entries + 1 });
          expect(receiver.received.filter((one) => one.id === id)).toHaveLength(entries + 1);
        }
      });
    }
    await receiver.close();
  });
});

describe("an administrator who is signed in at the console of one server", () => {
  test("is signed in on another, makes changes there, and is signed out everywhere by a third", async () => {
    const signedIn = await fetch(`${servers[0]!.adminUrl}/console/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ admin_key: admin.key }),
    });
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    const { csrf_token: csrf } = (await signedIn.json()) as Json;
    const headers = { cookie, "x-csrf-token": csrf, "content-type": "application/json" };
    const made = await fetch(`${servers[1]!.adminUrl}/console/admin/partners`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "By the console" }),
    });
    expect(made.status).toBe(201);
    const out = await fetch(`${servers[2]!.adminUrl}/console/session/end`, { method: "POST", headers });
    expect(out.status).toBe(200);
    for (const { adminUrl } of servers)
      expect((await fetch(`${adminUrl}/console/admin/partners`, { headers: { cookie } })).status).toBe(401);
  });
});
