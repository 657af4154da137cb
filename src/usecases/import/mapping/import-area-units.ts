/* Areas of files that state their unit, in the unit of the installation. */

export type AreaUnit = "sqft" | "m2";

const SQFT_PER_M2 = 10.763_910_4;

/** Returns the unit that a text names; undefined for any other. */
export function parseImportAreaUnit(text: string): AreaUnit | undefined {
  const words = text.toLowerCase().replaceAll(/[^a-z0-9²]/g, "");
  if (/^(squaremet(er|re)s?|sqm|m2|m²)$/.test(words)) return "m2";
  return /^(square(feet|foot|footage)|sqft|g?sf|ft2|ft²|pi2|pi²)$/.test(words) ? "sqft" : undefined;
}

/** Returns an area in another unit, whole; the text as it is if it is no number. */
export function convertImportedArea(text: string, from: AreaUnit, to: AreaUnit): string {
  const value = Number(text.replaceAll(",", ""));
  if (from === to || !Number.isFinite(value)) return text;
  return String(Math.round(from === "m2" ? value * SQFT_PER_M2 : value / SQFT_PER_M2));
}
