import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Failure } from "../../src/domain/errors.ts";
import {
  maxHttpBodyValues,
  parseHttpRequestBody,
  parseHttpRequestBodyObject,
  readHttpBodyBytes,
  requestMediaType,
  requireHttpJsonBody,
} from "../../src/http/request-body.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const request = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request("http://localhost/", { method: "POST", body, headers });
const chunked = (...chunks: string[]) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(bytes(chunk));
      controller.close();
    },
  });

describe("readHttpBodyBytes", () => {
  test("returns the bytes, with a declared length or in chunks", async () => {
    expect(Buffer.from(await readHttpBodyBytes(request("12345"), 5)).toString()).toBe("12345");
    expect(Buffer.from(await readHttpBodyBytes(request(chunked("12", "345")), 5)).toString()).toBe("12345");
    expect(Buffer.from(await readHttpBodyBytes(request(chunked()), 5)).toString()).toBe("");
  });

  test("rejects a body that is one byte too long", async () => {
    for (const body of ["123456", chunked("123", "456")])
      await expect(readHttpBodyBytes(request(body), 5)).rejects.toMatchObject({ code: "payload_too_large" });
  });

  test("rejects a body by its declared length before reading it", async () => {
    const never = new ReadableStream({ pull: () => new Promise(() => {}) });
    const declared = request(never, { "content-length": "6" });
    await expect(readHttpBodyBytes(declared, 5)).rejects.toMatchObject({ code: "payload_too_large" });
  });

  test("stops reading as soon as the chunks exceed the limit", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(bytes("x".repeat(100)));
      },
    });
    await expect(readHttpBodyBytes(request(endless), 1000)).rejects.toMatchObject({
      code: "payload_too_large",
    });
    expect(pulled).toBeLessThan(30);
  });

  test("reports an incomplete body as invalid_request", async () => {
    const cut = new ReadableStream({ start: (controller) => controller.error(new Error("reset")) });
    await expect(readHttpBodyBytes(request(cut), 5)).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("requestMediaType and requireHttpJsonBody", () => {
  test.each(["application/json", "Application/JSON ; charset=utf-8", "application/problem+json"])(
    "accept %s as JSON",
    (type) => {
      expect(() => requireHttpJsonBody(request("{}", { "content-type": type }))).not.toThrow();
    },
  );

  test.each(["", "text/json", "application/jsonl", "application/json, text/html", "x+json"])(
    "reject %p",
    (type) => {
      expect(() => requireHttpJsonBody(request("{}", { "content-type": type }))).toThrow("application/json");
    },
  );

  test("return lower case without parameters", () => {
    expect(requestMediaType(request("", { "content-type": "Text/HTML; a=b" }))).toBe("text/html");
  });
});

describe("parseHttpRequestBodyObject", () => {
  const MAX_VALUES = 1000;
  const parse = (text: string) => parseHttpRequestBodyObject(bytes(text), MAX_VALUES);

  test("returns the same as JSON.parse", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        const text = JSON.stringify(value);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("finds the end of strings of any length, with any escapes", () => {
    const part = fc.constantFrom('"', "\\", "x", "x".repeat(70), "{", ",", "é");
    const string = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.dictionary(string, string), (value) => {
        const text = JSON.stringify(value);
        expect(parse(text)).toEqual(JSON.parse(text));
        const [name] = Object.keys(value);
        if (name !== undefined)
          expect(() => parse(`${text.slice(0, -1)},${JSON.stringify(name)}:1}`)).toThrow("Duplicate field");
      }),
    );
    for (const open of ['{"a":"', `{"a":"${"x".repeat(200)}`, `{"a":"${"\\".repeat(200)}"`])
      expect(() => parse(open)).toThrow("not valid JSON");
  });

  test("a long body is parsed in several steps", () => {
    const text = JSON.stringify({ items: ["x".repeat(1000)] });
    expect([...parseHttpRequestBody(bytes(text), MAX_VALUES)].length).toBeGreaterThan(1);
  });

  test("accepts the same name in different objects, and as a value", () => {
    expect(parse('{"a":{"a":"a"},"b":[{"a":1},{"a":2}],"c":"a"}')).toMatchObject({ c: "a" });
    expect(parse(String.raw`{"a":"\"a\":","b":"\\"}`)).toEqual({ a: '"a":', b: "\\" });
  });

  test.each([
    ["a duplicate name", '{"a":1,"a":2}', "Duplicate field"],
    ["a duplicate name in a nested object", '{"x":[{"a":1,"b":[],"a":2}]}', "Duplicate field"],
    ["a duplicate name, escaped once", String.raw`{"a":1,"\u0061":2}`, "Duplicate field"],
    [
      "a duplicate name after a string that looks like one",
      String.raw`{"a":"\"a\":","a" :2}`,
      "Duplicate field",
    ],
    ["33 levels", `{"a":${"[".repeat(32)}${"]".repeat(32)}}`, "deeper than 32 levels"],
    ["too many numbers", `{"a":[${"0,".repeat(MAX_VALUES)}0]}`, "more than 1000 values"],
    ["too many empty objects", `{"a":[${"{},".repeat(MAX_VALUES / 2)}{}]}`, "more than 1000 values"],
    [
      "too many fields",
      `{${Array.from({ length: MAX_VALUES + 1 }, (_, i) => `"${i}":0`).join(",")}}`,
      "more than 1000 values",
    ],
    ["an array", "[1]", "must be a JSON object"],
    ["nothing", " \n", "is empty"],
    ["a comment", "{/* */}", "not valid JSON"],
    ["a comma at its end", '{"a":1,}', "not valid JSON"],
  ])("is refused with %s", (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  test("accepts 32 levels, and any brackets in strings", () => {
    parse(`{"a":${"[".repeat(31)}${"]".repeat(31)}}`);
    expect(parse(`{"a":"${"[{".repeat(100)}"}`).a).toHaveLength(200);
  });

  test("accepts as many values as the limit, and any commas in strings", () => {
    const text = `{"a":[${"0,".repeat(MAX_VALUES - 3)}0],"b":"${",".repeat(MAX_VALUES)}"}`;
    expect(parse(text).a).toHaveLength(MAX_VALUES - 2);
  });

  test("the limit allows for a body of as many items as a request may have", () => {
    // More fields than any item has.
    const item = Object.fromEntries(Array.from({ length: 29 }, (_, i) => [`field ${i}`, i]));
    const items = JSON.stringify({ items: Array.from({ length: 1000 }, () => item) });
    expect(parseHttpRequestBodyObject(bytes(items), maxHttpBodyValues(1000))).toBeObject();
  });

  test("rejects invalid UTF-8", () => {
    expect(() => parseHttpRequestBodyObject(new Uint8Array([0x7b, 0xc3, 0x28, 0x7d]), MAX_VALUES)).toThrow(
      "not valid UTF-8",
    );
  });

  test("parses or rejects any input without an unexpected error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (input) => {
        try {
          expect(parseHttpRequestBodyObject(input, MAX_VALUES)).toBeObject();
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
    );
  });
});
