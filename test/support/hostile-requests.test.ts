import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { operationsOf, readApiDocument } from "./api-document.ts";
import { fill, type HostileRequest, requestsFor } from "./hostile-requests.ts";
import { STAND_INS } from "./hostile-values.ts";

const document = readApiDocument();
const sample = (operationId: string) => {
  const at = operationsOf(document).find(({ operation }) => operation.operationId === operationId)!;
  return fc.sample(requestsFor(document, at), { numRuns: 3000, seed: 7 });
};
const bodies = sample("createServiceEvents");
const lists = sample("listComponents");
const paths = sample("getProperty");

function parsed({ body = "" }: HostileRequest): unknown {
  try {
    return JSON.parse(fill(body, STAND_INS));
  } catch {
    return undefined;
  }
}

describe("the requests include", () => {
  test.each<[string, readonly HostileRequest[], (request: HostileRequest) => boolean]>([
    ["bodies of things that exist", bodies, ({ body = "" }) => body.includes('"appliance_id":"‹A_›"')],
    ["bodies of another partner's things", bodies, ({ body = "" }) => body.includes("‹other A_›")],
    ["own names of every object", bodies, ({ body = "" }) => /"(__proto__|constructor)":/.test(body)],
    ["fields given twice", bodies, ({ body = "" }) => /("(?:date|notes)":).*\{?.*\1/.test(body)],
    ["numbers without end", bodies, ({ body = "" }) => body.includes("1e999")],
    ["half characters", bodies, ({ body = "" }) => body.includes("\\ud800")],
    ["control characters", bodies, ({ body = "" }) => body.includes("\\u0000")],
    [
      "JSON of 10,000 levels",
      bodies,
      (request) => fill(request.body!, STAND_INS).includes("[".repeat(10_000)),
    ],
    ["1,001 items", bodies, ({ body = "" }) => body.includes("‹1001 items›")],
    ["truncated JSON", bodies, ({ body = "" }) => /^\{"events":\[\{[^}]*$/.test(body)],
    ["arrays for objects", bodies, (request) => Array.isArray(parsed(request))],
    ["bytes that are no UTF-8", bodies, ({ encoding }) => encoding === "latin1"],
    ["other content types", bodies, ({ headers }) => headers["content-type"] === "text/plain"],
    ["keys", bodies, ({ headers }) => (headers["idempotency-key"]?.length ?? 0) > 10],
    ["keys that are too long", bodies, ({ headers }) => headers["idempotency-key"] === "‹256›"],
    ["bad credentials", bodies, ({ headers }) => "x-api-key" in headers || "authorization" in headers],
    ["parameters given twice", lists, ({ target }) => /[?&](limit)=.*&\1=/.test(target)],
    ["broken escapes in queries", lists, ({ target }) => /=%(zz|ff)/.test(target)],
    ["unknown parameters", lists, ({ target }) => target.includes("__proto__=")],
    ["good filters", lists, ({ target }) => target.includes("property_id=‹P_›&")],
    ["broken escapes in paths", paths, ({ target }) => target.endsWith("/%zz")],
    ["another partner's ids in paths", paths, ({ target }) => target.endsWith("‹other P_›")],
    ["ids that exist in paths", paths, ({ target }) => target.endsWith("/‹P_›")],
  ])("%s", (_, requests, is) => {
    expect(requests.some(is)).toBe(true);
  });

  test("the same ones for the same seed", () => {
    expect(sample("getProperty")).toEqual(paths);
  });
});
