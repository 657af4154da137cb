import { isoText } from "../domain/time.ts";
import type { LoggedError } from "../logging/logged-error.ts";
import { reportedBy } from "./cluster-server-schema.ts";
import { instant, list, object, text } from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";

const loggedError = object({
  at: instant("When the error was logged"),
  message: text("The log message", "job failed"),
  reason: text("The error's own message", "the disk is full").orNull(),
  request_id: text("ID of the request that failed; null outside a request", "tJgQOWERr73VMZbC").orNull(),
});
export type LoggedErrorJson = JsonOf<typeof loggedError>;

export const loggedErrors = object({
  server: reportedBy,
  errors: list("The latest errors, newest first", loggedError),
});

export const serializeLoggedErrors = loggedErrors.serializer(
  (server: string, errors: readonly LoggedError[]) => ({
    server,
    errors: errors.map(({ at, message, reason, requestId }) => ({
      at: isoText(at),
      message,
      reason,
      request_id: requestId,
    })),
  }),
);
