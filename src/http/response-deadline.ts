import { LateResponse } from "./http-errors.ts";

/** Turns the idle timeout of a connection off, and returns a function that turns it on again. */
export type HoldOpen = () => () => void;

/**
 * Limits the time in which the response to one request is made. Meanwhile the connection has no idle timeout, since
 * nothing is sent on it although the server works.
 */
export class ResponseDeadline {
  readonly #ended = new AbortController();
  readonly #expired = Promise.withResolvers<never>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closeWhenIdle = () => {};
  #isOver = false;

  /** `caller` is aborted when the caller closes the connection. */
  constructor(
    private readonly caller: AbortSignal,
    private readonly timeoutS: number,
    private readonly holdOpen: HoldOpen,
  ) {
    caller.addEventListener("abort", () => this.#ended.abort(caller.reason));
    this.#expired.promise.catch(() => {});
  }

  /** Aborted with a Failure at the deadline, and with an AbortError when the caller has closed the connection. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Call when the request has been read completely. Further calls have no effect. */
  start(): void {
    if (this.#timer !== undefined || this.#isOver || this.caller.aborted) return;
    this.#closeWhenIdle = this.holdOpen();
    this.#timer = setTimeout(() => {
      const failure = new LateResponse(this.timeoutS);
      this.#ended.abort(failure);
      this.#expired.reject(failure);
    }, this.timeoutS * 1000);
  }

  /** Returns the result of reading work, which has no effect; rejects with a Failure at the deadline. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#expired.promise]);
  }

  /** Call when the response is made. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#closeWhenIdle();
  }
}
