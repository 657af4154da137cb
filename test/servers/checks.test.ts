import { describe, expect, test } from "bun:test";
import { CHECKS } from "./checks.ts";
import type { FinalState } from "./final-state.ts";
import { Observations, type Tier } from "./observations.ts";

const PARTNER = "PARTNER_1";

/** The record of a round without a fault: a property, an appliance, an event, and a tank that leaked and dried up. */
function sound() {
  const record = new Observations();
  const ids = { property: "P_1", appliance: "A_1", event: "SE_1", reading: "PE_1" } as const;
  for (const kind of ["property", "appliance", "event", "reading"] as const)
    record.acknowledge({ partnerId: PARTNER, kind, key: kind }, ids[kind]);
  record.events.set("C_1", 1);
  record.tiers.set("C_1", ["CRITICAL", "WARNING"]);
  record.streamed.set(PARTNER, new Set(["P_1", "A_1", "SE_1"]));
  Object.assign(record.metered, { budget: 400, accepted: 400 });
  const arrive = (deliveryId: string, event: string, data: object) =>
    record.arrivals.push({ deliveryId, event, data, status: 200 });
  arrive("WH_1", "property.created", { property_id: "P_1" });
  arrive("WH_2", "appliance.created", { appliance_id: "A_1" });
  arrive("WH_3", "service_event.created", { event_id: "SE_1", component_id: "C_1" });
  arrive("WH_4", "sensor.smart", { event_id: "PE_1" });
  const announce = (deliveryId: string, previous_tier: Tier, risk_tier: Tier) =>
    arrive(deliveryId, `component.${risk_tier}`, { component_id: "C_1", previous_tier, risk_tier });
  announce("WH_5", "GOOD", "CRITICAL");
  announce("WH_6", "CRITICAL", "WARNING");
  const found: FinalState = {
    partners: [
      {
        partnerId: PARTNER,
        properties: ["P_1"],
        appliances: ["A_1"],
        events: new Map([["C_1", 1]]),
        components: [{ id: "C_1", tier: "WARNING" }],
        totals: { properties: 1, critical: 0, warning: 1 },
        trendPoints: new Map([["C_1", 1]]),
      },
    ],
    snapshots: [{ date: "2026-01-01", components: 1, announced: 0, finished: true }],
    deliveries: record.arrivals.map(({ deliveryId }) => ({
      id: deliveryId,
      status: "delivered",
      attempts: ["failed", "delivered"],
    })),
  };
  return { record, found, partner: found.partners[0]! };
}

const delivered = (id: string) => ({ id, status: "delivered", attempts: ["delivered"] });

const faults = ({ record, found }: Pick<ReturnType<typeof sound>, "record" | "found">) =>
  Object.entries(CHECKS).flatMap(([name, check]) => check(record, found).map((fault) => `${name}: ${fault}`));

test("a round without a violation is not reported", () => {
  expect(faults(sound())).toEqual([]);
});

test("a delivery that arrives twice, or was rejected first, is no violation", () => {
  const round = sound();
  const [first] = round.record.arrivals;
  round.record.arrivals.push(first!);
  round.record.arrivals.unshift({ ...first!, status: 500 });
  expect(faults(round)).toEqual([]);
});

test("an additional event of a component that a snapshot scored first is no violation", () => {
  const round = sound();
  const { arrivals } = round.record;
  Object.assign(arrivals[4]!.data, { previous_tier: "WARNING" });
  const data = { component_id: "C_1", previous_tier: "GOOD", risk_tier: "WARNING" } as const;
  arrivals.splice(4, 0, { deliveryId: "WH_7", event: "component.warning", data, status: 200 });
  round.found.deliveries.push(delivered("WH_7"));
  expect(faults(round)).toEqual([]);
});

test("a component that an event improves after a snapshot has announced it is no violation", () => {
  const round = sound();
  const { record, found } = round;
  record.tiers.delete("C_1");
  record.arrivals.splice(
    record.arrivals.findIndex(({ deliveryId }) => deliveryId === "WH_6"),
    1,
  );
  found.deliveries.splice(
    found.deliveries.findIndex((one) => JSON.stringify(one) === JSON.stringify(delivered("WH_6"))),
    1,
  );
  expect(faults(round)).toEqual([]);
  // Without an event, nothing has improved it.
  record.events.delete("C_1");
  expect(faults(round).join()).toContain("C_1 was announced GOOD to CRITICAL; it became GOOD, now WARNING");
});

describe("the checks report", () => {
  type Round = ReturnType<typeof sound>;
  const broken: [what: string, change: (round: Round) => void, message: RegExp][] = [
    ["that a write is lost", ({ partner }) => partner.properties.pop(), /P_1 was acknowledged and is gone/],
    ["that a thing is listed twice", ({ partner }) => partner.appliances.push("A_1"), /A_1 is listed twice/],
    [
      "that a thing answers to no key",
      ({ partner }) => partner.properties.push("P_2"),
      /P_2 is there and answers to no key/,
    ],
    [
      "that an event was logged twice",
      ({ partner }) => partner.events.set("C_1", 2),
      /C_1 has 2 service events, of which 1/,
    ],
    [
      "that a key made two things",
      ({ record }) => record.acknowledge({ partnerId: PARTNER, kind: "event", key: "event" }, "SE_2"),
      /"event" made several/,
    ],
    [
      "that a sum is off",
      ({ partner }) => Object.assign(partner.totals, { critical: 1 }),
      /sum of critical is 1/,
    ],
    [
      "that a change is announced twice",
      ({ record, found }) => {
        record.arrivals.push({ ...record.arrivals[4]!, deliveryId: "WH_7" });
        found.deliveries.push(delivered("WH_7"));
      },
      /C_1 was announced .*GOOD to CRITICAL, .*GOOD to CRITICAL/,
    ],
    [
      "that a change is never announced",
      ({ record, found }) => {
        record.arrivals.pop();
        found.deliveries.pop();
      },
      /C_1 was announced GOOD to CRITICAL; it became GOOD, CRITICAL, WARNING/,
    ],
    [
      "that an event never arrives",
      ({ record, found }) => {
        record.arrivals.shift();
        found.deliveries.shift();
      },
      /property.created of P_1 never arrived/,
    ],
    [
      "that an event makes two deliveries",
      ({ record, found }) => {
        record.arrivals.push({ ...record.arrivals[0]!, deliveryId: "WH_7" });
        found.deliveries.push(delivered("WH_7"));
      },
      /P_1 arrived as 2 deliveries/,
    ],
    [
      "that the log says failed of what arrived",
      ({ found }) => Object.assign(found.deliveries[0]!, { status: "failed" }),
      /WH_1 is failed in the log/,
    ],
    [
      "that the log says delivered of what never arrived",
      ({ found }) => found.deliveries.push(delivered("WH_7")),
      /WH_7 is delivered in the log, and never arrived/,
    ],
    [
      "that a late result was taken",
      ({ found }) => void found.deliveries[0]!.attempts.push("failed"),
      /WH_1 has the attempts failed, delivered, failed/,
    ],
    ["that the order is another", ({ record }) => void record.arrivals.reverse(), /in order: C_1 got/],
    [
      "that a day is taken twice",
      ({ found }) => found.snapshots.push(found.snapshots[0]!),
      /2026-01-01 was taken several times/,
    ],
    [
      "that a snapshot stays unfinished",
      ({ found }) => Object.assign(found.snapshots[0]!, { finished: false }),
      /never finished/,
    ],
    [
      "that a day has two points",
      ({ partner }) => partner.trendPoints.set("C_1", 2),
      /2 trend points of 1 day/,
    ],
    ["that a budget is exceeded", ({ record }) => record.metered.accepted++, /401 calls were taken/],
    [
      "that a kill forfeits more than it may",
      ({ record }) => {
        record.kills = 2;
        record.metered.accepted = 379;
      },
      /379 calls were taken of a budget of 400/,
    ],
    [
      "that the stream misses one",
      ({ record }) => record.streamed.get(PARTNER)!.delete("SE_1"),
      /never came by event/,
    ],
  ];
  test.each(broken)("%s", (_, change, message) => {
    const round = sound();
    change(round);
    expect(faults(round).join("\n")).toMatch(message);
  });
});
