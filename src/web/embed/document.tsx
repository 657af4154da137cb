import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";

/** A page as it is sent, and what its Content-Security-Policy must allow beside this server's own files. */
export type Rendered = { html: string; styleHash?: string };

export type DocumentParts = {
  title: string;
  /** Addresses of the style sheet and the script, as the page sees them. */
  style?: string;
  script?: string;
  /** Rules that stand in the page itself. */
  rules?: string;
  /** What runs along the foot of printed pages. */
  printed?: string;
  /** Whether it is printed on its side. */
  isLandscape?: boolean;
  children: ComponentChildren;
};

/** A whole HTML document made on the server. */
export function renderDocument(parts: DocumentParts): Rendered {
  const { title, style, script, printed, isLandscape = false, children } = parts;
  const rules = printed === undefined ? parts.rules : pageFooters(printed, isLandscape);
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        {style !== undefined && <link rel="stylesheet" href={style} />}
        {rules !== undefined && <style dangerouslySetInnerHTML={{ __html: rules }} />}
        {script !== undefined && <script src={script} defer />}
      </head>
      <body>{children}</body>
    </html>,
  );
  return {
    html: `<!doctype html>${html}`,
    ...(rules !== undefined && { styleHash: sha256(rules) }),
  };
}

/**
 * The foot of every printed page: what it is of, and its number. The words are the operator's and the partner's own,
 * so they stand here and not in the style sheet; the policy allows this text by its hash.
 */
function pageFooters(words: string, isLandscape: boolean): string {
  return (
    `@page{${isLandscape ? "size:landscape;margin:12mm 12mm 15mm;" : "margin:16mm 15mm 18mm;"}` +
    `@bottom-left{content:"${inCss(words)}"}` +
    '@bottom-right{content:"Page " counter(page) " of " counter(pages)}}'
  );
}

/** A text inside a CSS string: whatever could end it, or a style element, as its number. */
const inCss = (text: string) =>
  text.replace(/[^\p{L}\p{N} ]/gu, (character) => `\\${character.codePointAt(0)!.toString(16)} `);

function sha256(text: string): string {
  return `sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}`;
}

/** As much of a name as a printed page's foot has room for. */
export const shortened = (name: string) => (name.length > 60 ? `${name.slice(0, 59)}…` : name);
