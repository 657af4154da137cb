import { type EmbedView, MAX_EMBED_VIEWS } from "../../domain/embed.ts";
import type { UnstoredViews } from "../../store/queries/embeds-queries.ts";
import type { Store } from "../../store/store.ts";

/**
 * Counts views of embeds in memory, since a view does not justify a write. The counts are stored periodically and
 * at shutdown; a crash loses those since.
 */
export class EmbedViewCounter {
  #unstored = new Map<string, UnstoredViews>();

  constructor(private readonly store: Store) {}

  add(embedId: string, view: EmbedView): void {
    this.#add({ embedId, views: 1, latest: [view] });
  }

  #add({ embedId, views, latest }: UnstoredViews): void {
    const known = this.#unstored.get(embedId);
    this.#unstored.set(embedId, {
      embedId,
      views: views + (known?.views ?? 0),
      latest: [...latest, ...(known?.latest ?? [])].slice(0, MAX_EMBED_VIEWS),
    });
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
      for (const views of counted.values()) this.#add(views);
      throw error;
    }
  }
}
