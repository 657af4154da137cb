import { describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { inflateLogoOfBrandJson } from "../../../src/api-schemas/partner-brand-schema.ts";
import { MAX_LOGO_BYTES, brandLogoByRule as readLogoBy } from "../../../src/domain/rules/brand-logo-rule.ts";
import {
  brandAfterChange,
  brandContrastByRule,
  contrastRatioByRule,
  type HexColor,
  isHexColor,
  LEAST_CONTRAST,
  NO_BRAND,
  readableBrandColorByRule,
} from "../../../src/domain/rules/partner-brand-rule.ts";
import { brandContrastWording } from "../../../src/domain/wording/brand-contrast-wording.ts";
import { pngImage } from "../../support/png.ts";

const logoFromImage = (file: Uint8Array) => readLogoBy(file, inflateLogoOfBrandJson);
/** Returns an image with other data in a chunk, and its checksum. */
const withChunk = (type: string, change: (data: Buffer) => Buffer) => pngImage({ change: [type, change] });
/** Returns an image of 16 by 16 pixels with chunks before and after its pixels, which are numbers in a palette. */
const withPalette = (before: readonly (readonly [string, Buffer])[], after = before.slice(0, 0)) =>
  pngImage({
    change: ["IHDR", (data) => Buffer.concat([Buffer.of(0, 0, 0, 16, 0, 0, 0, 16, 8, 3), data.subarray(10)])],
    pixels: deflateSync(Buffer.alloc(16 * 17)),
    before: before.map(([type, data]) => [type, data]),
    more: after.map(([type, data]) => [type, data]),
  });
const palette = (bytes: number) => ["PLTE", Buffer.alloc(bytes)] as const;

const colors = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value): HexColor => `#${value.toString(16).padStart(6, "0")}`);

describe("the contrast of colors", () => {
  // The values of WebAIM's contrast checker.
  test.each([
    ["#000000", "#ffffff", 21],
    ["#ffffff", "#ffffff", 1],
    ["#777777", "#ffffff", 4.48],
    ["#767676", "#ffffff", 4.54],
    ["#1a5f5a", "#ffffff", 7.42],
    ["#ff0000", "#ffffff", 4],
  ] as const)("of %s and %s is %p", (one, other, ratio) => {
    expect(contrastRatioByRule(one, other)).toBeCloseTo(ratio, 1);
    expect(contrastRatioByRule(other, one)).toBe(contrastRatioByRule(one, other));
  });

  test("is enough for the nearest readable color, which a readable one is itself", () => {
    fc.assert(
      fc.property(colors, fc.constantFrom("light" as const, "dark" as const), (color, scheme) => {
        const near = readableBrandColorByRule(color, scheme);
        expect(isHexColor(near)).toBeTrue();
        expect(brandContrastByRule(near, scheme)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        expect(readableBrandColorByRule(near, scheme)).toBe(near);
        if (brandContrastByRule(color, scheme) >= LEAST_CONTRAST) expect(near).toBe(color);
      }),
      { numRuns: 300 },
    );
  });

  test("is shown rounded down", () => {
    expect([4.49, 4.5, 21].map(brandContrastWording)).toEqual(["4.4:1", "4.5:1", "21.0:1"]);
  });

  test("is changed no more than necessary", () => {
    expect(readableBrandColorByRule("#ffcc00", "light")).toBe("#8c7000");
    // A step lighter is not enough.
    expect(brandContrastByRule("#8d7100", "light")).toBeLessThan(LEAST_CONTRAST);
  });
});

describe("a change of a brand", () => {
  const brand = { ...NO_BRAND, displayName: "Bank", color: "#1a5f5a", colorDark: "#7cc5bc" } as const;

  test("keeps what it does not name, and removes what is null", () => {
    expect(brandAfterChange(brand, {})).toEqual(brand);
    expect(brandAfterChange(brand, { displayName: undefined, color: undefined })).toEqual(brand);
    expect(brandAfterChange(brand, { displayName: null })).toEqual({ ...brand, displayName: null });
  });

  test("chooses a color for dark pages unless one is given", () => {
    expect(brandAfterChange(NO_BRAND, { color: "#7a1f5c" }).colorDark).toBe(
      readableBrandColorByRule("#7a1f5c", "dark"),
    );
    expect(brandAfterChange(brand, { color: "#7a1f5c" }).colorDark).toBe(
      readableBrandColorByRule("#7a1f5c", "dark"),
    );
    expect(brandAfterChange(brand, { colorDark: null }).colorDark).toBe(
      readableBrandColorByRule("#1a5f5a", "dark"),
    );
    expect(brandAfterChange(brand, { color: "#7a1f5c", colorDark: "#ffffff" }).colorDark).toBe("#ffffff");
    expect(brandAfterChange(brand, { color: null })).toMatchObject({ color: null, colorDark: null });
  });
});

describe("a logo", () => {
  test("is read with its size, without what does not draw it", () => {
    const plain = pngImage();
    const spoken = pngImage({
      more: [
        ["tEXt", Buffer.from("Author\0a name")],
        ["eXIf", Buffer.from("a place")],
        ["acTL", Buffer.alloc(8)],
      ],
    });
    expect(logoFromImage(plain)).toEqual({ png: new Uint8Array(plain), width: 120, height: 40 });
    expect(logoFromImage(spoken)).toEqual({ png: new Uint8Array(plain), width: 120, height: 40 });
    // Whatever follows the end of the image is not kept.
    const trailed = Buffer.concat([plain, Buffer.from("<script>alert(1)</script>")]);
    expect(logoFromImage(trailed)).toEqual(logoFromImage(plain));
  });

  test.each([
    ["an SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "SVG is not accepted"],
    ["a JPEG", Buffer.of(0xff, 0xd8, 0xff, 0xe0), "must be a PNG image"],
    ["nothing", Buffer.alloc(0), "must be a PNG image"],
    ["a signature alone", pngImage().subarray(0, 8), "must be a complete PNG image"],
    ["an image without its end", pngImage().subarray(0, -4), "must be a complete PNG image"],
    ["bytes that are no pixels", withChunk("IDAT", () => Buffer.from("no pixels")), "complete PNG image"],
    ["an image without pixels", withChunk("IDAT", () => Buffer.alloc(0)), "complete PNG image"],
    ["half of its pixels", withChunk("IDAT", (data) => data.subarray(0, -20)), "complete PNG image"],
    ["the pixels of a smaller one", withChunk("IDAT", () => deflateSync(Buffer.alloc(361))), "complete"],
    ["more pixels than it has", withChunk("IDAT", () => deflateSync(Buffer.alloc(5e7))), "complete"],
    ["a palette without colors", withChunk("IHDR", (data) => data.fill(3, 9, 10)), "complete PNG image"],
    ["a depth that does not exist", withChunk("IHDR", (data) => data.fill(3, 8, 9)), "complete PNG image"],
    ["two headers", pngImage({ before: [["IHDR", Buffer.alloc(13)]] }), "complete PNG image"],
    ["a header after its pixels", pngImage({ more: [["IHDR", Buffer.alloc(13)]] }), "complete PNG image"],
    ["a palette after its pixels", withPalette([], [palette(3)]), "complete PNG image"],
    ["a second palette", withPalette([palette(3), palette(3)]), "complete PNG image"],
    ["a second palette after its pixels", withPalette([palette(3)], [palette(3)]), "complete PNG image"],
    ["an empty palette", withPalette([palette(0)]), "complete PNG image"],
    ["a palette with part of a color", withPalette([palette(4)]), "complete PNG image"],
    ["a palette of 257 colors", withPalette([palette(257 * 3)]), "complete PNG image"],
    ["a wrong checksum", pngImage().fill(1, 29, 33), "complete PNG image"],
    ["a large file", Buffer.alloc(MAX_LOGO_BYTES + 1), "must have at most 64 KB"],
    ["a wide image", pngImage({ width: 1025 }), "it has 1025 × 40"],
    ["a flat image", pngImage({ height: 15 }), "it has 120 × 15"],
  ])("is refused if it is %s", (_, file, problem) => {
    expect(logoFromImage(file)).toContain(problem);
  });

  test("is read in every kind of color and order of pixels", () => {
    const rows = (count: number, bytes: number) =>
      Buffer.concat(Array.from({ length: count }, () => Buffer.alloc(1 + bytes)));
    // Passes of an interlaced image of 16 by 16 pixels: their rows and columns.
    const passes = [
      [2, 2],
      [2, 2],
      [2, 4],
      [4, 4],
      [4, 8],
      [8, 8],
      [8, 16],
    ] as const;
    for (const [depth, type, bits] of [
      [1, 0, 1],
      [16, 2, 48],
      [4, 3, 4],
      [8, 4, 16],
      [8, 6, 32],
    ] as const) {
      const header = Buffer.of(0, 0, 0, 16, 0, 0, 0, 16, depth, type, 0, 0, 0);
      const plain = rows(16, (16 * bits) / 8);
      const interlaced = Buffer.concat(
        passes.map(([down, across]) => rows(down, Math.ceil((across * bits) / 8))),
      );
      for (const [order, pixels] of [plain, interlaced].entries()) {
        header[12] = order;
        const image = pngImage({
          change: ["IHDR", () => header],
          pixels: deflateSync(pixels),
          before: type === 3 ? [["PLTE", Buffer.alloc(48)]] : [],
        });
        expect(logoFromImage(image), `${depth} bits of type ${type}`).toMatchObject({
          width: 16,
          height: 16,
        });
      }
    }
  });

  test.each([1, 256])("is read with a palette of %i colors", (colors) => {
    expect(logoFromImage(withPalette([palette(colors * 3)]))).toMatchObject({ width: 16, height: 16 });
  });

  test("is read or refused, whatever the file is", () => {
    const image = pngImage();
    const edits = fc.array(fc.tuple(fc.nat(image.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(edits, fc.nat(image.length), (edits, length) => {
        const file = Buffer.from(image);
        for (const [at, byte] of edits) file[at] = byte;
        const logo = logoFromImage(file.subarray(0, length));
        if (typeof logo === "string") expect(logo).toStartWith("must ");
        else {
          expect(logo.png.length).toBeLessThanOrEqual(length);
          expect(logoFromImage(logo.png)).toEqual(logo);
        }
      }),
      { numRuns: 300 },
    );
  });
});
