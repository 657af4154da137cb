import { expect, test } from "bun:test";
import { invalid, StorageError, UnfinishedChange, UnknownOutcome } from "../../src/domain/errors.ts";
import { errorReply, LateResponse } from "../../src/http/http-errors.ts";

// Rule: internal-error
test.each([
  new Error("SELECT secret FROM partners"),
  "a text",
  undefined,
  { code: "not_found", message: "x" },
])("an unexpected error, %p, is a 500 without its text", (error) => {
  const { status, body } = errorReply(error, "r-1");
  expect(status).toBe(500);
  expect(JSON.parse(body)).toEqual({
    error: "Internal server error",
    code: "internal",
    request_id: "r-1",
  });
});

test("a failure is returned with its message, code, request ID and fields", () => {
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

test("storage that fails is a 503, which says whether a part of the change may have been made", () => {
  const messageOf = (error: unknown) => {
    const { status, body, headers } = errorReply(error, "r-3");
    expect({ status, headers }).toEqual({ status: 503, headers: { "retry-after": "30" } });
    return JSON.parse(body).error;
  };
  expect(messageOf(new StorageError("the disk is full"))).toContain("No changes were made.");
  expect(messageOf(new UnknownOutcome("no confirmation"))).toContain(
    "The result is unknown: all or a part of the changes may have been made.",
  );
  expect(messageOf(new UnfinishedChange("the disk is full"))).toContain(
    "Some of the changes may have been made. Send the same request again later",
  );
  const late = new LateResponse(55);
  const { body, headers } = errorReply(new UnfinishedChange(late.message, undefined, late), "r-4");
  expect(headers).toEqual({ "retry-after": "5" });
  expect(JSON.parse(body).error).toStartWith(
    "The response was not ready within 55 s. Some of the changes may have been made. Send the same request again later",
  );
});
