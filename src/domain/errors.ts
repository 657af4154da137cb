/** The public, stable codes of failures. `http/http-errors.ts` maps each to a status. */
export const FAILURE_CODES = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "conflict",
  "payload_too_large",
  "unsupported_media_type",
  "misdirected_request",
  "rate_limited",
  "budget_exhausted",
  "unavailable",
  "internal",
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** An invalid field of a request, by its name in the API. */
export type FieldIssue = { field: string; message: string };

/** A refusal with a message for the caller. The message never contains a secret or the caller's whole input. */
export class Failure extends Error {
  override readonly name = "Failure";
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly details?: FieldIssue[],
  ) {
    super(message);
  }
}

/** Returns an invalid_request failure. */
export const invalid = (message: string, details?: FieldIssue[]) =>
  new Failure("invalid_request", message, details);
/** Returns a not_found failure. */
export const notFound = (message: string) => new Failure("not_found", message);
/** Returns a conflict failure. */
export const conflict = (message: string) => new Failure("conflict", message);

/** A mistake of an operator or a broken environment. The message says what failed and where, the hint what to do. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** A backup that cannot be read: it is damaged, no backup, or encrypted with another passphrase. */
export class UnreadableBackup extends OperatorError {}

/** Storage that currently cannot be read or written. The requested change has not been made. */
export class StorageError extends OperatorError {}

/** Storage that rejects writes because its disk is full. Reads may continue. */
export class FullStorageError extends StorageError {}

/** Storage whose content is damaged or cannot be read: SQLite reports both alike. */
export class UnreadableStorageError extends StorageError {}

/** A change that may have been made, or a part of it. `late` is the failure of a response that took too long, if that is why. */
export class UncertainChange extends StorageError {
  constructor(
    message: string,
    hint?: string,
    readonly late?: Failure,
  ) {
    super(message, hint);
  }
}

/** A change that was interrupted when a part of it may have been made. The same request makes the rest. */
export class UnfinishedChange extends UncertainChange {}

/** Storage that has not confirmed the requested change: it may have been made, or be made later. */
export class UnknownOutcome extends UncertainChange {}
