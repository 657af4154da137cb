/** What can go wrong, as partners and operators see it. Stable and public; `http/errors.ts` gives each a status. */
export const FAILURE_CODES = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "conflict",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "budget_exhausted",
  "unavailable",
  "internal",
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** One field of a request that was refused, by its wire name. */
export type FieldIssue = { field: string; message: string };

/** A refusal with a message that may be shown to the caller: it never repeats a secret or the caller's whole input. */
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

export const invalid = (message: string, details?: FieldIssue[]) =>
  new Failure("invalid_request", message, details);
export const notFound = (message: string) => new Failure("not_found", message);
export const conflict = (message: string) => new Failure("conflict", message);

/** An operator's mistake or a broken environment, met by a command: what failed, where, and what to do next. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** A file of the data folder cannot be written or read just now. Nothing of what was asked has happened. */
export class StorageError extends OperatorError {}
