import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Embed, EmbedPreview } from "../../domain/embed.ts";
import { propertyConditionOf } from "../../domain/figures/property-condition.ts";
import { propertyNotFound } from "../../domain/property.ts";
import type { Stores } from "../../store/stores.ts";
import { loadEmbedBrand } from "./change-embed-brand.ts";

/** Returns what the reader of a new embed sees first. */
export async function loadEmbedPreview(
  read: Pick<Stores, "properties" | "totals" | "brands">,
  { buildingCentsPerSqft }: Pick<Knowledge, "buildingCentsPerSqft">,
  { partnerId, propertyId }: Pick<Embed, "partnerId" | "propertyId">,
): Promise<EmbedPreview> {
  const property = await read.properties.find(partnerId, propertyId);
  // The partner may have been purged meanwhile.
  if (!property) throw propertyNotFound();
  const totals = await read.totals.ofProperty(propertyId);
  return {
    property,
    totals,
    grade: totals.components === 0 ? null : propertyConditionOf(property, totals, buildingCentsPerSqft).grade,
    brand: await loadEmbedBrand(read, partnerId),
  };
}
