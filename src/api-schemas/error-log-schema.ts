import { isoTextOfInstant } from "../domain/time.ts";
import type { LoggedError } from "../logging/logged-error.ts";
import { reportedBy } from "./cluster-server-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { instantSchema, listSchema, objectSchema, textSchema } from "./definition/schema-field-types.ts";

const loggedError = objectSchema({
  at: instantSchema("When the error was logged"),
  message: textSchema("The log message", "job failed"),
  reason: textSchema("The error's own message", "the disk is full").orNull(),
  request_id: textSchema(
    "ID of the request that failed; null outside a request",
    "tJgQOWERr73VMZbC",
  ).orNull(),
});
export type LoggedErrorJson = JsonOf<typeof loggedError>;

export const loggedErrors = objectSchema({
  server: reportedBy,
  errors: listSchema("The latest errors, newest first", loggedError),
});

export const serializeLoggedErrors = loggedErrors.serializer(
  (server: string, errors: readonly LoggedError[]) => ({
    server,
    errors: errors.map(({ at, message, reason, requestId }) => ({
      at: isoTextOfInstant(at),
      message,
      reason,
      request_id: requestId,
    })),
  }),
);
