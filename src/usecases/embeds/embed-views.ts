import type { Instant } from "../../domain/time.ts";
import type { UnstoredViews } from "../../store/queries/embeds.ts";
import type { Store } from "../../store/store.ts";

/**
 * Counts views of embeds in memory, since a view does not justify a write. The counts are stored periodically and
 * at shutdown; a crash loses those since.
 */
export class EmbedViewCounter {
  #unstored = new Map<string, UnstoredViews>();

  constructor(private readonly store: Store) {}

  add(embedId: string, now: Instant): void {
    const known = this.#unstored.get(embedId);
    if (known) {
      known.views++;
      known.lastViewedAt = now;
    } else this.#unstored.set(embedId, { embedId, views: 1, lastViewedAt: now });
  }

  /** Stores the counts; those that cannot be stored are kept. */
  async flush(): Promise<void> {
    const counted = this.#unstored;
    if (counted.size === 0) return;
    this.#unstored = new Map();
    try {
      await this.store.write(
        async (tx) => {
          // Sorted, since other servers update the same rows.
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
