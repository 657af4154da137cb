import { FAILURE_CODES, type FailureCode, type FieldIssue } from "../domain/errors.ts";
import { enumOf, list, record, text } from "./definition/schema-field-types.ts";

/** The body of every error response. */
export const failure = record("Error", {
  error: text("Error message", "name, address, state required"),
  code: enumOf(FAILURE_CODES, "Stable error code"),
  request_id: text("The request ID, as in X-Request-Id", "tJgQOWERr73VMZbC"),
  details: list(
    "The invalid fields",
    record("FieldIssue", {
      field: text("Path of the field", "state"),
      message: text("The expected value", "is required"),
    }),
  ).orAbsent(),
});

export const serializeFailure = failure.serializer(
  (code: FailureCode, message: string, requestId: string, details: readonly FieldIssue[] | undefined) => ({
    error: message,
    code,
    request_id: requestId,
    ...(details && { details: details.map(({ field, message }) => ({ field, message })) }),
  }),
);
