import { PriceList } from "../../domain/costs/price-list.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Stores } from "../../store/stores.ts";

/** Price lists of partners with a cost book that are kept. */
const MOST_KEPT = 200;

type Kept = { shared: PriceList; byPartner: Map<string, { costBook: string; prices: PriceList }> };
const keptFor = new WeakMap<Knowledge, Kept>();

/**
 * Returns a partner's prices: those of the knowledge base, and of its cost book. They are kept until the book changes, so that
 * what depends on type, size and state alone is computed once.
 */
export async function pricesOf(
  { costLines }: Pick<Stores, "costLines">,
  knowledge: Knowledge,
  { id, costBook }: Pick<Partner, "id" | "costBook">,
): Promise<PriceList> {
  const { shared, byPartner } = keptOf(knowledge);
  if (!costBook) return shared;
  const known = byPartner.get(id);
  if (known?.costBook === costBook) return known.prices;
  const prices = new PriceList(knowledge, knowledge.priceTerms, await costLines.ofPartner(id));
  byPartner.delete(id);
  byPartner.set(id, { costBook, prices });
  if (byPartner.size > MOST_KEPT) byPartner.delete(byPartner.keys().next().value!);
  return prices;
}

/** Returns the prices by the cost book as it is in the stores, such as inside of a transaction. */
export async function presentPrices(
  stores: Pick<Stores, "costLines" | "partners">,
  knowledge: Knowledge,
  partnerId: string,
): Promise<PriceList> {
  const partner = await stores.partners.find(partnerId);
  return await pricesOf(stores, knowledge, partner ?? { id: partnerId });
}

function keptOf(knowledge: Knowledge): Kept {
  let kept = keptFor.get(knowledge);
  if (!kept) {
    kept = { shared: new PriceList(knowledge, knowledge.priceTerms), byPartner: new Map() };
    keptFor.set(knowledge, kept);
  }
  return kept;
}
