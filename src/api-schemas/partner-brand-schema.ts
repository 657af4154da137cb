import { inflateSync } from "node:zlib";
import { invalid } from "../domain/errors.ts";
import { brandLogoByRule, LOGO_SIDES, type Logo, MAX_LOGO_BYTES } from "../domain/rules/brand-logo-rule.ts";
import {
  type Brand,
  type BrandChange,
  type HexColor,
  isHexColor,
  MAX_BRAND_NAME,
} from "../domain/rules/partner-brand-rule.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { bodySchema, nullableSchema } from "./definition/input-schema.ts";
import { idSchema, objectSchema, textSchema, wholeNumberSchema } from "./definition/schema-field-types.ts";
import { isApiRequiredTextLine } from "./definition/schema-text-bounds.ts";

const logo = objectSchema({
  width: wholeNumberSchema("Width in pixels", 320),
  height: wholeNumberSchema("Height in pixels", 80),
  png: textSchema("The image as base64", "iVBORw0KGgo="),
});

export const brand = objectSchema({
  partner_id: idSchema("PARTNER", "The partner"),
  display_name: textSchema("Name at the top of embeds", "First National Bank").orNull(),
  color: textSchema("Color of links and buttons on light pages and in print", "#1a5f5a").orNull(),
  color_dark: textSchema("The same on dark pages", "#7cc5bc").orNull(),
  logo: logo.describedAs("Logo at the top of embeds").orNull(),
});
export type BrandJson = JsonOf<typeof brand>;

export const serializeBrand = brand.serializer((partnerId: string, brand: Brand) => ({
  partner_id: partnerId,
  display_name: brand.displayName,
  color: brand.color,
  color_dark: brand.colorDark,
  logo: brand.logo && {
    width: brand.logo.width,
    height: brand.logo.height,
    png: Buffer.from(brand.logo.png).toString("base64"),
  },
}));

const color = defineSchemaConstraint((type) =>
  type("string")
    .narrow((value) => isHexColor(value.toLowerCase()))
    .describe("a color such as #1a5f5a"),
);
const MAX_BASE64 = Math.ceil(MAX_LOGO_BYTES / 3) * 4;

export const brandRequest = bodySchema({
  display_name: nullableSchema(
    defineSchemaConstraint((type) =>
      type("string")
        .narrow((value) => isApiRequiredTextLine(value) && value.trim().length <= MAX_BRAND_NAME)
        .describe(`one line of visible text of 1 to ${MAX_BRAND_NAME} characters`),
    ),
    brand.fields.display_name,
  ),
  color: nullableSchema(
    color,
    "Color of links and buttons on light pages and in print, with a contrast of at least 4.5:1",
    "#1a5f5a",
  ),
  color_dark: nullableSchema(
    color,
    "The same on dark pages; by default the nearest to `color` that has enough contrast there",
    "#7cc5bc",
  ),
  logo_png: nullableSchema(
    defineSchemaConstraint((type) =>
      type("string")
        .narrow((value) => value.length <= MAX_BASE64 && isBase64(value))
        .describe(`base64 of at most ${MAX_LOGO_BYTES / 1024} KB`),
    ),
    `PNG image as base64, at most ${MAX_LOGO_BYTES / 1024} KB, ${LOGO_SIDES.least} to ${LOGO_SIDES.most} pixels wide and high. Metadata and animations are removed`,
    "iVBORw0KGgo=",
  ),
});

/** Accepts what every encoder writes: groups of four, and padding at the end only. */
const isBase64 = (value: string) => value.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(value);

/** Reads a change of a brand. Throws invalid_request. */
export function parseBrandChangeJson(given: unknown): BrandChange {
  const json = brandRequest.parse(given);
  return {
    displayName: json.display_name?.trim() ?? json.display_name,
    color: lower(json.color),
    colorDark: lower(json.color_dark),
    logo: typeof json.logo_png === "string" ? parseLogo(json.logo_png) : json.logo_png,
  };
}

const lower = (color: string | null | undefined) =>
  (color?.toLowerCase() ?? color) as HexColor | null | undefined;

/** Decompresses the pixels of a logo, within the memory that they may take. */
export function inflateLogoOfBrandJson(compressed: Uint8Array, most: number): Uint8Array | undefined {
  try {
    return inflateSync(compressed, { maxOutputLength: most });
  } catch {
    return undefined;
  }
}

function parseLogo(base64: string): Logo {
  const logo = brandLogoByRule(new Uint8Array(Buffer.from(base64, "base64")), inflateLogoOfBrandJson);
  if (typeof logo !== "string") return logo;
  throw invalid(`logo_png ${logo}`, [{ field: "logo_png", message: logo }]);
}
