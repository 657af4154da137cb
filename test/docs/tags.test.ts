import { expect, test } from "bun:test";
import { readTags } from "./tags.ts";

test("tests and describes are found with the names of the describes around them, as they are written", () => {
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
  expect(readTags(source).tests.map(({ name }) => name)).toEqual([
    "lists",
    "lists › %s",
    "lists › %s › end",
    "lists › %s › take %s",
    ["for $", "{one.name}, once"].join(""),
    "together",
    "together › runs",
  ]);
});

test("a tag belongs to the test or the describe below it, also with more words or a loop between", () => {
  const source = `
    // Rule: a, b
    describe("one", () => {
      // Rule: c
      // Why it is so.
      // Rule: d
      test.each([
        "x",
      ])("two %s", () => {});

      test("three", () => {});
    });
    // Rule: e
    for (const x of y) test("four", () => {});
    for (const x of y)
      // Rule: f
      test("five", () => {});
    // Rule: g
    for (const x of y) {
      // Rule: h
      test("six", () => {});
    }
    // Rule: i
    describe("seven", () => test("eight", () => {}));
    test("nine", () => {
      // Rule: j
      expect("// Rule: k").toBe(\`
        // Rule: l
      \`);
    });
  `;
  const { tests, faults } = readTags(source);
  expect(tests.map(({ name, rules }) => `${name}: ${rules.join(" ")}`)).toEqual([
    "one: a b",
    "one › two %s: c d",
    "one › three: ",
    "four: e",
    "five: f",
    "six: h",
    "seven: i",
    "seven › eight: ",
    "nine: ",
  ]);
  expect(faults).toEqual([
    { line: 18, fault: "the tag stands above no test" },
    { line: 26, fault: "the tag stands above no test" },
  ]);
});
