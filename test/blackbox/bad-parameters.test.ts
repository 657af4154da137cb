import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import type { ApiClient } from "../support/client.ts";
import { asJson, everythingOf, goodBody, JSON_BODIES, kindIn, pathOf } from "../support/json-bodies.ts";
import { expectNoLeak } from "../support/leaks.ts";
import { useMainstay } from "../support/mainstay.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { addRecords, photoForm, type RecordIds } from "../support/records.ts";

/*
 * Sends every parameter of every query string and every path with invalid values of each kind. An error names the
 * parameter or reports that the resource does not exist, writes nothing and discloses no internals of the server.
 */

const { serve } = useMainstay();
let client: ApiClient;
let own: RecordIds;
let foreign: RecordIds;
let receiver: Receiver;
afterAll(() => receiver.close());
beforeAll(async () => {
  receiver = await startReceiver();
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  own = await addRecords(client);
  foreign = await addRecords(server.as(await server.createPartner("Other", "--webhook-url", receiver.url)));
});

const operations = operationsOf(readApiDocument());
const inQuery = operations.flatMap(({ path, operation: { parameters = [] } }) =>
  parameters.filter((one) => one.in === "query").map(({ name }) => [path, name] as const),
);
const inPath = operations
  .filter(({ path }) => path.includes("{"))
  .map(({ method, path }) => [method, path] as const);

const BAD_QUERIES: Record<string, readonly string[]> = {
  limit: ["0", "-1", "1e9", "x", "", "1.5", "0x10", "99999999999999999999", "__proto__", "%00", "%zz"],
  offset: ["-1", "x", "", "1e9", "99999999999999999999", "%ed%a0%80"],
  years: ["", "0", "-1", "x", "1.5", "1e1", "999999999", "__proto__"],
  inflation_pct: ["", "-1", "x", "1e1", "999999999", "__proto__"],
  budget: ["", "-1", "x", "1e9", "99999999999999999999", "__proto__"],
  format: ["", "xml", "CSV", "__proto__", "constructor", "%00"],
  flag: ["", "BAD", "__proto__", "%00"],
  opening_balance: ["", "-1", "x", "1e1", "__proto__"],
  escrow_pct: ["", "-1", "x", "1e1", "__proto__"],
  interest_pct: ["", "-1", "x", "1e1", "__proto__"],
  minimum_balance: ["", "-1", "x", "1e1", "__proto__"],
  deposit_growth_pct: ["", "-101", "x", "1e1", "__proto__"],
  minimum_item_cost: ["", "-1", "x", "1e1", "__proto__"],
  loan_term: ["", "0", "51", "1.5", "x", "__proto__"],
  hud: ["", "BAD", "TRUE", "1", "__proto__", "%00"],
  deductible: ["", "-1", "x", "1.5", "1e9", "99999999999999999999", "__proto__"],
  risk_load: ["", "-1", "x", "11", "1e1", "__proto__"],
  loss_adjustment_ratio: ["", "-1", "x", "11", "1e1", "__proto__"],
  expense_ratio: ["", "-1", "x", "1", "1e1", "__proto__"],
  perils: ["", "BAD", "water,", "Water", "__proto__", "%00"],
  systems: ["", "BAD", "hvac,", "HVAC", "__proto__", "%00"],
  action: ["", "BAD", "monitor", "REPLACE_NOW", "__proto__", "%00"],
  due_by: ["", "soon", "2026-02-30", "2026-1-1", "__proto__", "%00"],
  work: ["", "BAD", "done", "OPEN", "__proto__", "%00"],
  min_cost: ["", "-1", "x", "1e1", "__proto__"],
  max_cost: ["", "-1", "x", "1e1", "__proto__"],
  include_demo: ["", "BAD", "TRUE", "1", "__proto__", "%00"],
  retired: ["", "BAD", "TRUE", "1", "__proto__", "%00"],
  include_retired: ["", "BAD", "TRUE", "1", "__proto__", "%00"],
  country: ["", "BAD", "XX", "__proto__", "constructor", "%00"],
  city: ["", "%00"],
  zip: ["", "x", "123", "%00"],
  q: ["", "%00"],
  until: ["", "x", "2026-02-30", "275760-09-13T00:00:00Z", "0", "constructor"],
  status: ["", "BAD", "FAILED", "__proto__", "constructor", "%00"],
  event: ["", "BAD", "component", "__proto__", "constructor", "%00"],
  since: ["", "x", "2026-02-30", "275760-09-13T00:00:00Z", "%2B275760-09-13T00:00:00Z", "0", "constructor"],
  system: ["", "BAD", "HVAC", "__proto__", "constructor", "%00"],
  state: ["", "XX", "New York", "__proto__", "constructor", "%00"],
  sort: ["", "BAD", "COST", "__proto__", "constructor", "%00"],
  tier: ["", "BAD", "__proto__", "constructor", "toString", "%00"],
  property_id: ["%00", "%zz", "%ff"],
  appliance_id: ["%00", "%zz", "%ff"],
};
/** Values other than `true` have no effect. */
const TAKES_ALL = ["sandbox"];

test("every parameter has invalid values here", () => {
  const names = new Set(inQuery.map(([, name]) => name));
  expect([...names].sort()).toEqual([...Object.keys(BAD_QUERIES), ...TAKES_ALL].sort());
});

describe("a parameter", () => {
  // Rule: bad-paging
  test.each(inQuery.filter(([, name]) => !TAKES_ALL.includes(name)))(
    "of %s is rejected with its name: %s",
    async (path, name) => {
      const since = name !== "since" && path.endsWith("/events") ? "since=2026-01-01&" : "";
      const at = pathOf(path, own);
      for (const value of BAD_QUERIES[name]!) {
        const { status, body, text } = await client.send("GET", `${at}?${since}${name}=${value}`);
        expect([status, body.code], value).toEqual([400, "invalid_request"]);
        expect(body.error).toMatch(/^%(?!2B)/.test(value) ? /invalid escape/ : new RegExp(`^${name} `));
        expectNoLeak(text);
      }
    },
  );

  test.each(inQuery.filter(([, name]) => name.endsWith("_id")))(
    "of %s is not found if it belongs to another partner, is unknown, or is not an ID: %s",
    async (path, name) => {
      const prefix = name === "property_id" ? "P_" : "A_";
      const odd = ["__proto__", "constructor", "x".repeat(5000), "%07", "'--"];
      const errors = new Set<string>();
      for (const id of [foreign[prefix]!, `${prefix}1`, ...odd]) {
        const { body, text } = await client.ask("GET", `${path}?${name}=${id}`, 404);
        errors.add(body.error);
        expectNoLeak(text);
      }
      expect(errors.size).toBe(1);
    },
  );
});

describe("a path parameter", () => {
  const ODD = [
    ...["__proto__", "constructor", "toString", "x".repeat(5000), "%07", "%00", "%ed%a0%80", "%zz"],
    ...["%2e%2e%2f", "..%5c", "'--", "%F0%9F%8F%A0"],
  ];

  // Rule: unknown-is-404
  test.each(inPath)(
    "is not found by %s %s if it belongs to another partner, is unknown, or is not an ID",
    async (method, path) => {
      const body = JSON_BODIES.find((one) => one.method === method && one.path === path);
      const isPhoto = method === "POST" && path.endsWith("/photos");
      const sent = body ? asJson(JSON.stringify(goodBody(body, own))) : isPhoto ? { raw: photoForm() } : {};
      const kind = kindIn(path)!;
      const before = await everythingOf(client, own);
      const errors = new Set<string>();
      for (const id of [foreign[kind]!, kind + "0".repeat(26), ...ODD]) {
        const reply = await client.ask(
          method,
          path.replace(/\{\w+\}/, () => id),
          404,
          sent,
        );
        errors.add(reply.body.error);
        expectNoLeak(reply.text, [foreign[kind]!]);
      }
      expect(errors.size).toBe(1);
      expect(await everythingOf(client, own)).toEqual(before);
    },
  );
});
