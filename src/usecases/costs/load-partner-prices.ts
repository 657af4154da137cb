import { LRUCache } from "lru-cache";
import { PriceList } from "../../domain/costs/price-list.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Stores } from "../../store/stores.ts";

/** The memory of the price lists of partners with a cost book, and about that of a cost line and of a price in one. */
const KEPT_BYTES = 64 * 1024 * 1024;
const LINE_BYTES = 500;
const PRICE_BYTES = 2_500;

type Kept = {
  shared: PriceList;
  byPartner: LRUCache<string, { costBook: string; lines: number; prices: PriceList }>;
};
const keptFor = new WeakMap<Knowledge, Kept>();

/**
 * Returns a partner's prices: those of the knowledge base, and of its cost book. They are kept until the book changes, so that
 * what depends on type, size and state alone is computed once.
 */
export async function loadPartnerPrices(
  { costLines }: Pick<Stores, "costLines">,
  knowledge: Knowledge,
  { id, costBook }: Pick<Partner, "id" | "costBook">,
): Promise<PriceList> {
  const { shared, byPartner } = keptOf(knowledge);
  if (!costBook) return shared;
  const known = byPartner.get(id);
  if (known?.costBook === costBook) {
    // A list grows as it is used; only another object is measured again.
    byPartner.set(id, { ...known });
    return known.prices;
  }
  // The book may have changed since the caller read its partner: prices kept under another digest would be used for good.
  const book = await costLines.withDigest(id);
  if (book.costBook === null) return shared;
  const prices = new PriceList(knowledge, knowledge.priceTerms, book.lines);
  byPartner.set(id, { costBook: book.costBook, lines: book.lines.length, prices });
  return prices;
}

/** Returns the prices by the cost book as it is in the stores, such as inside of a transaction. */
export async function loadCurrentPartnerPrices(
  stores: Pick<Stores, "costLines" | "partners">,
  knowledge: Knowledge,
  partnerId: string,
): Promise<PriceList> {
  const partner = await stores.partners.find(partnerId);
  return await loadPartnerPrices(stores, knowledge, partner ?? { id: partnerId });
}

/** Drops the price lists of partners that are not among `partners`. */
export function unloadPartnerPricesExcept(
  knowledge: Knowledge,
  partners: ReadonlyMap<string, unknown>,
): void {
  const byPartner = keptFor.get(knowledge)?.byPartner;
  for (const id of byPartner?.keys() ?? []) if (!partners.has(id)) byPartner!.delete(id);
}

function keptOf(knowledge: Knowledge): Kept {
  let kept = keptFor.get(knowledge);
  if (!kept) {
    const byPartner: Kept["byPartner"] = new LRUCache({
      maxSize: KEPT_BYTES,
      sizeCalculation: ({ lines, prices }) => 1_000 + lines * LINE_BYTES + prices.kept * PRICE_BYTES,
    });
    kept = { shared: new PriceList(knowledge, knowledge.priceTerms), byPartner };
    keptFor.set(knowledge, kept);
  }
  return kept;
}
