import { HttpFailure } from "./errors.ts";

/** Bytes that a partner's answers may hold together until they are sent. */
const MOST_HELD = 67_108_864;
const RETRY_AFTER_S = 5;

/** What is held of one answer. */
export type Holding = {
  /** Says that the answer holds so many bytes more; throws unavailable where that is more than the partner may. */
  hold(bytes: number): void;
  /** The answer is sent, or given up. */
  release(): void;
};

/** What is held of the answer to a write. */
export type WriteHolding = {
  /**
   * Before anything is written: the request is of so many bytes, and its answer will be of about as many. Throws
   * unavailable where what else the partner has under way leaves no room.
   */
  reserve(bytes: number): void;
  /** What the answer holds, now that it is made. */
  settle(bytes: number): void;
  /** The answer is sent, or given up. */
  release(): void;
};

/**
 * Bounds what the answers of one partner hold of memory until its clients have read them. The oldest one always goes on,
 * so that none is too large; the others have what it leaves.
 */
export class HeldAnswers {
  readonly #partners = new Map<string, Map<object, number>>();

  constructor(private readonly most = MOST_HELD) {}

  open(partnerId: string): Holding {
    const holding: Holding = {
      hold: (bytes) => this.#hold(partnerId, holding, bytes),
      release: () => this.#release(partnerId, holding),
    };
    return holding;
  }

  /** For the answer to a write, which is not refused once that is done. */
  openForWrite(partnerId: string): WriteHolding {
    const holding: WriteHolding = {
      reserve: (bytes) => {
        if (this.#total(partnerId) > this.most) throw tooManyLargeResponses();
        this.#heldOf(partnerId).set(holding, bytes);
      },
      settle: (bytes) => void this.#heldOf(partnerId).set(holding, bytes),
      release: () => this.#release(partnerId, holding),
    };
    return holding;
  }

  #hold(partnerId: string, holding: Holding, bytes: number): void {
    if (bytes === 0) return;
    const held = this.#heldOf(partnerId);
    held.set(holding, (held.get(holding) ?? 0) + bytes);
    const [oldest] = held.keys();
    if (holding !== oldest && this.#total(partnerId) > this.most) throw tooManyLargeResponses();
  }

  #heldOf(partnerId: string): Map<object, number> {
    const held = this.#partners.get(partnerId) ?? new Map<object, number>();
    this.#partners.set(partnerId, held);
    return held;
  }

  #release(partnerId: string, holding: object): void {
    const held = this.#partners.get(partnerId);
    if (held?.delete(holding) && held.size === 0) this.#partners.delete(partnerId);
  }

  #total(partnerId: string): number {
    let total = 0;
    for (const bytes of this.#partners.get(partnerId)?.values() ?? []) total += bytes;
    return total;
  }
}

export const tooManyLargeResponses = () =>
  new HttpFailure("unavailable", "Too many large responses in progress. Finish reading them, then retry.", {
    "retry-after": String(RETRY_AFTER_S),
  });
