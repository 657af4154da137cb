import type { PlacedComponent } from "../../domain/component.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import type { Store } from "../../store/store.ts";

const PAGE = 500;

type ScoredFilter = {
  partnerId: string;
  propertyId?: string | undefined;
  tier?: RiskTier | undefined;
};

/**
 * Yields a partner's components in the order of their creation, a page at a time. Each page starts after the last
 * row of the previous one, so that concurrent writes cause no duplicates.
 */
export async function* loadPortfolioComponentPages(
  { read }: Pick<Store, "read">,
  filter: ScoredFilter,
): AsyncGenerator<PlacedComponent[]> {
  const { tier } = filter;
  for (let after = 0; ; ) {
    const page = await pageAfter(read, filter, after);
    yield tier === undefined ? page : page.filter(({ riskTier }) => riskTier === tier);
    if (page.length < PAGE) return;
    after = page.at(-1)!.seq;
  }
}

function pageAfter(
  { components }: Store["read"],
  filter: ScoredFilter,
  after: number,
): Promise<PlacedComponent[]> {
  const { partnerId, propertyId, tier } = filter;
  if (propertyId !== undefined) return components.rowsOfPropertyAfter(propertyId, after, PAGE);
  if (tier !== undefined) return components.tierAfter(partnerId, tier, after, PAGE);
  return components.after(partnerId, after, PAGE);
}
