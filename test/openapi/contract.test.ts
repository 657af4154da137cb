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
      Thing: {
        type: "object",
        required: ["id", "note"],
        properties: {
          id: { type: "string" },
          note: { type: "string", nullable: true },
          part: {
            type: "object",
            properties: { size: { type: "number", minimum: 0, exclusiveMinimum: true } },
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
const check = (reply: Reply, path = "/v1/things/T_1", method = "GET") =>
  new Contract(DOCUMENT).check(method, path, reply);

describe("the comparison of responses with the API document", () => {
  test("accepts a documented response, with null in nullable fields", () => {
    check(answer({ id: "T_1", note: null, part: { size: 2 } }));
    check(answer({ id: "T_1", note: "n" }), "/api/v1/things/T_1?more=1");
    check(answer(undefined, { text: "" }), "/v1/things/T_1", "HEAD");
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
    [
      "a number on its exclusive bound",
      { id: "T_1", note: null, part: { size: 0 } },
      "/part/size must be > 0",
    ],
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
