import { eq } from "drizzle-orm";
import type { Brand, HexColor } from "../../domain/rules/partner-brand-rule.ts";
import type { Engine } from "../store-engine.ts";

/** The looks of partners' embeds; a partner without one has no row. */
export function embedBrandStore(engine: Engine) {
  const { db } = engine;
  const { partnerBrands } = engine.tables;
  return {
    async find(partnerId: string): Promise<Brand | undefined> {
      const [row] = await db.select().from(partnerBrands).where(eq(partnerBrands.partnerId, partnerId));
      if (!row) return undefined;
      const { displayName, color, colorDark, logo, logoWidth, logoHeight } = row;
      return {
        displayName,
        color: color as HexColor | null,
        colorDark: colorDark as HexColor | null,
        logo: logo && { png: new Uint8Array(logo), width: logoWidth!, height: logoHeight! },
      };
    },
    async save(partnerId: string, { displayName, color, colorDark, logo }: Brand): Promise<void> {
      const row = {
        displayName,
        color,
        colorDark,
        logo: logo && Buffer.from(logo.png),
        logoWidth: logo?.width ?? null,
        logoHeight: logo?.height ?? null,
      };
      await db
        .insert(partnerBrands)
        .values({ partnerId, ...row })
        .onConflictDoUpdate({ target: partnerBrands.partnerId, set: row });
    },
  };
}
