import { serializeFailure } from "../api-schemas/error-schema.ts";
import {
  Failure,
  type FailureCode,
  StorageError,
  UncertainChange,
  UnfinishedChange,
  UnknownOutcome,
} from "../domain/errors.ts";

/** The HTTP status of each failure code. */
const STATUS: Record<FailureCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  rate_limited: 429,
  budget_exhausted: 429,
  internal: 500,
  unavailable: 503,
};

/** The logged status of a request whose caller closed the connection before the response was made, as in nginx. */
export const CALLER_GONE = 499;

/** A failure whose response carries headers of its own. */
export class HttpFailure extends Failure {
  constructor(
    code: FailureCode,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(code, message);
  }
}

/** Work that was interrupted may be cheaper the second time, since the plans of a portfolio are stored as they are made. */
const LATE_MS = 5_000;

/** The failure of a request whose response was not ready in time. */
export class LateResponse extends HttpFailure {
  readonly reason: string;

  constructor(timeoutS: number) {
    const reason = `The response was not ready within ${timeoutS} s.`;
    super("unavailable", `${reason} Retry later.`, retryAfter(LATE_MS));
    this.reason = reason;
  }
}

type ErrorReply = { status: number; body: string; headers: Record<string, string> };

/** Long enough for an operator's monitor to notice; callers may retry earlier. */
const UNAVAILABLE_MS = 30_000;

const retryAfter = (waitMs: number) => ({ "retry-after": String(Math.max(1, Math.ceil(waitMs / 1000))) });

/** The failure of an address that sends too many requests. */
export const httpTooManyRequests = (waitMs: number) =>
  new HttpFailure("rate_limited", "Too many requests. Please slow down.", retryAfter(waitMs));

/** The failure of a partner that sends too many requests. */
export const httpRateLimitExceeded = (perMinute: number, waitMs: number) =>
  new HttpFailure(
    "rate_limited",
    `Rate limit exceeded. Maximum ${perMinute} requests per minute.`,
    retryAfter(waitMs),
  );

/** The failure of a partner that has no calls left today. */
export const httpDailyLimitExceeded = (perDay: number, waitMs: number) =>
  new HttpFailure(
    "budget_exhausted",
    `Daily limit of ${perDay} calls per day exceeded. Resets at midnight UTC.`,
    retryAfter(waitMs),
  );

/** Returns the response to anything thrown. The text of an unexpected error is only logged. */
export function errorReply(error: unknown, requestId: string): ErrorReply {
  const failure = failureOf(error);
  const details = failure.details?.length ? failure.details : undefined;
  const body = serializeFailure(failure.code, failure.message, requestId, details);
  return {
    status: STATUS[failure.code],
    body: JSON.stringify(body),
    headers: failure instanceof HttpFailure ? failure.headers : {},
  };
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof StorageError) {
    const late = lateResponseOfUncertainChange(error);
    return new HttpFailure(
      "unavailable",
      `${late?.reason ?? "Service temporarily unavailable."} ${changesAfter(error)}`,
      late?.headers ?? retryAfter(UNAVAILABLE_MS),
    );
  }
  return new Failure("internal", "Internal server error");
}

/** Returns the missed deadline after which a change may have been made; undefined if the storage failed. */
export function lateResponseOfUncertainChange(error: unknown): LateResponse | undefined {
  return error instanceof UncertainChange && error.late instanceof LateResponse ? error.late : undefined;
}

/** Returns what became of the requested change, and what to do. */
function changesAfter(error: StorageError): string {
  if (error instanceof UnknownOutcome)
    return "The result is unknown: all or a part of the changes may have been made. Check before you repeat the request; with an Idempotency-Key you can repeat it safely.";
  if (error instanceof UnfinishedChange)
    return "Some of the changes may have been made. Send the same request again later, which makes the rest.";
  return "No changes were made. Retry later.";
}
