import type { Embed, EmbedPreview } from "../../domain/embed.ts";
import type { Stores } from "../../store/stores.ts";
import { brandOf } from "../partners/brands.ts";

/** Returns what the reader of a new embed sees first. */
export async function embedPreview(
  read: Pick<Stores, "properties" | "totals" | "brands">,
  { partnerId, propertyId }: Pick<Embed, "partnerId" | "propertyId">,
): Promise<EmbedPreview> {
  const property = await read.properties.find(partnerId, propertyId);
  return {
    property: property!,
    totals: await read.totals.ofProperty(propertyId),
    brand: await brandOf(read, partnerId),
  };
}
