import { describe, expect, test } from "bun:test";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import { faultsOf, readConformance, readProjectFile, rowsOf, testsIn, withoutRow } from "./conformance.ts";

const EVENTS = [
  ...["component.critical", "component.warning", "component.recovered", "service_event.created"],
  ...["property.created", "appliance.created", "sensor.received", "sensor.smart", "sensor.smart.processed"],
  "webhook.test",
];
const operations = operationsOf(readApiDocument()).map(({ method, path }) => `${method} ${path}`);
const rows = rowsOf(readConformance());

describe("the table of conformance", () => {
  test("names for every rule tests that exist, and no rule twice", () => {
    expect(rows.length).toBeGreaterThan(250);
    expect(faultsOf(rows, readProjectFile)).toEqual([]);
  });

  test("has a row for every operation of the API document", () => {
    expect(operations.length).toBeGreaterThan(35);
    expect(withoutRow(rows, operations)).toEqual([]);
  });

  test("has a row for each of the ten webhook events", () => {
    expect(withoutRow(rows, EVENTS)).toEqual([]);
  });
});

describe("a source's tests", () => {
  test("are found by the names of all that is around them, as they are written", () => {
    const source = `
      describe("lists", () => {
        describe.each(LISTS)("%s", (path) => {
          test("end", async () => { expect(path).toBe("test"); });
          test.each(["a"])("take %s", (_) => {});
        });
      });
      for (const one of ONES) test(\`for \${one.name}, once\`, () => {});
      describe.concurrent('together', () => { it(\`runs\`, () => {}); });
      const near = contest("no test", () => test);
      expected.test("nor this");
    `;
    expect(testsIn(source)).toEqual([
      "lists › %s › end",
      "lists › %s › take %s",
      ["for $", "{one.name}, once"].join(""),
      "together › runs",
    ]);
  });
});

describe("a fault in the table is found:", () => {
  const files: Record<string, string> = {
    "test/a.test.ts": `describe("x", () => { test("holds", f); test("a_b | c", f); test("both", f); }); describe("y", () => { test("both", f); });`,
    "test/a.ts": `test("holds", f);`,
  };
  const faultsIn = (...lines: string[]) =>
    faultsOf(rowsOf(["| Rule | Proof |", "|---|---|", ...lines].join("\n")), (path) => files[path]).map(
      (fault) => fault.replace(/^line \d+, "[^"]*": /, ""),
    );

  test("none in rows that name a test that exists", () => {
    const several = "| A | `test/a.test.ts` › holds<br>`test/a.test.ts` › y › both |";
    expect(faultsIn(several, "| B \\| C | `test/a.test.ts` › a\\_b \\| c |")).toEqual([]);
  });

  test.each([
    ["a false name", "| A | `test/a.test.ts` › hold |", 'test/a.test.ts holds no test "hold"'],
    ["a part of a name", "| A | `test/a.test.ts` › x › hold |", 'test/a.test.ts holds no test "x › hold"'],
    ["a file that is missing", "| A | `test/b.test.ts` › holds |", "test/b.test.ts is no file of tests"],
    ["a file without tests of its own", "| A | `test/a.ts` › holds |", "test/a.ts is no file of tests"],
    [
      "a name that two tests have",
      "| A | `test/a.test.ts` › both |",
      `test/a.test.ts holds 2 tests "both": begin with the describe's name`,
    ],
    ["no proof", "| A |  |", "nothing is no proof: `file` › test"],
    ["no second cell", "| A |", "nothing is no proof: `file` › test"],
    ["words instead of a proof", "| A | see the code |", '"see the code" is no proof: `file` › test'],
    [
      "a word among proofs",
      "| A | `test/a.test.ts` › holds<br>reviewed |",
      '"reviewed" is no proof: `file` › test',
    ],
  ])("%s", (_, line, fault) => {
    expect(faultsIn(line)).toEqual([fault]);
  });

  test("a rule that stands there twice", () => {
    const faults = faultsIn(
      "| A rule. | `test/a.test.ts` › holds |",
      "| a  `rule` | `test/a.test.ts` › holds |",
    );
    expect(faults).toEqual(["the same rule stands in line 3"]);
  });

  test("an operation or an event without a row", () => {
    const some = rowsOf("| `GET /v1/ping` answers | x |\n| Like `GET /v1/pong` | x |");
    expect(withoutRow(some, ["GET /v1/ping", "GET /v1/pong", "GET /v1"])).toEqual([
      "GET /v1/pong",
      "GET /v1",
    ]);
  });
});
