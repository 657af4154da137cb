import { ResponseDeadline } from "../../src/http/response-deadline.ts";

/** The fields of a request's context for a caller that stays, and a response that may take any time. */
export function withoutDeadline() {
  const caller = new AbortController().signal;
  return { caller, deadline: new ResponseDeadline(caller, 3600, () => () => {}) };
}

/** The context of a request by such a caller at an instant. */
export const requestContextAt = (now: number) => ({
  requestId: "r",
  address: "::1",
  now,
  monotonicMs: 0,
  headers: {},
  ...withoutDeadline(),
});
