import { describe, expect, test } from "bun:test";
import {
  isSandboxInHttpQuery,
  parseActionFilterHttpQuery,
  parseHttpQuery,
  parseRowRangeHttpQuery,
  parseTierHttpQuery,
} from "../../src/http/http-query-parameters.ts";

const parse = (search: string) => parseHttpQuery(search, ["limit", "offset", "tier", "sandbox", "min_cost"]);

describe("a query string", () => {
  test("returns the known parameters, decoded", () => {
    expect([...parse("?limit=5&color=red&tier=%47OOD&&sandbox")]).toEqual([
      ["limit", "5"],
      ["tier", "GOOD"],
      ["sandbox", ""],
    ]);
    expect(parseHttpQuery("?since=2026-01-01T00:00:00%2B01:00", ["since"]).get("since")).toBe(
      "2026-01-01T00:00:00+01:00",
    );
    expect([...parse("")]).toEqual([]);
  });

  test.each(["?%zz", "?%", "?%zz=1&%00=2", "?a[b]=%zz", "?color=1&color=%", "?__proto__=1&constructor=1"])(
    "is ignored without known parameters: %s",
    (search) => {
      expect([...parse(search)]).toEqual([]);
      expect([...parseHttpQuery(search, [])]).toEqual([]);
    },
  );

  test.each(["?limit=1&limit=1", "?limit=1&%6Cimit=2", "?limit=%", "?limit=%zz", "?limit=%ff", "?limit=%00"])(
    "that is ambiguous is rejected: %s",
    (search) => {
      expect(() => parse(search)).toThrow();
    },
  );
});

// Rule: unknown-parameters
test.each(["?stat=NY", "?%zz=1", "?LIMIT=1", "?__proto__=1&constructor=1", "?=1"])(
  "an unknown parameter is rejected where filters matter: %s",
  (search) => {
    expect(() => parseHttpQuery(search, ["limit", "state"], "rejected")).toThrow(
      "this request takes limit, state",
    );
  },
);

describe("limit and offset", () => {
  test.each([
    ["", { limit: 50, offset: 0 }],
    ["?limit=1&offset=7", { limit: 1, offset: 7 }],
    ["?limit=200", { limit: 200, offset: 0 }],
    ["?limit=201", { limit: 200, offset: 0 }],
    ["?limit=007", { limit: 7, offset: 0 }],
  ])("of %p are %o", (search, slice) => {
    expect(parseRowRangeHttpQuery(parse(search))).toEqual(slice);
  });

  test.each([
    "limit=0",
    "limit=-1",
    "limit=1.0",
    "limit=1e2",
    "limit=",
    "limit=٣",
    "limit=9999999999999999",
    "offset=-1",
    "offset=+1",
  ])("are refused when they are no whole numbers: %s", (search) => {
    expect(() => parseRowRangeHttpQuery(parse(`?${search}`))).toThrow("must be a whole number");
  });

  test.each([
    [
      "offset=9999999999999999",
      'offset must be a whole number from 0 to 999999999999999, not "9999999999999999"',
    ],
    [
      `limit=${"9".repeat(70)}`,
      `limit must be a whole number from 1 to 999999999999999, not "${"9".repeat(60)}…"`,
    ],
    [
      "min_cost=1e12",
      'min_cost must be a number from 0 to 1000000000000, in digits and with a point before decimals, not "1e12"',
    ],
    ["min_cost=1000000000001", 'min_cost must be a number from 0 to 1000000000000, not "1000000000001"'],
  ])("are refused with their value and limit: %s", (search, message) => {
    const parsed = () => [
      parseRowRangeHttpQuery(parse(`?${search}`)),
      parseActionFilterHttpQuery(parse(`?${search}`)),
    ];
    expect(parsed).toThrow(message);
  });
});

test("parseTierHttpQuery accepts the tiers in upper and lower case only", () => {
  expect(parseTierHttpQuery(parse("?tier=critical"))).toBe("CRITICAL");
  expect(parseTierHttpQuery(parse(""))).toBeUndefined();
  for (const search of ["?tier=", "?tier=BAD"])
    expect(() => parseTierHttpQuery(parse(search))).toThrow("must be CRITICAL");
});

test("wantsSandbox accepts true only", () => {
  expect(
    ["?sandbox=true", "?sandbox=True", "?sandbox=1", ""].map((search) => isSandboxInHttpQuery(parse(search))),
  ).toEqual([true, false, false, false]);
});
