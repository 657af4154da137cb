/** What a page can do about a call that failed. */
export type FailureKind =
  /** The credentials open nothing, or no longer. */
  | "signed_out"
  | "not_found"
  /** Too many calls in a minute; later it will be answered. */
  | "too_fast"
  /** The day's calls are used up. */
  | "budget_spent"
  /** The request itself was wrong. */
  | "refused"
  /** The server could not answer it. */
  | "server"
  /** Nothing answered at all. */
  | "offline";

export const OFFLINE = "The server does not answer. You may be offline, or it may be restarting.";

export class ApiFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly retryAfterS?: number,
    /** By which the server's operator finds the call in the log. */
    readonly requestId?: string,
  ) {
    super(message);
  }
}

/** The failure that an answer tells of. */
export async function failureOf(answer: Response): Promise<ApiFailure> {
  const told = (await answer.json().catch(() => ({}))) as { error?: unknown; code?: unknown };
  const words = typeof told.error === "string" ? told.error : `The server answered ${answer.status}.`;
  const after = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return new ApiFailure(
    kindOf(answer.status, told.code),
    words,
    Number.isFinite(after) ? after : undefined,
    answer.headers.get("x-request-id") ?? undefined,
  );
}

function kindOf(status: number, code: unknown): FailureKind {
  if (status === 401) return "signed_out";
  if (status === 404) return "not_found";
  if (status === 429) return code === "budget_exhausted" ? "budget_spent" : "too_fast";
  return status >= 500 ? "server" : "refused";
}
