import { FAILURE_CODES, type FailureCode, type FieldIssue } from "../domain/errors.ts";
import { enumSchema, listSchema, recordSchema, textSchema } from "./definition/schema-field-types.ts";

/** The body of every error response. */
export const failure = recordSchema("Error", {
  error: textSchema("Error message", "name, address, state required"),
  code: enumSchema(FAILURE_CODES, "Stable error code"),
  request_id: textSchema("The request ID, as in X-Request-Id", "tJgQOWERr73VMZbC"),
  details: listSchema(
    "The invalid fields",
    recordSchema("FieldIssue", {
      field: textSchema("Path of the field", "state"),
      message: textSchema("The expected value", "is required"),
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
