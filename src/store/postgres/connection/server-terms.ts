import type { BudgetReservations } from "../../store.ts";
import type { Stores } from "../../stores.ts";

/** Part of the first statement of every connection of the pool, and of every poll. */
export const STARTED_AT = "extract(epoch FROM pg_postmaster_start_time())::text AS started_at";

/** The distance between the revisions of two terms: more than a partner's data ever changes. */
const REVISIONS_PER_TERM = 2 ** 40;
/** A revision that nothing is kept under. */
const NO_REVISION = -1;

/**
 * Keeps revisions apart that two database servers have given: a failover may lose the latest changes, and the server that
 * takes over counts on from an older revision. A term ends when another server, or a restarted one, is seen. Since revisions
 * of later terms are never equal to earlier ones, nothing that was kept before is used after it.
 */
export class ServerTerms {
  #startedAt: string | undefined;
  #term = 0;

  /** Must be called before a new connection is used. */
  saw(startedAt: string): void {
    if (this.#startedAt !== undefined && this.#startedAt !== startedAt) this.#term++;
    this.#startedAt = startedAt;
  }

  /** Returns reads whose revisions of partners include the term. */
  tagReads(read: Stores): Stores {
    const { book, partners } = read;
    const tagPartner = async <P extends { revision: number }>(find: () => Promise<P | undefined>) => {
      const { found, base } = await this.#inOneTerm(find);
      return found && { ...found, revision: base + found.revision };
    };
    const tagged: Pick<typeof partners, "find" | "findByApiKey" | "revision" | "revisions"> = {
      find: (id) => tagPartner(() => partners.find(id)),
      findByApiKey: (hash) => tagPartner(() => partners.findByApiKey(hash)),
      revision: async (id) => {
        const { found, base } = await this.#inOneTerm(() => partners.revision(id));
        return found === undefined ? undefined : base + found;
      },
      revisions: async () => {
        const { found, base } = await this.#inOneTerm(() => partners.revisions());
        return new Map([...found].map(([id, revision]) => [id, base + revision]));
      },
    };
    const members: typeof book.members = async () => {
      const { found, base } = await this.#inOneTerm(() => book.members());
      return found.map((member) => ({ ...member, revision: base + member.revision }));
    };
    return { ...read, book: { ...book, members }, partners: { ...partners, ...tagged } };
  }

  /** Returns reservations whose revisions include the term. One that spans two terms is not repeated. */
  tagReservations({ reserve }: BudgetReservations): BudgetReservations {
    return {
      reserve: async (...request) => {
        const term = this.#term;
        const reserved = await reserve(...request);
        if (!reserved) return undefined;
        const isOneTerm = term === this.#term;
        const revision = isOneTerm ? term * REVISIONS_PER_TERM + reserved.revision : NO_REVISION;
        return { ...reserved, revision };
      },
    };
  }

  /** Repeats a read during which a term has ended, since either server may have answered it. */
  async #inOneTerm<T>(read: () => Promise<T>): Promise<{ found: T; base: number }> {
    for (;;) {
      const term = this.#term;
      const found = await read();
      if (term === this.#term) return { found, base: term * REVISIONS_PER_TERM };
    }
  }
}
