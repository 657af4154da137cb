/** The kinds of failed calls, by what a page can do about them. */
export type FailureKind =
  /** The credentials are invalid, or no longer valid. */
  | "signed_out"
  | "not_found"
  /** Too many calls in a minute. */
  | "too_fast"
  /** The daily call limit is reached. */
  | "budget_spent"
  /** The request was invalid. */
  | "refused"
  /** The server failed. */
  | "server"
  /** No response. */
  | "offline";

export const OFFLINE_MESSAGE =
  "The server is not responding. You may be offline, or the server may be restarting.";

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
export async function readFailure(answer: Response): Promise<ApiFailure> {
  const reported = (await answer.json().catch(() => ({}))) as { error?: unknown; code?: unknown };
  const words = typeof reported.error === "string" ? reported.error : `HTTP ${answer.status}`;
  const after = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return new ApiFailure(
    failureKind(answer.status, reported.code),
    words,
    Number.isFinite(after) ? after : undefined,
    answer.headers.get("x-request-id") ?? undefined,
  );
}

function failureKind(status: number, code: unknown): FailureKind {
  if (status === 401) return "signed_out";
  if (status === 404) return "not_found";
  if (status === 429) return code === "budget_exhausted" ? "budget_spent" : "too_fast";
  return status >= 500 ? "server" : "refused";
}
