import { Marked } from "marked";
import { type RenderedPage, renderDocument } from "../document.tsx";

/**
 * Renders the partner guide. `linkTo` maps the target of a link in the text to an address relative to the page; a link
 * whose target is not served becomes plain text.
 */
export function renderGuide(
  markdown: string,
  style: string,
  linkTo: (target: string) => string | undefined,
): RenderedPage {
  const anchors = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text, anchors)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = linkTo(href);
        return target === undefined ? words : `<a href="${escaped(target)}">${words}</a>`;
      },
      // The guide contains no HTML, so any that appears is shown as text.
      html: ({ text }) => escaped(text),
      table(token) {
        const cells = (row: typeof token.header, name: "th" | "td") =>
          `<tr>${row.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join("")}</tr>`;
        const body = token.rows.map((row) => cells(row, "td")).join("");
        // A wide table scrolls in its own container, which can be focused to scroll by keyboard.
        return `<div class="table" tabindex="0"><table><thead>${cells(token.header, "th")}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
    },
  });
  const html = marked.parse(markdown, { async: false });
  return renderDocument({
    title: "Mainstay: Partner integration guide",
    style,
    children: <main class="guide" dangerouslySetInnerHTML={{ __html: html }} />,
  });
}

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
