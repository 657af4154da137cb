import { expect, test } from "bun:test";
import { invalid } from "../../src/domain/errors.ts";
import { errorReply } from "../../src/http/errors.ts";

// Rule: internal-error
test.each([
  new Error("SELECT secret FROM partners"),
  "a text",
  undefined,
  { code: "not_found", message: "x" },
])("a fault inside, %p, is a 500 that tells nothing of it", (fault) => {
  const { status, body } = errorReply(fault, "r-1");
  expect(status).toBe(500);
  expect(JSON.parse(body)).toEqual({
    error: "Internal server error",
    code: "internal",
    request_id: "r-1",
  });
});

test("a refusal tells its words, its code, the request and the fields", () => {
  const details = [{ field: "name", message: "must be text" }];
  const { status, body } = errorReply(invalid("name must be text", details), "r-2");
  expect(status).toBe(400);
  expect(JSON.parse(body)).toEqual({
    error: "name must be text",
    code: "invalid_request",
    request_id: "r-2",
    details,
  });
});
