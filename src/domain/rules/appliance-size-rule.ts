import type { ApplianceType } from "../domain-knowledge.ts";

/** A size this many times above or below that of the type's costs is probably in another unit. */
const USUAL_RANGE = 100;

/** Returns a warning about a size that has no effect, or that is probably wrong. */
export function applianceSizeRuleWarnings(
  { id, size: rule }: Pick<ApplianceType, "id" | "size">,
  size: number | null,
): string[] {
  if (size === null) return [];
  if (rule === null) return [`size ${size} has no effect: costs of ${id} do not follow a size`];
  const { reference, unit } = rule;
  return size > reference * USUAL_RANGE || size < reference / USUAL_RANGE
    ? [`size ${size} is unusual for ${id}, whose costs are those of ${reference} ${unit}: check its unit`]
    : [];
}
