import { expect, test } from "bun:test";
import { serializeDelivery } from "../../src/api-schemas/delivery-schema.ts";

const delivery = {
  id: "WH_1",
  partnerId: "PARTNER_1",
  event: "component.critical",
  orderKey: null,
  requestId: null,
  status: "pending" as const,
  attempts: 0,
  cycleAttempts: 0,
  nextAttemptAt: null,
  createdAt: 0,
  finishedAt: null,
  lastError: null,
};
const subjectOf = (data: object) =>
  serializeDelivery({ delivery: { ...delivery, body: JSON.stringify({ data }) }, attempts: [] }).subject;

test("the subject of a delivery is the thing that its payload names, and its place", () => {
  expect(subjectOf({ component_name: "Compressor", property_name: "Elm Court", risk_score: 0.9 })).toBe(
    "Compressor · Elm Court",
  );
  expect(subjectOf({ event_type: "Replacement", property_name: "Elm Court" })).toBe(
    "Replacement · Elm Court",
  );
  expect(subjectOf({ address: "1 Elm St" })).toBe("1 Elm St");
  expect(subjectOf({ metric: "flow", property_id: "P_1", value: 1 })).toBe("flow");
  expect(subjectOf({ message: "This is a test." })).toBeNull();
});
