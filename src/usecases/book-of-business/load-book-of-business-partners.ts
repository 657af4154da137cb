import { notFound } from "../../domain/errors.ts";
import type { BookMember } from "../../store/queries/book-of-business-queries.ts";
import type { Stores } from "../../store/stores.ts";

/** Returns the partners of a book: those with the IDs, or all. Throws not_found for an unknown ID. */
export async function loadBookOfBusinessPartners(
  { book }: Pick<Stores, "book">,
  ids: ReadonlySet<string> | undefined,
): Promise<BookMember[]> {
  const all = await book.members();
  if (!ids) return all;
  const members = all.filter(({ id }) => ids.has(id));
  if (members.length === ids.size) return members;
  const known = new Set(all.map(({ id }) => id));
  throw notFound(`Partner not found: ${[...ids].find((id) => !known.has(id))}`);
}
