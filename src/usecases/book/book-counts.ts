import type { RiskTier } from "../../domain/scoring/types.ts";
import type { CodeCount } from "../../store/queries/flags.ts";
import type { Stores } from "../../store/stores.ts";
import type { AnswerCache, AnswerCaches, ShownPartner } from "../partners/answer-caches.ts";
import { type PortfolioTotals, portfolioFlags, portfolioTotals } from "../portfolio/portfolio-totals.ts";

/** The memory of the sums of a partner, and of each flag or score that is counted, in bytes. */
const SUMS_BYTES = 600;
const COUNT_BYTES = 100;

/** The number of a partner's properties in lists, and its sums. */
export type PartnerCounts = {
  listed: number;
  totals: PortfolioTotals;
  flags: readonly CodeCount[];
};

/** The number of a partner's alerts by score. */
type ScoreCounts = ReadonlyMap<number, number>;

/**
 * Keeps what each partner adds to the book, until the partner's revision changes: a page of the book then reads its own rows
 * and no more, like any list. A revision is read before the counts, so that none is older than its revision.
 */
export class BookCounts {
  readonly #kept: AnswerCache<PartnerCounts | ScoreCounts>;

  constructor(caches: AnswerCaches) {
    this.#kept = caches.open("counts", {
      bytesOf: (counts) => SUMS_BYTES + COUNT_BYTES * ("size" in counts ? counts.size : counts.flags.length),
    });
  }

  /** The totals and flags leave out demo properties unless `includeDemo`. */
  async ofPartner(read: Stores, member: ShownPartner, includeDemo: boolean): Promise<PartnerCounts> {
    return await this.#once(member, includeDemo ? "all" : "own", async () => ({
      listed: (await read.totals.ofPartner(member.id)).properties,
      totals: await portfolioTotals(read, member.id, includeDemo),
      flags: await portfolioFlags(read, member.id, includeDemo),
    }));
  }

  async alertScores(read: Stores, member: ShownPartner, tier: RiskTier | undefined): Promise<ScoreCounts> {
    return await this.#once(member, tier ?? "alerts", () =>
      read.components.alertScores({ partnerId: member.id }, tier),
    );
  }

  async #once<Counts extends PartnerCounts | ScoreCounts>(
    { id, revision }: ShownPartner,
    question: string,
    count: () => Promise<Counts>,
  ): Promise<Counts> {
    const key = `${id} ${question}`;
    const shown = { partners: [{ id, revision }] };
    const known = this.#kept.get(key, shown);
    if (known) return known as Counts;
    const counts = await count();
    this.#kept.set(key, shown, counts);
    return counts;
  }
}
