import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addProperty } from "../support/portfolio.ts";
import { type Receiver, startReceiver, verifySignatures } from "../support/receiver.ts";

const { install, serve } = useMainstay();
const receivers: Receiver[] = [];
let server: Installation;
let acme: Partner;
beforeAll(async () => {
  server = await serve();
  acme = await server.createPartner("Acme");
});
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** Starts a webhook endpoint that responds with this status to a wrong signature. */
async function verifying(secret: () => string, refusal: number): Promise<Receiver> {
  const receiver = await startReceiver();
  receiver.behave((delivery) => {
    const hex = new Bun.CryptoHasher("sha256", secret()).update(delivery.body).digest("hex");
    return { status: delivery.headers["x-webhook-signature"] === hex ? 200 : refusal };
  });
  receivers.push(receiver);
  return receiver;
}

describe("beside a running server", () => {
  test("disabling a partner rejects its key and tokens, and enabling it accepts the key again", async () => {
    const byKey = server.as(acme);
    const byToken = await server.withToken(acme);
    await byKey.get("/v1/ping");
    expect(await server.json("partner", "disable", acme.partner_id)).toMatchObject({
      partner_id: acme.partner_id,
      enabled: false,
    });
    await byKey.get("/v1/ping", {}, 401);
    await byToken.get("/v1/ping", {}, 401);
    expect(await server.json("partner", "enable", acme.partner_id)).toMatchObject({ enabled: true });
    await byKey.get("/v1/ping");
    await byToken.get("/v1/ping", {}, 401);
  });

  // Rule: tokens-revoked
  test("revoked tokens stop working", async () => {
    const byToken = await server.withToken(acme);
    await byToken.get("/v1/ping");
    await server.json("partner", "revoke-tokens", acme.partner_id);
    await byToken.get("/v1/ping", {}, 401);
  });

  // Rule: daily-limit-changed
  test("a daily call limit applies from the next call", async () => {
    expect(await server.json("partner", "set-budget", acme.partner_id, "500")).toMatchObject({
      daily_budget: 500,
    });
    expect((await server.as(acme).get("/v1/ping")).headers.get("x-ratelimit-limit")).toBe("500");
  });

  test("an endpoint's concurrency and events can be set and are shown", async () => {
    const { partner_id } = await server.createPartner("Hooked");
    const flags = ["--concurrency", "2", "--event", "property.created"];
    await server.json("partner", "set-webhook", partner_id, "https://hooks.example/", ...flags);
    const refused = await server.run("partner", "set-webhook", partner_id, "http://169.254.1.1/");
    expect(refused.stderr).toContain("169.254.1.1 is a link-local address, which is always refused");
    const shown = {
      webhook_url: "https://hooks.example/",
      webhook_concurrency: 2,
      webhook_events: ["property.created"],
      webhook_paused_at: null,
    };
    expect(await server.json("partner", "show", partner_id)).toMatchObject(shown);
    const { partners } = await server.json("partner", "list");
    expect(partners.find((one: Json) => one.partner_id === partner_id)).toMatchObject(shown);
  });
});

describe("usage", () => {
  test("prints the month's calls per day and the billable units as a table, CSV and JSON", async () => {
    const partner = await server.createPartner('Smith, "Jones" & Co');
    await addProperty(server.as(partner), { unit_count: 7 });
    const month = new Date().toISOString().slice(0, 7);
    const { partners, ...rest } = await server.json("partner", "usage", partner.partner_id);
    expect(rest).toEqual({ month });
    expect(partners).toEqual([
      {
        partner_id: partner.partner_id,
        name: partner.name,
        month,
        calls: expect.any(Number),
        billable_units: 7,
        days: [{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), calls: partners[0].calls }],
      },
    ]);
    const { day } = partners[0].days[0];
    const csv = await server.run("partner", "usage", partner.partner_id, "--month", month, "--csv");
    expect(csv.stdout.split("\n")).toEqual([
      "partner_id,day,calls,billable_units,name",
      `${partner.partner_id},${day},${partners[0].calls},7,"Smith, ""Jones"" & Co"`,
      "",
    ]);
    expect((await server.run("partner", "usage")).stdout).toMatch(
      /^PARTNER +DAY +CALLS +BILLABLE UNITS +NAME\n/,
    );
    const past = await server.json("partner", "usage", "--month", "2020-01");
    expect(past.partners.every((one: Json) => one.calls === 0 && one.days.length === 0)).toBe(true);
  });
});

describe("a probe with a wrong signature", () => {
  // Rule: forged-probe
  test("distinguishes endpoints that verify signatures from others, and is in the audit log", async () => {
    const own = await serve();
    let secret = "";
    const good = await verifying(() => secret, 401);
    const odd = await verifying(() => secret, 500);
    const lenient = await startReceiver();
    receivers.push(lenient);
    const verifies = await own.createPartner("Verifies", "--webhook-url", good.url);
    secret = verifies.webhook_secret;
    const unclear = await own.createPartner("Unclear", "--webhook-url", odd.url);
    const accepts = await own.createPartner("Accepts", "--webhook-url", lenient.url);
    const gone = await own.createPartner("Gone", "--webhook-url", "http://127.0.0.1:1/");
    await own.createPartner("Deaf");
    const { receivers: probed } = await own.json("partner", "probe-webhook", "--all");
    expect(
      probed.map(({ partner_id, verdict, status_code }: Json) => [partner_id, verdict, status_code]),
    ).toEqual([
      [verifies.partner_id, "verifies", 401],
      [unclear.partner_id, "unclear", 500],
      [accepts.partner_id, "accepts", 200],
      [gone.partner_id, "unreachable", null],
    ]);
    expect(probed[2]).toMatchObject({ accepts_without_verifying: true, webhook_url: lenient.url });
    const [received] = lenient.received;
    expect(received).toMatchObject({ event: "webhook.test" });
    expect(await verifySignatures(received!, accepts.webhook_secret)).toMatchObject({
      service: false,
      webhook: false,
      standard: false,
    });
    const { entries } = await own.json("audit", "--subject", accepts.partner_id, "--limit", "1");
    expect(entries).toMatchObject([{ action: "partner.probe_webhook", detail: { verdict: "accepts" } }]);
    const table = await own.run("partner", "probe-webhook", accepts.partner_id);
    expect(table.stdout).toContain("DOES NOT VERIFY");
    expect(lenient.received).toHaveLength(2);
  });

  test("is rejected for a partner without an endpoint, and without a partner", async () => {
    expect((await server.run("partner", "probe-webhook", acme.partner_id)).stderr).toContain(
      "has no webhook endpoint",
    );
    expect((await server.run("partner", "probe-webhook")).code).toBe(2);
    expect((await server.run("partner", "probe-webhook", acme.partner_id, "--all")).code).toBe(2);
  });
});

describe("deliveries", () => {
  test("created while no server runs are sent when one starts, and are listed with their results", async () => {
    const own = install();
    const receiver = await startReceiver();
    receivers.push(receiver);
    const { partner_id } = await own.createPartner("Acme", "--webhook-url", receiver.url);
    const { id } = await own.json("partner", "webhook-test", partner_id, "--message", "Hello");
    const pending = await own.json("deliveries", "list", "--partner", partner_id, "--status", "pending");
    expect(pending).toMatchObject({ total: 1, deliveries: [{ id, attempt_count: 0, attempts: [] }] });
    await own.start();
    const delivered = await eventually(async () => {
      const found = await own.json("deliveries", "show", id);
      expect(found.status).toBe("delivered");
      return found;
    });
    expect(delivered).toMatchObject({
      event: "webhook.test",
      payload: { data: { message: "Hello", requested_by: expect.any(String) } },
      attempts: [{ attempt: 1, status_code: 200, error: null }],
    });
    const { stdout } = await own.run(
      "deliveries",
      "list",
      "--since",
      "2020-01-01",
      "--event",
      "webhook.test",
    );
    expect(stdout).toContain(id);
  });
});

describe("incorrect usage", () => {
  test("with unknown IDs exits 1 with a remedy", async () => {
    const unknown = "PARTNER_00000000000000000000000000";
    for (const args of [
      ["partner", "show", unknown],
      ["partner", "disable", unknown],
      ["partner", "set-budget", unknown, "5"],
      ["partner", "rotate-webhook-secret", unknown],
      ["partner", "rotate-secret", unknown],
      ["partner", "webhook-test", unknown],
      ["partner", "usage", unknown],
      ["deliveries", "resend", "--partner", unknown, "--from", "2020-01-01", "--to", "2021-01-01"],
    ]) {
      const { code, stderr } = await server.run(...args);
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toContain("mainstay partner list");
    }
  });

  test("with invalid values exits 2 with the expected format, and changes nothing", async () => {
    const before = await server.json("partner", "show", acme.partner_id);
    for (const [args, words] of [
      [["partner", "set-budget", acme.partner_id, "lots"], "whole number"],
      [["partner", "rotate-webhook-secret", acme.partner_id, "--overlap", "soon"], "24h"],
      [["partner", "usage", "--month", "2026-13"], "2026-01"],
      [
        ["partner", "set-webhook", acme.partner_id, "https://a.example/", "--concurrency", "65"],
        "from 1 to 64",
      ],
      [["deliveries", "list", "--since", "yesterday"], "ISO 8601"],
      [["deliveries", "list", "--status", "lost"], "pending or delivered or failed"],
      [["audit", "--limit", "0"], "from 1 to"],
    ] as const) {
      const { code, stderr } = await server.run(...args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain(words);
    }
    expect(await server.json("partner", "show", acme.partner_id)).toEqual(before);
  });
});
