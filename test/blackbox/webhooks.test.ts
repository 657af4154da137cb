import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import {
  addAppliance,
  addProperty,
  addWornAppliance,
  dateDaysFromToday,
  logEvents,
} from "../support/portfolio.ts";
import {
  type Behavior,
  type Received,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
  verifySignatures,
} from "../support/receiver.ts";

const { serve } = useMainstay();
const receivers: Receiver[] = [];
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** A server as it is without settings, which none of those stops that use it. */
let shared: Installation;
beforeAll(async () => {
  shared = await serve();
});

type Listening = { partner: Partner; client: ApiClient; receiver: Receiver };

/** A partner whose webhooks go to a receiver of its own. */
async function listen(server: Installation, behave?: ReceiverOptions["behave"]): Promise<Listening> {
  const receiver = await startReceiver(behave ? { behave } : {});
  receivers.push(receiver);
  const partner = await server.createPartner("Acme", "--webhook-url", receiver.url);
  return { partner, client: server.as(partner), receiver };
}

const bodyOf = (delivery: Received): Json => JSON.parse(delivery.body.toString());
const ofEvent = (received: Received[], event: string) => received.filter((one) => one.event === event);
const attempts = ({ received }: Receiver) => received.map((one) => one.atMs);
const expectSigned = async (delivery: Received, { webhook_secret }: Partner) =>
  expect(await verifySignatures(delivery, webhook_secret)).toEqual({
    service: true,
    webhook: true,
    standard: true,
    next: null,
  });

describe("a change in a portfolio", () => {
  let server: Installation;
  let acme: Listening;
  let property: Json;
  let worn: Json;
  let received: Received[];
  /** The life of a portfolio: everything that is announced, in one go. */
  beforeAll(async () => {
    server = await serve();
    acme = await listen(server);
    const { client, receiver } = acme;
    property = await addProperty(client);
    worn = await addWornAppliance(client, property.id);
    await logEvents(client, {
      appliance_id: worn.id,
      event_type: "Inspection",
      date: dateDaysFromToday(0),
      parts_cost: 12.5,
    });
    await server.json("snapshot");
    await receiver.waitFor((all) => ofEvent(all, "component.critical").length === worn.components_created);
    await logEvents(client, {
      appliance_id: worn.id,
      component_id: worn.components[0].id,
      event_type: "Replacement",
      date: dateDaysFromToday(0),
    });
    // Messages about different components arrive in any order.
    received = await receiver.waitFor(
      (all) =>
        ofEvent(all, "component.recovered").length === 1 &&
        ofEvent(all, "service_event.created").length === 2 &&
        ofEvent(all, "appliance.created").length === 1 &&
        ofEvent(all, "property.created").length === 1,
    );
  });
  const dataOf = (event: string): Json[] => ofEvent(received, event).map((one) => bodyOf(one).data);

  // Rule: envelope, versioning
  test("is sent in the envelopes of the specification", () => {
    for (const delivery of received)
      expect(bodyOf(delivery)).toEqual({
        event: delivery.event,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
        partner_id: acme.partner.partner_id,
        partner: "Acme",
        version: "v1",
        data: expect.any(Object),
      });
  });

  // Rule: signatures
  test("is signed in each of the documented ways", async () => {
    for (const delivery of received) await expectSigned(delivery, acme.partner);
  });

  // Rule: delivery-ids, delivery-form
  test("has the headers of the specification", () => {
    for (const { headers, id } of received)
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "user-agent": "Service-Webhook/1.0",
        "x-service-delivery": expect.stringMatching(/^WH_\d{13}_[0-9a-hjkmnp-tv-z]{5}$/),
        "webhook-id": id,
      });
    expect(new Set(received.map(({ id }) => id)).size).toBe(received.length);
  });

  // Rule: service-event-created, property-created, appliance-created
  test("is sent: a new property, a new appliance, a logged event", () => {
    const { address, city, country, state } = property;
    expect(dataOf("property.created")).toEqual([
      { property_id: property.id, address, city, country, state, source: "api" },
    ]);
    expect(dataOf("appliance.created")).toEqual([
      { appliance_id: worn.id, type_id: worn.type_id, property_id: property.id },
    ]);
    expect(dataOf("service_event.created").find((data) => data.event_type === "Inspection")).toEqual({
      event_id: expect.stringMatching(/^SE_/),
      event_type: "Inspection",
      appliance_id: worn.id,
      appliance_type: worn.type_id,
      property_id: property.id,
      property_name: property.name,
      total_cost: 12.5,
      date: dateDaysFromToday(0),
    });
  });

  // Rule: snapshot-sends, component-critical
  test("is sent by the snapshot: each component that has become critical, once", () => {
    const critical = dataOf("component.critical");
    expect(critical.map((data) => data.component_id).sort()).toEqual(
      worn.components.map((one: Json) => one.id).sort(),
    );
    expect(critical.find((data) => data.component_def_id === "wh_gas_tank")).toEqual({
      component_id: worn.components[0].id,
      component_name: "Glass-lined tank",
      component_def_id: "wh_gas_tank",
      appliance_id: worn.id,
      appliance_type: "water_heater_gas",
      property_id: property.id,
      property_name: property.name,
      risk_score: 0.99,
      risk_tier: "CRITICAL",
      previous_tier: "GOOD",
      confidence: expect.stringMatching(/^(HIGH|MEDIUM|LOW)$/),
      proactive_cost: expect.any(Number),
      reactive_cost: expect.any(Number),
      cost_basis: "reference",
      projected_failure_year: expect.any(Number),
      action: "replace_now",
      reason: "Replaced together with its unit, which is due now.",
    });
  });

  // Rule: replacement-sends, component-recovered
  test("is sent at once if a replacement returns a component to GOOD", () => {
    expect(dataOf("component.recovered")).toMatchObject([
      { component_id: worn.components[0].id, risk_tier: "GOOD", previous_tier: "CRITICAL" },
    ]);
  });

  // Rule: sent-once
  test("is not sent again by a second snapshot of the day or a restart", async () => {
    const before = received.length;
    await server.json("snapshot");
    await server.stop();
    await server.start();
    await addProperty(acme.client);
    const after = await acme.receiver.waitFor((all) => ofEvent(all, "property.created").length === 2);
    expect(after).toHaveLength(before + 1);
  });
});

describe.concurrent("a webhook endpoint", () => {
  // Rule: endpoint-settings
  test("gets only the events that the operator selects, without a restart of the server", async () => {
    const { partner, client, receiver } = await listen(shared);
    const setWebhook = (...args: string[]) =>
      shared.json("partner", "set-webhook", partner.partner_id, ...args);
    await setWebhook(receiver.url, "--event", "appliance.created", "--event", "component.critical");
    const { id } = await addProperty(client);
    await addAppliance(client, id);
    await receiver.waitFor((all) => all.length > 0);
    await setWebhook("--off");
    await addAppliance(client, id);
    await setWebhook(`${receiver.url}/moved`);
    await addProperty(client);
    const received = await receiver.waitFor((all) => all.length > 1);
    expect(received.map(({ event, path }) => [event, path])).toEqual([
      ["appliance.created", "/hook"],
      ["property.created", "/hook/moved"],
    ]);
  });

  // Rule: no-delivery-lost
  test("gets the events from while it, or the server, was unavailable", async () => {
    const server = await serve();
    const { client, receiver, partner } = await listen(server, () => "reset");
    await addProperty(client);
    await receiver.waitFor((all) => all.length === 1);
    await server.stop();
    receiver.behave(undefined);
    await server.json("snapshot");
    await server.start();
    const [refused, taken] = await receiver.waitFor((all) => all.length >= 2);
    expect(taken!.id).toBe(refused!.id);
    await expectSigned(taken!, partner);
  });
});

describe.concurrent("failing webhook endpoints", () => {
  /** The failures of the first attempt, and of each until the endpoint may recover. */
  const failures = {
    "answers 500": { status: 500 },
    "answers 404": { status: 404 },
    hangs: "hang",
    "resets the connection": "reset",
    "sends a body without end, byte by byte": "drip",
  } as const;

  // Rule: same-bytes
  test("are retried after 5 seconds with the same bytes, and delay no other endpoint", async () => {
    const server = await serve({ webhooks: { timeout_ms: 1000 } });
    let mayRecover = false;
    const unlessRecovered = (failure: Behavior) => (_: unknown, nth: number) =>
      nth === 1 || !mayRecover ? failure : { status: 204 };
    const failing = await Promise.all(
      Object.values(failures).map((failure) => listen(server, unlessRecovered(failure))),
    );
    const elsewhere = await listen(server);
    const redirect = { status: 307, headers: { location: elsewhere.receiver.url } };
    const all = [...failing, await listen(server, unlessRecovered(redirect))];
    await Promise.all(all.map(({ client }) => addProperty(client)));
    await Promise.all(all.map(({ receiver }) => receiver.waitFor((received) => received.length >= 1)));
    // The failing ones fail until a healthy one has received its delivery.
    await addProperty(elsewhere.client);
    await elsewhere.receiver.waitFor((received) => received.length >= 1);
    mayRecover = true;
    await Promise.all(all.map(({ receiver }) => receiver.waitFor((received) => received.length >= 2)));
    for (const { receiver, partner } of all) {
      const [first, second] = receiver.received as [Received, Received];
      expect(second.body.equals(first.body)).toBe(true);
      expect(second.id).toBe(first.id);
      await expectSigned(second, partner);
      const [firstS, secondS] = [first, second].map(({ headers }) => Number(headers["webhook-timestamp"]));
      expect(secondS! - firstS!).toBeGreaterThanOrEqual(5);
    }
    const seen = new Set(elsewhere.receiver.received.map(({ id }) => id));
    expect(seen.size, "a redirect is not followed").toBe(1);
  });

  // Rule: standard-webhooks, delivery-timeout
  test("that do not respond within 8 seconds are disconnected, and retried", async () => {
    const { client, receiver, partner } = await listen(shared, (_, nth) =>
      nth === 1 ? "hang" : { status: 200 },
    );
    await addProperty(client);
    await receiver.waitFor((all) => all.length === 2);
    const { partner_id } = partner;
    const [first, second] = await eventually(async () => {
      const { deliveries } = await shared.json("deliveries", "list", "--partner", partner_id);
      expect(deliveries[0].status).toBe("delivered");
      return deliveries[0].attempts;
    });
    expect(first).toMatchObject({ status_code: null, error: "no response within 8 s" });
    expect(first.duration_ms).toBeGreaterThanOrEqual(7900);
    expect(second).toMatchObject({ attempt: 2, status_code: 200 });
    const [before, after] = receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(after! - before!, "the time that Standard Webhooks signs is each attempt's own").toBeGreaterThan(
      6,
    );
  });

  test("that respond with a gigabyte use little memory, and what they accepted counts as delivered", async () => {
    const server = await serve();
    const { client, receiver } = await listen(server, () => "gigabyte");
    for (let i = 0; i < 8; i++) await addProperty(client);
    await receiver.waitFor((all) => new Set(all.map(({ id }) => id)).size === 8);
    const status = await Bun.file(`/proc/${server.pid}/status`).text();
    const peakKib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
    expect(peakKib).toBeWithin(1, 400 * 1024);
    await server.stop();
    expect(attempts(receiver)).toHaveLength(8);
  });

  // Rule: delivery-order
  test("get the changes of a component in order: a later one waits for the earlier one", async () => {
    const { client, receiver } = await listen(shared, ({ event }, nth) => ({
      status: event === "component.critical" && nth === 1 ? 500 : 200,
    }));
    const worn = await addWornAppliance(client, (await addProperty(client)).id);
    await shared.json("snapshot");
    await receiver.waitFor((all) => ofEvent(all, "component.critical").length > 0);
    await logEvents(client, { appliance_id: worn.id, event_type: "Replacement", date: dateDaysFromToday(0) });
    const received = await receiver.waitFor(
      (all) => ofEvent(all, "component.recovered").length === ofEvent(all, "component.critical").length / 2,
    );
    for (const { id } of worn.components) {
      const reported = received
        .filter((one) => bodyOf(one).data.component_id === id)
        .map((one) => one.event.replace("component.", ""));
      if (reported.length > 0) expect(reported).toEqual(["critical", "critical", "recovered"]);
    }
  });
});

// Rule: no-delivery-lost
test.concurrent("kill -9 during deliveries loses no delivery and changes none", async () => {
  const server = await serve();
  const { client, receiver, partner } = await listen(server, () => ({ status: 200, delayMs: 20 }));
  const made = await Promise.all(Array.from({ length: 60 }, () => addProperty(client)));
  await receiver.waitFor((all) => all.length >= 10);
  await server.kill();
  await server.start();
  const reported = () => new Set(receiver.received.map((one) => bodyOf(one).data.property_id));
  await eventually(() => expect(reported()).toEqual(new Set(made.map((one) => one.id))));
  const texts = new Map<string, string>();
  for (const delivery of receiver.received) {
    await expectSigned(delivery, partner);
    const text = delivery.body.toString();
    expect(texts.get(delivery.id) ?? text).toBe(text);
    texts.set(delivery.id, text);
  }
  expect(texts.size).toBe(60);
});

// Rule: no-delivery-lost
test.concurrent("SIGTERM during deliveries finishes those in progress; the rest are sent after the next start, once", async () => {
  const server = await serve();
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  const { client, receiver } = await listen(server, () => ({ status: 200, until, delayMs: 50 }));
  await Promise.all(Array.from({ length: 40 }, () => addProperty(client)));
  await receiver.waitFor((all) => all.length > 0);
  const stopped = server.stop();
  await server.logged(({ msg }) => msg === "stopping");
  answer();
  await stopped;
  const before = receiver.received.length;
  expect(before).toBeLessThan(40);
  await server.start();
  await receiver.waitFor((all) => new Set(all.map(({ id }) => id)).size === 40);
  await server.stop();
  expect(receiver.received).toHaveLength(40);
});
