const EVERY_MS = 100;
const REMEMBERED = 50;

/** How late this process gets its turn: what a busy machine does to every process on it. */
export class Lag {
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

  /** In the last five seconds. */
  worstMs(): number {
    return Math.max(0, ...this.#latest);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
