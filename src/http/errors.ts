import { Failure, type FailureCode } from "../domain/errors.ts";

/** The status of each failure: the one place that knows. */
const STATUS: Record<FailureCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  budget_exhausted: 429,
  internal: 500,
  unavailable: 503,
};

/** A failure with the headers that its answer carries beside the common ones. */
export class HttpFailure extends Failure {
  constructor(
    code: FailureCode,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(code, message);
  }
}

export type ErrorReply = { status: number; body: string; headers: Record<string, string> };

/** The answer to anything thrown. What is no Failure is told to nobody but the log. */
export function errorReply(error: unknown, requestId: string): ErrorReply {
  const failure = error instanceof Failure ? error : new Failure("internal", "Internal server error");
  const body: Record<string, unknown> = {
    error: failure.message,
    code: failure.code,
    request_id: requestId,
  };
  if (failure.details && failure.details.length > 0) body.details = failure.details;
  return {
    status: STATUS[failure.code],
    body: JSON.stringify(body),
    headers: failure instanceof HttpFailure ? failure.headers : {},
  };
}
