import { expect, test } from "bun:test";
import { pageAuditChangeTexts } from "../../../src/web/page/page-audit-changes.ts";

const ofRecord = (before: object, after: object) => pageAuditChangeTexts({ detail: { before, after } });

test("a change has the values of each field before and after", () => {
  expect(ofRecord({ brand: "Acme", serial: null }, { brand: "Best", serial: "S1" })).toEqual([
    "brand Acme → Best",
    "serial none → S1",
  ]);
  expect(ofRecord({ brand: "Acme", serial: null }, { brand: null, serial: "S1" })).toEqual([
    "brand Acme → none",
    "serial none → S1",
  ]);
});

test("what was removed is listed without the hash of its file", () => {
  const photo = {
    appliance_id: "A_1",
    service_event_id: null,
    original_name: "t.jpg",
    bytes: 7,
    sha256: "474e",
  };
  const nothing = {
    appliance_id: null,
    service_event_id: null,
    original_name: null,
    bytes: null,
    sha256: null,
  };
  const text = "removed appliance_id A_1, original_name t.jpg, bytes 7";
  expect(ofRecord(photo, nothing)).toEqual([text]);
  expect(pageAuditChangeTexts({ detail: { before: photo } })).toEqual([text]);
  expect(ofRecord({ serial: "S1" }, { serial: null })).toEqual(["removed serial S1"]);
  expect(ofRecord({ serial: null }, { serial: null })).toEqual([]);
});

test("lines of a list are added or removed, and the rest is counted", () => {
  const line = { type_id: "boiler", cost: 900 };
  const changes = [{ after: line }, { before: line }, ...Array.from({ length: 5 }, () => ({ after: line }))];
  const added = "added type_id boiler, cost 900";
  const removed = "removed type_id boiler, cost 900";
  expect(pageAuditChangeTexts({ detail: { changes } })).toEqual([
    added,
    removed,
    added,
    added,
    added,
    "2 more",
  ]);
});
