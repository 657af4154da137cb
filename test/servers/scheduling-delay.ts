const EVERY_MS = 100;
const REMEMBERED = 50;

/** Measures the scheduling delay of this process, which a busy machine imposes on every process. */
export class SchedulingDelay {
  readonly #latest: number[] = [];
  readonly #timer: ReturnType<typeof setInterval>;

  constructor() {
    let due = performance.now() + EVERY_MS;
    this.#timer = setInterval(() => {
      this.#latest.push(Math.max(0, performance.now() - due));
      if (this.#latest.length > REMEMBERED) this.#latest.shift();
      due = performance.now() + EVERY_MS;
    }, EVERY_MS);
  }

  /** Returns the longest delay of the last five seconds, in milliseconds. */
  worstMs(): number {
    return Math.max(0, ...this.#latest);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
