/**
 * CSS rules that print a footer with a title and the page number on every page. They are generated because the title has
 * the names of a property or partner in it.
 */
export function pagePrintFooterCss(title: string, isLandscape: boolean): string {
  return (
    `@page{${isLandscape ? "size:landscape;margin:12mm 12mm 15mm;" : "margin:16mm 15mm 18mm;"}` +
    `@bottom-left{content:"${escapeCssString(title)}"}` +
    '@bottom-right{content:"Page " counter(page) " of " counter(pages)}}'
  );
}

/** Escapes a text for a CSS string, including all that could end the string or its style element. */
const escapeCssString = (text: string) =>
  text.replace(/[^\p{L}\p{N} ]/gu, (character) => `\\${character.codePointAt(0)!.toString(16)} `);

/** The name, cut to the room of a printed page's footer. */
export const truncatedPageName = (name: string) => (name.length > 60 ? `${name.slice(0, 59)}…` : name);
