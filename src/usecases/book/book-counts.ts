import { LRUCache } from "lru-cache";
import type { RiskTier } from "../../domain/scoring/types.ts";
import type { CodeCount } from "../../store/queries/flags.ts";
import type { RevisedPartner } from "../../store/queries/partners.ts";
import type { Stores } from "../../store/stores.ts";
import { type PortfolioTotals, portfolioFlags, portfolioTotals } from "../portfolio/portfolio-totals.ts";

/** Partners and questions whose counts are kept: some hundred bytes each. */
const MOST_KEPT = 20_000;

/** The number of a partner's properties in lists, and its sums. */
export type PartnerCounts = {
  listed: number;
  totals: PortfolioTotals;
  flags: readonly CodeCount[];
};

/** The number of a partner's alerts by score. */
type ScoreCounts = ReadonlyMap<number, number>;

type Member = Pick<RevisedPartner, "id" | "revision">;

/**
 * Keeps what each partner adds to the book, until the partner's revision changes: a page of the book then reads its own rows
 * and no more, like any list. A revision is read before the counts, so that none is older than its revision.
 */
export class BookCounts {
  readonly #kept = new LRUCache<string, { revision: number; counts: PartnerCounts | ScoreCounts }>({
    max: MOST_KEPT,
  });

  /** The totals and flags leave out demo properties unless `includeDemo`. */
  async ofPartner(read: Stores, member: Member, includeDemo: boolean): Promise<PartnerCounts> {
    return await this.#once(member, includeDemo ? "all" : "own", async () => ({
      listed: (await read.totals.ofPartner(member.id)).properties,
      totals: await portfolioTotals(read, member.id, includeDemo),
      flags: await portfolioFlags(read, member.id, includeDemo),
    }));
  }

  async alertScores(read: Stores, member: Member, tier: RiskTier | undefined): Promise<ScoreCounts> {
    return await this.#once(member, tier ?? "alerts", () =>
      read.components.alertScores({ partnerId: member.id }, tier),
    );
  }

  async #once<Counts extends PartnerCounts | ScoreCounts>(
    { id, revision }: Member,
    question: string,
    count: () => Promise<Counts>,
  ): Promise<Counts> {
    const key = `${id} ${question}`;
    const known = this.#kept.get(key);
    if (known?.revision === revision) return known.counts as Counts;
    const counts = await count();
    this.#kept.set(key, { revision, counts });
    return counts;
  }
}
