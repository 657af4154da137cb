import { notFound } from "../../domain/errors.ts";
import type { RevisedPartner } from "../../store/queries/partners.ts";
import type { Stores } from "../../store/stores.ts";

/** Returns the partners of a book: those with the IDs, or all. Throws not_found for an unknown ID. */
export async function bookMembers(
  { partners }: Pick<Stores, "partners">,
  ids: ReadonlySet<string> | undefined,
): Promise<RevisedPartner[]> {
  const all = await partners.listRevised();
  const unknown = [...(ids ?? [])].find((id) => all.every((revisedPartner) => revisedPartner.id !== id));
  if (unknown !== undefined) throw notFound(`Partner not found: ${unknown}`);
  return ids ? all.filter(({ id }) => ids.has(id)) : all;
}
