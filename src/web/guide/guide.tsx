import { Marked } from "marked";
import { type RenderedPage, renderDocument } from "../document.tsx";

/**
 * The partner guide as a page. `linkTo` says where a link of the text leads from the page; undefined where it leads to
 * nothing that is served, and its words stand without one.
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
      // None is written into the guide, and none is taken for one.
      html: ({ text }) => escaped(text),
      table(token) {
        const cells = (row: typeof token.header, name: "th" | "td") =>
          `<tr>${row.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join("")}</tr>`;
        const body = token.rows.map((row) => cells(row, "td")).join("");
        // Wide ones scroll by themselves, by keyboard too.
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

/** As the text's own links name a heading; the second of a name gets a number. */
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
