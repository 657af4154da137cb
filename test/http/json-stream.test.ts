import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonChunks, startJson, streamText } from "../../src/http/json-stream.ts";

const list = fc.array(fc.jsonValue(), { minLength: 0, maxLength: 5 });
/** A list that is longer than what is written in one piece. */
const longList = fc
  .tuple(list, fc.integer({ min: 249, max: 760 }))
  .map(([some, length]) => Array.from({ length }, (_, i) => some[i % some.length] ?? i));

test("pieces are the text that JSON.stringify writes", () => {
  const field = fc.oneof(fc.jsonValue(), longList, fc.constant(undefined));
  const body = fc.oneof(
    fc.dictionary(fc.string(), fc.oneof(field, fc.dictionary(fc.string(), field))),
    longList,
  );
  fc.assert(
    fc.property(body, (value) => expect([...jsonChunks(value)].join("")).toBe(JSON.stringify(value))),
  );
});

test("no piece of a long list is long", () => {
  const items = Array.from({ length: 100_000 }, (_, i) => ({ id: i }));
  for (const piece of jsonChunks({ of: { items } })) expect(piece.length).toBeLessThan(10_000);
});

test("a text goes out whole, whatever characters stand where it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 65_530, max: 65_540 }),
      fc.integer({ min: 0, max: 30 }),
      async (at, n) => {
        const body = { text: `${"x".repeat(at)}😀é`, items: Array.from({ length: n * 1000 }, () => "😀é") };
        const { text, rest } = startJson(body);
        let ends = 0;
        const sent = await new Response(streamText(text, rest, () => ends++)).text();
        expect(sent).toBe(JSON.stringify(body));
        expect(ends).toBe(1);
      },
    ),
    { numRuns: 30 },
  );
});

test("nothing more is made than is read, and what is given up is told", async () => {
  let made = 0;
  function* rest() {
    while (true) {
      made++;
      yield "x".repeat(65_536);
    }
  }
  let ends = 0;
  const reader = streamText("", rest(), () => ends++).getReader();
  for (let i = 0; i < 5; i++) await reader.read();
  expect(made).toBeLessThan(8);
  expect(ends).toBe(0);
  await reader.cancel();
  expect(ends).toBe(1);
});
