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

/**
 * Bounds what the answers of one partner hold of memory until its clients have read them. The oldest one always goes on,
 * so that none is too large; the others have what it leaves.
 */
export class HeldAnswers {
  readonly #partners = new Map<string, Map<Holding, number>>();

  constructor(private readonly most = MOST_HELD) {}

  open(partnerId: string): Holding {
    const holding: Holding = {
      hold: (bytes) => this.#hold(partnerId, holding, bytes),
      release: () => {
        const held = this.#partners.get(partnerId);
        if (held?.delete(holding) && held.size === 0) this.#partners.delete(partnerId);
      },
    };
    return holding;
  }

  #hold(partnerId: string, holding: Holding, bytes: number): void {
    if (bytes === 0) return;
    const held = this.#partners.get(partnerId) ?? new Map<Holding, number>();
    this.#partners.set(partnerId, held);
    held.set(holding, (held.get(holding) ?? 0) + bytes);
    const [oldest] = held.keys();
    if (holding === oldest) return;
    let total = 0;
    for (const one of held.values()) total += one;
    if (total <= this.most) return;
    throw new HttpFailure(
      "unavailable",
      "Too many large answers are under way. Read them to their end, and send this again then.",
      { "retry-after": String(RETRY_AFTER_S) },
    );
  }
}
