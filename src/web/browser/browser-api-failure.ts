/** The kinds of failed calls, by what a page can do about them. */
export type FailureKind =
  /** The credentials are invalid, or no longer valid. */
  | "unauthenticated"
  | "not_found"
  /** Too many calls in a minute. */
  | "rate_limited"
  /** The daily call limit is reached. */
  | "daily_limit_reached"
  /** The state of the account does not permit it now. */
  | "conflict"
  /** The request was invalid. */
  | "rejected"
  /** The request was too large, or what it makes. */
  | "too_large"
  /** The server failed. */
  | "server"
  /** No response. */
  | "offline";

export const OFFLINE_MESSAGE =
  "The server is not responding. You may be offline, or the server may be restarting.";

/** A call of the API that failed, or got no response. */
export class ApiFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly retryAfterS?: number,
    /** The id of the call in the server's log. */
    readonly requestId?: string,
  ) {
    super(message);
  }
}

/** Makes a failed response into a failure. */
export async function readApiFailure(response: Response): Promise<ApiFailure> {
  const body = (await response.json().catch(() => ({}))) as { error?: unknown; code?: unknown };
  const message = typeof body.error === "string" ? body.error : `HTTP ${response.status}`;
  const after = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ApiFailure(
    failureKind(response.status, body.code),
    message,
    Number.isFinite(after) ? after : undefined,
    response.headers.get("x-request-id") ?? undefined,
  );
}

function failureKind(status: number, code: unknown): FailureKind {
  if (status === 401) return "unauthenticated";
  if (status === 404) return "not_found";
  if (status === 429) return code === "budget_exhausted" ? "daily_limit_reached" : "rate_limited";
  if (status === 409) return "conflict";
  if (status === 413) return "too_large";
  return status >= 500 ? "server" : "rejected";
}
