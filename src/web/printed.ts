/**
 * The foot of every printed page: what it is of, and its number. The words are the operator's and the partner's own,
 * so they stand here and not in the style sheet. Rules of CSS.
 */
export function pageFooters(words: string, isLandscape: boolean): string {
  return (
    `@page{${isLandscape ? "size:landscape;margin:12mm 12mm 15mm;" : "margin:16mm 15mm 18mm;"}` +
    `@bottom-left{content:"${inCss(words)}"}` +
    '@bottom-right{content:"Page " counter(page) " of " counter(pages)}}'
  );
}

/** A text inside a CSS string: whatever could end it, or a style element, as its number. */
const inCss = (text: string) =>
  text.replace(/[^\p{L}\p{N} ]/gu, (character) => `\\${character.codePointAt(0)!.toString(16)} `);

/** As much of a name as a printed page's foot has room for. */
export const shortened = (name: string) => (name.length > 60 ? `${name.slice(0, 59)}…` : name);
