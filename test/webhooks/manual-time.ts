import type { Timers } from "../../src/event-loop/event-loop.ts";

/** Time that the test advances. */
export class ManualTime {
  now: number;
  private timers: { at: number; fire: () => void }[] = [];
  readonly timersPort: Timers = {
    set: (fire, delayMs) => {
      const timer = { at: this.now + delayMs, fire };
      this.timers.push(timer);
      return timer;
    },
    clear: (timer) => {
      this.timers = this.timers.filter((one) => one !== timer);
    },
  };

  constructor(startAt = 1_760_000_000_000) {
    this.now = startAt;
  }

  /** Runs everything that needs no time. */
  async settle(): Promise<void> {
    for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Advances the time and fires each timer when it is due. */
  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    await this.settle();
    for (;;) {
      const next = this.timers.reduce<{ at: number; fire: () => void } | undefined>(
        (first, one) => (one.at <= until && (!first || one.at < first.at) ? one : first),
        undefined,
      );
      if (!next) break;
      this.timersPort.clear(next);
      this.now = Math.max(this.now, next.at);
      next.fire();
      await this.settle();
    }
    this.now = until;
  }
}
