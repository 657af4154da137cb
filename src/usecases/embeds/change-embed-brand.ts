import { invalid, notFound } from "../../domain/errors.ts";
import {
  type Brand,
  type BrandChange,
  brandAfterChange,
  brandContrastByRule,
  type HexColor,
  LEAST_CONTRAST,
  NO_BRAND,
  readableBrandColorByRule,
} from "../../domain/rules/partner-brand-rule.ts";
import { brandContrastWording } from "../../domain/wording/brand-contrast-wording.ts";
import type { Stores } from "../../store/stores.ts";
import { type AdminUseCaseDeps, refuseDeletedPartner } from "../partners/create-partner-and-credentials.ts";

/** Returns how a partner's embeds look. */
export const loadEmbedBrand = async (read: Pick<Stores, "brands">, partnerId: string): Promise<Brand> =>
  (await read.brands.find(partnerId)) ?? NO_BRAND;

/**
 * Changes how a partner's embeds look, and returns the result. Throws invalid_request for a color that cannot be read,
 * with the nearest that can.
 */
export async function changeEmbedBrand(
  { store, actor, changed }: AdminUseCaseDeps,
  partnerId: string,
  change: BrandChange,
): Promise<Brand> {
  const brand = await store.write(
    async (tx) => {
      if (!(await tx.partners.find(partnerId))) throw notFound(`Partner not found: ${partnerId}`);
      await refuseDeletedPartner(tx, partnerId);
      const before = await loadEmbedBrand(tx, partnerId);
      refuseUnreadable(before, change);
      const next = brandAfterChange(before, change);
      if (next.logo !== null && next.displayName === null)
        throw invalidField("display_name", "is required with a logo, which screen readers read by this name");
      await tx.brands.save(partnerId, next);
      // Pages are cached by the revision.
      tx.bumpRevision(partnerId);
      const { displayName, color, colorDark, logo } = next;
      await tx.audit.record({
        at: tx.now,
        actor,
        action: "partner.set_brand",
        subject: partnerId,
        detail: {
          display_name: displayName,
          color,
          color_dark: colorDark,
          logo: logo && { width: logo.width, height: logo.height, bytes: logo.png.length },
        },
      });
      return next;
    },
    { partnerId },
  );
  changed(partnerId);
  return brand;
}

function refuseUnreadable(before: Brand, { color, colorDark }: BrandChange): void {
  if (colorDark && (color === undefined ? before.color : color) === null)
    throw invalidField("color_dark", "needs a color for light pages as well; set color");
  if (color) refuseLowContrast("color", color, "light");
  if (colorDark) refuseLowContrast("color_dark", colorDark, "dark");
}

function refuseLowContrast(field: "color" | "color_dark", color: HexColor, scheme: "light" | "dark"): void {
  const contrast = brandContrastByRule(color, scheme);
  if (contrast >= LEAST_CONTRAST) return;
  throw invalidField(
    field,
    `${color} has a contrast of ${brandContrastWording(contrast)} on ${scheme} pages; text needs ${LEAST_CONTRAST}:1. ` +
      `The nearest that has it is ${readableBrandColorByRule(color, scheme)}.`,
  );
}

const invalidField = (field: string, message: string) =>
  invalid(`${field}: ${message}`, [{ field, message }]);
