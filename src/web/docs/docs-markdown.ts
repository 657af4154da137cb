import { Marked } from "marked";

/** A heading of a text, for its table of contents. */
type Heading = { depth: number; anchor: string; html: string };

/**
 * Renders Markdown to HTML, with the headings in order. `linkTo` maps the target of a link to an address relative to the
 * page; a link whose target is not served becomes plain text. HTML in the text is shown as text.
 */
export function renderDocsMarkdown(
  markdown: string,
  linkTo: (target: string) => string | undefined,
): { html: string; headings: Heading[] } {
  const anchors = new Map<string, number>();
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = anchorOf(text, anchors);
        const html = this.parser.parseInline(tokens);
        headings.push({ depth, anchor, html });
        return `<h${depth} id="${anchor}">${html}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = linkTo(href);
        return target === undefined ? words : `<a href="${escaped(target)}">${words}</a>`;
      },
      html: ({ text }) => escaped(text),
      table(token) {
        const cells = (row: typeof token.header, name: "th" | "td") =>
          `<tr>${row.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join("")}</tr>`;
        const body = token.rows.map((row) => cells(row, "td")).join("");
        return `${SCROLLABLE}<table><thead>${cells(token.header, "th")}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      code: ({ text }) => codeBlock(text),
    },
  });
  return { html: marked.parse(markdown, { async: false }), headings };
}

/** Renders a description of the API document: Markdown without links to other pages. */
export const renderDocsDescription = (text: string): string =>
  renderDocsMarkdown(text, (target) => (target.startsWith("/docs/") ? target.slice(1) : undefined)).html;

/** Returns a block of code, to which the page's script adds a button to copy it. */
export const codeBlock = (text: string): string =>
  `<div class="code"><pre tabindex="0"><code>${escaped(text)}</code></pre></div>\n`;

/** Starts a container for a wide table, which can be focused to scroll by keyboard. */
const SCROLLABLE = '<div class="table" tabindex="0">';

/** Returns the anchor of a heading as the links in the text name it; repeated names get a number. */
function anchorOf(text: string, taken: Map<string, number>): string {
  const name = text
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
  const before = taken.get(name) ?? 0;
  taken.set(name, before + 1);
  return before === 0 ? name : `${name}-${before}`;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
