import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { currentDisplayWording } from "../../domain/wording/currency-and-unit-wording.ts";
import { pagePrintFooterCss } from "./page-print-footer.ts";

/** A page, and the hash of its inline style, which its Content-Security-Policy must allow. */
export type RenderedPage = { html: string; styleHash?: string };

type DocumentProps = {
  title: string;
  /** The addresses of the style sheet and the script, relative to the page. */
  style?: string;
  script?: string;
  /** CSS styles for an inline style element. */
  inlineCss?: string;
  /** CSS rules after those of the style sheet, in the same style element. */
  moreCss?: string;
  /** The footer of printed pages. */
  printFooter?: string;
  /** Prints in landscape orientation. */
  isLandscape?: boolean;
  children: ComponentChildren;
};

/** The mark of the product, in the address so that no page needs another request. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1a5f5a"/><path d="M3 12V5l5 4 5-4v7" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>',
)}`;

/** Renders a complete HTML document. */
export function renderPageDocument(props: DocumentProps): RenderedPage {
  const { title, style, script, printFooter, isLandscape = false, children } = props;
  const footer = printFooter === undefined ? props.inlineCss : pagePrintFooterCss(printFooter, isLandscape);
  const { currency, units } = currentDisplayWording();
  const styles = props.moreCss ? (footer ?? "") + props.moreCss : footer;
  const html = renderToString(
    <html lang="en" data-currency={currency} data-units={units}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" href={ICON} />
        {style !== undefined && <link rel="stylesheet" href={style} />}
        {styles !== undefined && <style dangerouslySetInnerHTML={{ __html: styles }} />}
        {script !== undefined && <script src={script} defer />}
      </head>
      <body>{children}</body>
    </html>,
  );
  return {
    html: `<!doctype html>${html}`,
    ...(styles !== undefined && { styleHash: sha256(styles) }),
  };
}

function sha256(text: string): string {
  return `sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}`;
}
