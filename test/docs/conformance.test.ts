import { describe, expect, test } from "bun:test";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import {
  faultsOf,
  pageOf,
  proofsOf,
  readPage,
  readSkeleton,
  readTestFiles,
  rulesOf,
  withoutRule,
} from "./conformance.ts";
import { RENEW } from "./manual.ts";

const EVENTS = [
  ...["component.critical", "component.warning", "component.recovered", "service_event.created"],
  ...["property.created", "appliance.created", "sensor.received", "sensor.smart", "sensor.smart.processed"],
  "webhook.test",
];
const operations = operationsOf(readApiDocument()).map(({ method, path }) => `${method} ${path}`);
const rules = rulesOf(readSkeleton());
const { proofs, faults } = proofsOf(rules, readTestFiles());

describe("the rules", () => {
  test("are each proved by a tagged test, and occur once", () => {
    expect(rules.length).toBeGreaterThan(250);
    expect(faultsOf(rules, proofs)).toEqual([]);
  });

  test("are the ones that the tags name, each above a test", () => {
    expect(faults).toEqual([]);
  });

  test("are on the page with their proofs", () => {
    if (readPage() !== pageOf(readSkeleton(), proofs))
      throw new Error(`docs/conformance.md is stale. Renew it with: ${RENEW}`);
  });

  test("have one for every operation of the API document", () => {
    expect(operations.length).toBeGreaterThan(35);
    expect(withoutRule(rules, operations)).toEqual([]);
  });

  test("have one for each of the ten webhook events", () => {
    expect(withoutRule(rules, EVENTS)).toEqual([]);
  });
});

describe("the page", () => {
  const skeleton = [
    "# Title",
    "",
    "Words.",
    "",
    "## A",
    "",
    "[one] A | B",
    "[two] `C_…`",
    "",
    "- [x](y)",
    "",
  ];

  test("is the skeleton with tables of the rules, each with all its proofs, in the order of the files", () => {
    const source = (names: string[]) =>
      names.map((name) => `// Rule: one\ntest("${name}", () => {});`).join("\n");
    const files = [
      { file: "test/blackbox/a.test.ts", text: source(["takes a_b | c", "ends"]) },
      { file: "test/b.test.ts", text: source(["holds"]) },
    ];
    const { proofs } = proofsOf(rulesOf(skeleton.join("\n")), files);
    expect(pageOf(skeleton.join("\n"), proofs).split("\n")).toEqual([
      "# Title",
      "",
      "<!-- written by `bun test/docs/renew.ts` from test/docs/rules.md and the tags above the tests -->",
      ...skeleton.slice(1, 6),
      "| Rule | Proof |",
      "|---|---|",
      "| A \\| B | `test/blackbox/a.test.ts` › takes a\\_b \\| c<br>`test/blackbox/a.test.ts` › ends<br>`test/b.test.ts` › holds |",
      "| `C_…` |  |",
      ...skeleton.slice(8),
    ]);
  });
});

describe("a fault is found:", () => {
  const faultsIn = (skeleton: string, text: string) => {
    const rules = rulesOf(skeleton);
    const { proofs, faults } = proofsOf(rules, [{ file: "test/a.test.ts", text }]);
    return [...faults, ...faultsOf(rules, proofs)];
  };
  const TWO = "[one] First\n[two] Second";
  const both = "// Rule: one, two\ntest('x', () => {});";

  test("none in rules that each have a test", () => {
    expect(faultsIn(TWO, both)).toEqual([]);
    expect(faultsIn(TWO, `${both}\ndescribe('all', () => {\n  test('x', () => {});\n});`)).toEqual([]);
  });

  test.each([
    [
      "a rule without a test",
      "// Rule: one\ntest('x', () => {});",
      "test/docs/rules.md:2: [two] no test has it: // Rule: two",
    ],
    [
      "a tag of an unknown rule",
      `${both}\n// Rule: twoo\ntest('y', () => {});`,
      'test/a.test.ts:4: no rule "twoo" stands in test/docs/rules.md; did you mean "two"?',
    ],
    [
      "a tag that names no rule",
      `${both}\n// Rule:\ntest('y', () => {});`,
      'test/a.test.ts:4: no rule "" stands in test/docs/rules.md',
    ],
    [
      "a tag above something else",
      `// Rule: one\nconst x = 1;\n${both}`,
      "test/a.test.ts:1: the tag stands above no test",
    ],
    ["a tag that names a rule twice", `// Rule: one\n${both}`, 'test/a.test.ts:3: "one" is named twice'],
    [
      "two tests of one name",
      `${both}\ntest('x', () => {});`,
      'test/a.test.ts:2: another test is named "x" too',
    ],
  ])("%s", (_, source, fault) => {
    expect(faultsIn(TWO, source)).toEqual([fault]);
  });

  test.each([
    ["its id", "[one] First\n[one] Second", "[one]"],
    ["its words", "[one] First rule.\n[two] first  `rule`", "[two]"],
  ])("a duplicate rule, by %s", (_, skeleton, id) => {
    expect(faultsIn(skeleton, both)).toContain(`test/docs/rules.md:2: ${id} the same rule stands in line 1`);
  });

  test("an invalid id", () => {
    const fault = "test/docs/rules.md:1: [One Two] an id is lower-case words joined by hyphens";
    expect(faultsIn("[One Two] First", "// Rule: One Two\ntest('x', () => {});")).toEqual([fault]);
  });

  test("an operation or an event without a rule", () => {
    const some = rulesOf("[ping] `GET /v1/ping` answers\n[pong] Like `GET /v1/pong`");
    expect(withoutRule(some, ["GET /v1/ping", "GET /v1/pong", "GET /v1"])).toEqual([
      "GET /v1/pong",
      "GET /v1",
    ]);
  });
});
