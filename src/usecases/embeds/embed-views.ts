import type { Instant } from "../../domain/time.ts";
import type { UnstoredViews } from "../../store/queries/embeds.ts";
import type { Store } from "../../store/store.ts";

/**
 * Counts how often embeds are looked at, in memory: a view is worth no write of its own. What was counted is stored
 * from time to time and at a stop; a crash forgets what was counted since.
 */
export class EmbedViews {
  #unstored = new Map<string, UnstoredViews>();

  constructor(private readonly store: Store) {}

  add(embedId: string, now: Instant): void {
    const known = this.#unstored.get(embedId);
    if (known) {
      known.views++;
      known.lastViewedAt = now;
    } else this.#unstored.set(embedId, { embedId, views: 1, lastViewedAt: now });
  }

  /** Stores what was counted; what cannot be stored is counted on. */
  async flush(): Promise<void> {
    const counted = this.#unstored;
    if (counted.size === 0) return;
    this.#unstored = new Map();
    try {
      await this.store.write(
        async (tx) => {
          // In one order, since other servers count views of the same.
          for (const id of [...counted.keys()].sort()) await tx.embeds.addViews(counted.get(id)!);
        },
        { durability: "process" },
      );
    } catch (error) {
      for (const { embedId, views, lastViewedAt } of counted.values()) {
        const since = this.#unstored.get(embedId);
        if (since) since.views += views;
        else this.#unstored.set(embedId, { embedId, views, lastViewedAt });
      }
      throw error;
    }
  }
}
