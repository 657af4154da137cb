import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonReplyChunks, startJsonReplyStream, streamReplyText } from "../../src/http/json-reply-stream.ts";

const list = fc.array(fc.jsonValue(), { minLength: 0, maxLength: 5 });
/** A list that is longer than one chunk. */
const longList = fc
  .tuple(list, fc.integer({ min: 249, max: 760 }))
  .map(([some, length]) => Array.from({ length }, (_, i) => some[i % some.length] ?? i));

test("the chunks form the text of JSON.stringify", () => {
  const field = fc.oneof(fc.jsonValue(), longList, fc.constant(undefined));
  const body = fc.oneof(
    fc.dictionary(fc.string(), fc.oneof(field, fc.dictionary(fc.string(), field))),
    longList,
  );
  fc.assert(
    fc.property(body, (value) => expect([...jsonReplyChunks(value)].join("")).toBe(JSON.stringify(value))),
  );
});

test("no chunk of a long list is long", () => {
  const items = Array.from({ length: 100_000 }, (_, i) => ({ id: i }));
  for (const piece of jsonReplyChunks({ of: { items } })) expect(piece.length).toBeLessThan(10_000);
});

test("a text is sent completely, with any characters at the ends of chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 65_530, max: 65_540 }),
      fc.integer({ min: 0, max: 30 }),
      async (at, n) => {
        const body = { text: `${"x".repeat(at)}😀é`, items: Array.from({ length: n * 1000 }, () => "😀é") };
        const { text, rest } = startJsonReplyStream(body);
        let ends = 0;
        const sent = await new Response(streamReplyText(text, rest, () => ends++)).text();
        expect(sent).toBe(JSON.stringify(body));
        expect(ends).toBe(1);
      },
    ),
    { numRuns: 30 },
  );
});

test("no more is serialized than is read, and an aborted stream calls onEnd", async () => {
  let made = 0;
  function* rest() {
    while (true) {
      made++;
      yield "x".repeat(65_536);
    }
  }
  let ends = 0;
  const reader = streamReplyText("", rest(), () => ends++).getReader();
  for (let i = 0; i < 5; i++) await reader.read();
  expect(made).toBeLessThan(8);
  expect(ends).toBe(0);
  await reader.cancel();
  expect(ends).toBe(1);
});
