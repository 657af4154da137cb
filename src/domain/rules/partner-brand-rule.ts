import type { Logo } from "./brand-logo-rule.ts";

/** A color as `#rrggbb` in lower case. */
export type HexColor = `#${string}`;

/** How a partner's embeds look: its name, its color on light and on dark pages, and its logo. */
export type Brand = {
  displayName: string | null;
  color: HexColor | null;
  colorDark: HexColor | null;
  logo: Logo | null;
};

/** A change of a brand: fields that are undefined stay as they are, and null removes one. */
export type BrandChange = { [Field in keyof Brand]?: Brand[Field] | undefined };

export const NO_BRAND: Brand = { displayName: null, color: null, colorDark: null, logo: null };

/** The longest name on embeds, which is one line of a phone or two. */
export const MAX_BRAND_NAME = 80;

type Scheme = "light" | "dark";

/** The pages' backgrounds on which links in the brand's color stand, and the text on buttons in that color. */
export const GROUNDS: Readonly<Record<Scheme, readonly HexColor[]>> = {
  light: ["#faf9f7", "#ffffff"],
  dark: ["#141312", "#1d1c1a"],
};

/** The contrast of text that WCAG 2.2 AA requires (success criterion 1.4.3). */
export const LEAST_CONTRAST = 4.5;

export const isHexColor = (text: string): text is HexColor => /^#[\da-f]{6}$/.test(text);

const channels = (color: HexColor): [number, number, number] => [
  Number.parseInt(color.slice(1, 3), 16),
  Number.parseInt(color.slice(3, 5), 16),
  Number.parseInt(color.slice(5, 7), 16),
];

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2). */
export function contrastRatioByRule(one: HexColor, other: HexColor): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the relative luminance of a color, from 0 to 1 (WCAG 2.2). */
function luminance(color: HexColor): number {
  const [r, g, b] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Returns the least contrast of the color on the backgrounds of a scheme. */
export const brandContrastByRule = (color: HexColor, scheme: Scheme): number =>
  Math.min(...GROUNDS[scheme].map((ground) => contrastRatioByRule(color, ground)));

const STEPS = 255;

/**
 * Returns the nearest color of the same hue that has enough contrast in a scheme: the color itself, or mixed with as
 * little black (light pages) or white (dark pages) as necessary.
 */
export function readableBrandColorByRule(color: HexColor, scheme: Scheme): HexColor {
  const toward = scheme === "light" ? 0 : 255;
  for (let step = 0; ; step++) {
    const mixed = channels(color).map((value) => Math.round(value + ((toward - value) * step) / STEPS));
    const hex = `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}` as const;
    // The last step is black or white.
    if (step === STEPS || brandContrastByRule(hex, scheme) >= LEAST_CONTRAST) return hex;
  }
}

/** Returns the brand after a change. A new color without one for dark pages gets the nearest that is readable there. */
export function brandAfterChange(brand: Brand, change: BrandChange): Brand {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const next: Brand = { ...brand, ...given };
  if (next.color === null) return { ...next, colorDark: null };
  const isDarkGiven = typeof change.colorDark === "string";
  const isDarkKept = change.color === undefined && change.colorDark === undefined;
  return {
    ...next,
    colorDark: isDarkGiven || isDarkKept ? next.colorDark : readableBrandColorByRule(next.color, "dark"),
  };
}
