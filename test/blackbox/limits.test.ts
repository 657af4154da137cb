import { beforeAll, describe, expect, test } from "bun:test";
import { createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import type { Reply } from "../support/reply.ts";

const { serve } = useMainstay();

const ping = (client: ApiClient, headers: Record<string, string> = {}) =>
  client.send("GET", "/v1/ping", { headers });
const statuses = (replies: Reply[]) => replies.map((reply) => reply.status);
const times = async (count: number, ask: () => Promise<Reply>) => {
  const replies: Reply[] = [];
  for (let i = 0; i < count; i++) replies.push(await ask());
  return replies;
};
const DAY_S = 86_400;
const secondOfDay = (ms: number) => Math.floor(ms / 1000) % DAY_S;

describe("the limit per address", () => {
  const LIMITED = { limits: { per_ip_per_minute: 4 } };

  // Rule: limit-order, limit-per-address
  test("applies to every request", async () => {
    const server = await serve(LIMITED);
    const client = server.as(await server.createPartner());
    await client.ask("GET", "/v1/ping", 200);
    await server.anonymous.ask("GET", "/v1/ping", 401);
    await server.anonymous.ask("GET", "/nothing", 404);
    await server.anonymous.ask("OPTIONS", "/v1/ping", 204);
    for (const path of ["/v1/ping", "/nothing", "/metrics"]) {
      const { body, headers } = await client.ask("GET", path, 429);
      expect(body).toMatchObject({ error: "Too many requests. Please slow down.", code: "rate_limited" });
      expect(Number(headers.get("retry-after"))).toBeWithin(1, 61);
    }
  });

  // Rule: limit-order, limit-per-address
  test("is not applied to the health and to scrapes, nor do they count", async () => {
    const server = await serve(LIMITED);
    const open = server.anonymous;
    for (let nth = 0; nth < 10; nth++) {
      await open.ask("GET", nth % 2 === 0 ? "/health" : "/v1/health", 200);
      for (const path of ["/health", "/metrics"])
        expect((await fetch(new URL(path, server.adminUrl))).status).toBe(200);
    }
    expect(statuses(await times(5, () => ping(open)))).toEqual([401, 401, 401, 401, 429]);
    await open.ask("GET", "/health", 200);
  });

  // Rule: limit-per-address
  test("leaves room for scrapes where partners can send some too", async () => {
    const server = await serve({ ...LIMITED, admin: { listen: "main" } });
    const { client } = await createAdministrator(server);
    expect(statuses(await times(5, () => ping(server.anonymous)))).toEqual([401, 401, 401, 401, 429]);
    for (let nth = 0; nth < 50; nth++) await client.ask("GET", "/metrics", 200);
    expect(statuses(await times(11, () => server.anonymous.send("GET", "/metrics"))).at(-1)).toBe(429);
  });

  // Rule: limit-per-address
  test("applies to token requests before their credentials are checked", async () => {
    const server = await serve(LIMITED);
    const { client_id, client_secret } = await server.createPartner();
    const body = { grant_type: "client_credentials", client_id, client_secret };
    const ask = () => server.anonymous.send("POST", "/oauth/token", { body });
    expect(statuses(await times(5, ask))).toEqual([200, 200, 200, 200, 429]);
  });

  // Rule: forwarded-for
  test("uses the socket's address, and X-Forwarded-For only from trusted proxies", async () => {
    const distrusting = await serve(LIMITED);
    const from = (address: string) => ({ "x-forwarded-for": address });
    let host = 0;
    const fromMany = await times(5, () => ping(distrusting.anonymous, from(`10.0.0.${++host}`)));
    expect(statuses(fromMany)).toEqual([401, 401, 401, 401, 429]);
    const trusting = await serve({ ...LIMITED, server: { trusted_proxies: ["127.0.0.0/8"] } });
    const fromOne = await times(5, () => ping(trusting.anonymous, from("6.6.6.6, 10.0.0.1")));
    expect(statuses(fromOne)).toEqual([401, 401, 401, 401, 429]);
    expect((await ping(trusting.anonymous, from("6.6.6.6, 10.0.0.2"))).status).toBe(401);
  });
});

describe("the limit per partner", () => {
  // Rule: limit-order, limit-per-partner
  test("counts a partner's keys and tokens together, and other partners separately", async () => {
    const server = await serve({ limits: { per_partner_per_minute: 3, daily_budget: 100 } });
    const acme = await server.createPartner("Acme");
    const other = server.as(await server.createPartner("Other"));
    const [byKey, byToken] = [server.as(acme), await server.withToken(acme)];
    expect(statuses([await ping(byKey), await ping(byToken), await ping(byKey)])).toEqual([200, 200, 200]);
    for (const client of [byKey, byToken]) {
      const { body, headers } = await client.ask("GET", "/v1/ping", 429);
      expect(body.error).toBe("Rate limit exceeded. Maximum 3 requests per minute.");
      expect(Number(headers.get("retry-after"))).toBeWithin(1, 61);
      expect(headers.get("x-ratelimit-remaining"), "a refused call is not taken from the budget").toBe("97");
    }
    await other.get("/v1/ping");
  });
});

describe("the daily call limit", () => {
  let server: Installation;
  beforeAll(async () => {
    server = await serve();
  });

  // Rule: daily-limit
  test("counts every admitted call with any result, down to zero", async () => {
    const client = server.as(await server.createPartner("Acme", "--daily-budget", "4"));
    const asked = [
      await client.ask("GET", "/v1/ping", 200),
      await client.ask("GET", "/v1/properties/P_1", 404),
      await client.ask("POST", "/v1/properties", 400, { body: {} }),
      await client.ask("POST", "/v1/properties", 415, { raw: "x" }),
    ];
    expect(asked.map(({ headers }) => headers.get("x-ratelimit-remaining"))).toEqual(["3", "2", "1", "0"]);
    for (const { headers } of asked) expect(headers.get("x-ratelimit-limit")).toBe("4");
    const beforeMs = Date.now();
    const { body, headers } = await client.ask("GET", "/v1/ping", 429);
    expect(body).toMatchObject({
      error: "Daily limit of 4 calls per day exceeded. Resets at midnight UTC.",
      code: "budget_exhausted",
    });
    expect(headers.get("x-ratelimit-remaining")).toBe("0");
    const answeredAt = DAY_S - Number(headers.get("retry-after"));
    const sinceS = (answeredAt - secondOfDay(beforeMs) + DAY_S) % DAY_S;
    expect(sinceS).toBeWithin(0, Math.ceil((Date.now() - beforeMs) / 1000) + 1);
  });

  // Rule: daily-limit-survives
  test("is never exceeded by concurrent calls", async () => {
    const client = server.as(await server.createPartner("Acme", "--daily-budget", "40"));
    const replies = await Promise.all(Array.from({ length: 100 }, () => ping(client)));
    expect(statuses(replies).filter((status) => status === 200)).toHaveLength(40);
  });

  // Rule: limit-order
  test("does not count requests without valid credentials", async () => {
    const partner = await server.createPartner("Acme", "--daily-budget", "2");
    await times(5, () => ping(server.anonymous));
    await times(5, () => ping(server.as({ api_key: "svc_live_0" })));
    expect((await server.as(partner).get("/v1/ping")).headers.get("x-ratelimit-remaining")).toBe("1");
  });

  // Rule: daily-limit-default
  test("defaults to the setting", async () => {
    const frugal = await serve({ limits: { daily_budget: 7 } });
    const client = frugal.as(await frugal.createPartner());
    expect((await client.get("/v1/ping")).headers.get("x-ratelimit-limit")).toBe("7");
  });

  // Rule: daily-limit-survives
  test("is exact after a shutdown and restart", async () => {
    const client = server.as(await server.createPartner("Acme", "--daily-budget", "30"));
    for (let calls = 0; calls < 30; calls += 15) {
      const replies = await times(15, () => ping(client));
      expect(statuses(replies)).toEqual(Array(15).fill(200));
      await server.stop();
      await server.start();
    }
    await client.ask("GET", "/v1/ping", 429);
  });

  // Rule: daily-limit-survives
  test("survives kill -9 and forfeits at most 10 calls each time, never allowing one too many", async () => {
    const client = server.as(await server.createPartner("Acme", "--daily-budget", "50"));
    let allowed = 0;
    for (let crash = 0; crash < 2; crash++) {
      allowed += (await times(12, () => ping(client))).filter(({ status }) => status === 200).length;
      await server.kill();
      await server.start();
    }
    allowed += (await times(60, () => ping(client))).filter(({ status }) => status === 200).length;
    expect(allowed).toBeWithin(30, 51);
  });
});
