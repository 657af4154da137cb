import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GROUNDS, type HexColor } from "../../src/domain/rules/partner-brand-rule.ts";

const CSS = readFileSync(join(import.meta.dir, "../../src/web/style/tokens.css"), "utf8");

/** The colors of each scheme: the dark scheme overrides those of the light one. */
function schemes(): Record<string, Record<string, string>> {
  const [light = "", dark = "", print = ""] = CSS.split("@media");
  const read = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name, hex]) => [name!, hex!]),
    );
  return {
    light: read(light),
    dark: { ...read(light), ...read(dark) },
    print: { ...read(light), ...read(print) },
  };
}

type Triple = [number, number, number];

/** The linear light of a color such as `#1a5f5a`. */
function linear(hex: string): Triple {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Triple;
}

/** The contrast ratio of WCAG 2.2. */
function contrast(a: string, b: string): number {
  const luminance = (hex: string) => {
    const [r, g, b] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

/** A color in CIE L*a*b* as seen with full deuteranopia (Machado, Oliveira and Fernandes 2009). */
function seenWithoutGreen(hex: string): Triple {
  const color = linear(hex);
  const rows: Triple[] = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ];
  const [r, g, b] = rows.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, weight, at) => sum + weight * color[at]!, 0),
      ),
    ),
  ) as Triple;
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const difference = (a: string, b: string) => {
  const [one, other] = [seenWithoutGreen(a), seenWithoutGreen(b)];
  return Math.hypot(...one.map((value, at) => value - other[at]!));
};

describe.each(Object.entries(schemes()))("in the %s scheme", (_, colors) => {
  const ratio = (one: string, other: string) => contrast(colors[one]!, colors[other]!);

  test("text has the contrast that WCAG 2.2 AA requires", () => {
    for (const text of ["ink", "muted", "accent", "critical", "warning", "good"])
      for (const ground of ["page", "card"])
        expect(ratio(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    for (const tier of ["critical", "warning", "good"]) {
      expect(ratio(tier, `${tier}-soft`), `${tier} on its soft color`).toBeGreaterThanOrEqual(4.5);
      expect(ratio("ink", `${tier}-soft`), `ink on ${tier}-soft`).toBeGreaterThanOrEqual(4.5);
    }
    expect(ratio("on-accent", "accent")).toBeGreaterThanOrEqual(4.5);
  });

  test("symbols and bars have the contrast that WCAG 2.2 AA requires", () => {
    for (const fill of ["critical-fill", "warning-fill", "good-fill", "accent"])
      for (const ground of ["page", "card"])
        expect(ratio(fill, ground), `${fill} on ${ground}`).toBeGreaterThanOrEqual(3);
  });

  test("the tiers differ for color-blind readers", () => {
    const tiers = ["critical-fill", "warning-fill", "good-fill"];
    for (const one of tiers)
      for (const other of tiers)
        if (one < other)
          expect(difference(colors[one]!, colors[other]!), `${one}, ${other}`).toBeGreaterThan(20);
  });
});

test("the colors of brands are checked on the pages' backgrounds", () => {
  for (const scheme of ["light", "dark"] as const) {
    const { page, card } = schemes()[scheme]!;
    expect(GROUNDS[scheme]).toEqual([page, card] as HexColor[]);
  }
  // Buttons have the card's color on light pages and the page's on dark ones.
  expect(schemes().light!["on-accent"]).toBe(schemes().light!.card!);
  expect(schemes().dark!["on-accent"]).toBe(schemes().dark!.page!);
});
