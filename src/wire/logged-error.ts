import type { LoggedError } from "../administration/logged-error.ts";
import { toIso } from "../domain/time.ts";
import { instant, list, object, text } from "./schema/fields.ts";
import type { WireOf } from "./schema/wire-type.ts";
import { toldBy } from "./server.ts";

const loggedError = object({
  at: instant("When it was logged"),
  message: text("What it was about, in the log's words", "job failed"),
  reason: text("What was wrong, where the error says so", "the disk is full").orNull(),
  request_id: text(
    "The call that it befell; null for what no call has asked for",
    "tJgQOWERr73VMZbC",
  ).orNull(),
});
export type LoggedErrorJson = WireOf<typeof loggedError>;

export const loggedErrors = object({
  server: toldBy,
  errors: list("The latest, the newest first", loggedError),
});

export const loggedErrorsView = loggedErrors.serializer((server: string, errors: readonly LoggedError[]) => ({
  server,
  errors: errors.map(({ at, message, reason, requestId }) => ({
    at: toIso(at),
    message,
    reason,
    request_id: requestId,
  })),
}));
