import { describe, expect, test } from "bun:test";
import type { ApiDocument } from "../support/api-document.ts";
import { Contract } from "../support/contract.ts";
import type { Reply } from "../support/reply.ts";

const DOCUMENT = {
  openapi: "3.0.3",
  info: { version: "1.0.0" },
  servers: [{ url: "/v1" }],
  paths: {
    "/things/{id}": {
      get: {
        operationId: "getThing",
        tags: ["Things"],
        summary: "A thing",
        description: "A thing.",
        responses: {
          200: {
            description: "The thing",
            headers: { "X-Request-Id": { description: "Id", required: true, schema: { type: "string" } } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
          },
          304: { description: "It still stands" },
        },
      },
    },
  },
  components: {
    securitySchemes: {},
    schemas: {
      Whole: { type: "integer", minimum: 1 },
      Thing: {
        type: "object",
        required: ["id", "note"],
        properties: {
          id: { type: "string" },
          note: { type: "string", nullable: true },
          part: {
            type: "object",
            properties: {
              size: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 9 },
              count: { type: "integer", nullable: true },
              color: { type: "string", enum: ["red", null], nullable: true },
              code: { type: "string", pattern: "^[a-z]+$", minLength: 2, maxLength: 3 },
              made: { type: "string", format: "date" },
              seen: { type: "string", format: "date-time" },
              is_new: { type: "boolean" },
              sizes: { type: "object", additionalProperties: { $ref: "#/components/schemas/Whole" } },
              list: { type: "array", maxItems: 2, items: { $ref: "#/components/schemas/Whole" } },
              twin: { nullable: true, allOf: [{ $ref: "#/components/schemas/Thing" }] },
              either: {
                anyOf: [{ $ref: "#/components/schemas/Whole" }, { $ref: "#/components/schemas/Thing" }],
              },
            },
          },
        },
      },
    },
  },
} satisfies ApiDocument;

const answer = (body: unknown, change: Partial<Reply> = {}): Reply => ({
  status: 200,
  headers: new Headers({ "x-request-id": "r", "content-type": "application/json" }),
  text: JSON.stringify(body),
  body,
  ...change,
});
const partWith = (part: object) => ({ id: "T_1", note: null, part });
const check = (reply: Reply, path = "/v1/things/T_1", method = "GET") =>
  new Contract(DOCUMENT).check(method, path, reply);

describe("the comparison of responses with the API document", () => {
  test("accepts a documented response, with null in nullable fields", () => {
    check(answer({ id: "T_1", note: null, part: { size: 2 } }));
    check(answer({ id: "T_1", note: "n" }), "/api/v1/things/T_1?more=1");
    check(answer(undefined, { text: "" }), "/v1/things/T_1", "HEAD");
    const part = {
      size: 9,
      count: null,
      color: null,
      code: "abc",
      made: "2024-02-29",
      is_new: false,
      seen: "2024-02-29T12:00:00.5Z",
      sizes: { a: 1 },
      list: [1, 2],
    };
    const thing = { id: "T_1", note: null };
    for (const more of [
      { twin: null, either: 1 },
      { twin: thing, either: thing, color: "red", count: 1 },
    ])
      check(answer({ ...thing, part: { ...part, ...more } }));
  });

  // Rule: documented-fields
  test.each([
    ["a field that is missing", { id: "T_1" }, "must have required property 'note'"],
    [
      "an undocumented field",
      { id: "T_1", note: null, more: 1 },
      "must NOT have additional properties: more",
    ],
    ["one inside of another", { id: "T_1", note: null, part: { more: 1 } }, "/part must NOT have additional"],
    ["a null that is not allowed", { id: null, note: null }, "/id must be string"],
    ["a number on its exclusive bound", partWith({ size: 0 }), "/part/size must be > 0"],
    ["a number above its bound", partWith({ size: 10 }), "/part/size must be <= 9"],
    ["a number that is not whole", partWith({ count: 1.5 }), "/part/count must be integer"],
    ["another word", partWith({ color: "blue" }), "/part/color must be equal to one of the allowed values"],
    ["another pattern", partWith({ code: "AB" }), '/part/code must match pattern "^[a-z]+$"'],
    ["a short text", partWith({ code: "a" }), "/part/code must NOT have fewer than 2 characters"],
    ["a long text", partWith({ code: "abcd" }), "/part/code must NOT have more than 3 characters"],
    ["a day that does not exist", partWith({ made: "2023-02-29" }), '/part/made must match format "date"'],
    [
      "a time without a zone",
      partWith({ seen: "2024-02-29T12:00:00" }),
      '/part/seen must match format "date',
    ],
    ["a text for a flag", partWith({ is_new: "no" }), "/part/is_new must be boolean"],
    ["a list for an object", partWith([]), "/part must be object"],
    ["an object for a list", partWith({ list: {} }), "/part/list must be array"],
    ["a wrong value under any name", partWith({ sizes: { a: 0 } }), "/part/sizes/a must be >= 1"],
    ["a wrong item", partWith({ list: [1, "2"] }), "/part/list/1 must be integer"],
    ["a long list", partWith({ list: [1, 2, 3] }), "/part/list must NOT have more than 2 items"],
    ["a fault in what is inherited", partWith({ twin: { id: "T_2" } }), "/part/twin must have required"],
    ["none of the alternatives", partWith({ either: {} }), "/part/either must match a schema in anyOf"],
  ])("and fails for %s", (_, body, fault) => {
    expect(() => check(answer(body))).toThrow(fault);
  });

  test("rejects an undocumented status, header, content type or body", () => {
    const good = { id: "T_1", note: null };
    expect(() => check(answer(good, { status: 500 }))).toThrow("does not know");
    expect(() =>
      check(answer(good, { headers: new Headers({ "content-type": "application/json" }) })),
    ).toThrow("the header X-Request-Id is missing");
    const page = new Headers({ "x-request-id": "r", "content-type": "text/html" });
    expect(() => check(answer(good, { headers: page }))).toThrow("the content type is text/html");
    expect(() => check(answer(good, { status: 304 }))).toThrow("there is a body, and none is documented");
  });

  test("ignores undocumented operations", () => {
    check(answer({ anything: true }), "/admin/partners");
    check(answer({ anything: true }), "/v1/things/T_1", "PUT");
  });
});
