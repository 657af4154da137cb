import { CRITICAL_FROM, type PlacedComponent } from "../../domain/component.ts";
import type { Partner } from "../../domain/partner.ts";
import type { RiskTier } from "../../domain/scoring/types.ts";
import type { Slice } from "../../store/slice.ts";
import type { Store } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import type { BookCounts } from "./book-counts.ts";

type AlertFilter = { system?: string | undefined; state?: string | undefined };
type BookAlerts = { rows: PlacedComponent[]; critical: number; warning: number };

/**
 * Returns a page of the alerts of several partners, the highest score first, then by partner and creation. The kept
 * counts of each partner by score locate the page.
 */
export async function bookAlerts(
  { store, counts }: { store: Pick<Store, "inReadSnapshot">; counts: BookCounts },
  members: readonly Pick<Partner, "id">[],
  filter: AlertFilter,
  tier: RiskTier | undefined,
  { limit, offset }: Slice,
): Promise<BookAlerts> {
  return await store.inReadSnapshot(async (read) => {
    const ids = new Set(members.map(({ id }) => id));
    const isWhole = filter.system === undefined && filter.state === undefined;
    const counted: { id: string; counts: ReadonlyMap<number, number> }[] = [];
    // The revisions of this snapshot, whose counts locate a page of it.
    for (const member of await read.partners.listRevised())
      if (ids.has(member.id)) {
        const ofMember = isWhole
          ? counts.alertScores(read, member, tier)
          : read.components.alertScores({ partnerId: member.id, ...filter }, tier);
        counted.push({ id: member.id, counts: await ofMember });
      }
    const scores = [...new Set(counted.flatMap((partner) => [...partner.counts.keys()]))].sort(
      (a, b) => b - a,
    );
    const before = new Map<string, number>();
    const page: BookAlerts = { rows: [], critical: 0, warning: 0 };
    let seen = 0;
    for (const score of scores)
      for (const { id, counts } of counted) {
        const count = counts.get(score) ?? 0;
        page[score >= CRITICAL_FROM ? "critical" : "warning"] += count;
        const skipped = Math.min(Math.max(offset - seen, 0), count);
        const taken = Math.min(count - skipped, limit - page.rows.length);
        const above = before.get(id) ?? 0;
        if (taken > 0)
          page.rows.push(
            ...(await alertsOf(read, id, filter, tier, { limit: taken, offset: above + skipped })),
          );
        before.set(id, above + count);
        seen += count;
      }
    return page;
  });
}

const alertsOf = (
  { components }: Stores,
  partnerId: string,
  filter: AlertFilter,
  tier: RiskTier | undefined,
  slice: Slice,
): Promise<PlacedComponent[]> =>
  filter.system === undefined && filter.state === undefined
    ? components.elevatedPage(partnerId, slice, tier)
    : components.alertPage({ partnerId, ...filter }, tier, slice);
