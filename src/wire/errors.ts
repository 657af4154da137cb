import { FAILURE_CODES, type FailureCode, type FieldIssue } from "../domain/errors.ts";
import { enumOf, list, record, text } from "./schema/fields.ts";

/** The body of every failure. */
export const failure = record("Error", {
  error: text("What was wrong, in words", "name, address, state required"),
  code: enumOf(FAILURE_CODES, "Stable code of the failure"),
  request_id: text("The request's id, as in X-Request-Id", "tJgQOWERr73VMZbC"),
  details: list(
    "The fields that were refused",
    record("FieldIssue", {
      field: text("The field, by its path", "state"),
      message: text("What is expected", "is required"),
    }),
  ).orAbsent(),
});

export const failureView = failure.serializer(
  (code: FailureCode, message: string, requestId: string, details: readonly FieldIssue[] | undefined) => ({
    error: message,
    code,
    request_id: requestId,
    ...(details && { details: details.map(({ field, message }) => ({ field, message })) }),
  }),
);
