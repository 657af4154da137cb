import type { Brand, HexColor } from "../../domain/rules/partner-brand-rule.ts";
import { truncatedPageName } from "../page/page-print-footer.ts";

/** The brand of a page; `logo` has its address relative to the page. */
export type PageBrand = {
  displayName: string | null;
  colors: { light: HexColor; dark: HexColor } | null;
  logo: { src: string; width: number; height: number } | null;
};

/** Returns what a page needs of a brand. `address` leads from the page to the logo. */
export function embedPageBrand({ displayName, color, colorDark, logo }: Brand, address: string): PageBrand {
  return {
    displayName,
    colors: color && colorDark && { light: color, dark: colorDark },
    logo: logo && {
      // The version makes browsers load a new logo, although they may keep the old one for a day.
      src: `${address}?v=${Bun.hash.crc32(logo.png).toString(16)}`,
      width: logo.width,
      height: logo.height,
    },
  };
}

/** Returns rules that replace the accent color of the style sheet; print has that of light pages. */
export const brandCss = ({ colors }: PageBrand): string =>
  colors === null
    ? ""
    : `:root{--accent:${colors.light}}` +
      `@media (prefers-color-scheme:dark){:root{--accent:${colors.dark}}}` +
      `@media print{:root{--accent:${colors.light}}}`;

/** The partner's logo, or else its name. */
export function EmbedBrandBar({ brand: { displayName, logo } }: { brand: PageBrand }) {
  if (displayName === null) return null;
  return (
    <p class="brand">
      {logo === null ? (
        <bdi>{displayName}</bdi>
      ) : (
        <img src={logo.src} width={logo.width} height={logo.height} alt={displayName} />
      )}
    </p>
  );
}

/** Returns the beginning of a printed page's footer. */
export const printedPageBrandName = ({ displayName }: PageBrand): string =>
  displayName === null ? "" : `${truncatedPageName(displayName)} · `;
