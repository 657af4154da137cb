/**
 * Returns the first `most` UTF-16 units of a text, without half of a character at the end: some programs cannot read JSON with
 * one, and a database stores another character in its place.
 */
export const cutText = (text: string, most: number): string =>
  text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
