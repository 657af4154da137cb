import { CRITICAL_FROM, type PlacedComponent } from "../../domain/component.ts";
import type { Partner } from "../../domain/partner.ts";
import type { RiskTier } from "../../domain/scoring/types.ts";
import type { Slice } from "../../store/slice.ts";
import type { Store } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

type AlertFilter = { system?: string | undefined; state?: string | undefined };
type BookAlerts = { rows: PlacedComponent[]; critical: number; warning: number };

/**
 * Returns a page of the alerts of several partners, the highest score first, then by partner and creation. The counts of
 * each partner by score locate the page.
 */
export async function bookAlerts(
  store: Pick<Store, "inReadSnapshot">,
  members: readonly Pick<Partner, "id">[],
  filter: AlertFilter,
  tier: RiskTier | undefined,
  { limit, offset }: Slice,
): Promise<BookAlerts> {
  return await store.inReadSnapshot(async (read) => {
    const counted = [];
    for (const { id } of members)
      counted.push({ id, counts: await read.components.alertScores({ partnerId: id, ...filter }, tier) });
    const scores = [...new Set(counted.flatMap(({ counts }) => [...counts.keys()]))].sort((a, b) => b - a);
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
