import type { RenderedPage } from "../page/page-document.tsx";
import { renderDocsMarkdown } from "./docs-markdown.ts";
import { type DocsFiles, renderDocsPage } from "./docs-page.tsx";

/** Renders the partner guide. `linkTo`: as in `renderDocsMarkdown`. */
export function renderDocsGuide(
  markdown: string,
  files: DocsFiles,
  linkTo: (target: string) => string | undefined,
): RenderedPage {
  const { html, headings } = renderDocsMarkdown(markdown, linkTo);
  const title = headings.find(({ depth }) => depth === 1);
  const chapters = headings.filter(({ depth }) => depth === 2);
  const contents = chapters.map((chapter, i) => {
    const from = headings.indexOf(chapter);
    const until = i + 1 < chapters.length ? headings.indexOf(chapters[i + 1]!) : headings.length;
    return headings.slice(from, until).map(({ anchor, html }) => ({ href: `#${anchor}`, html }));
  });
  return renderDocsPage({
    title: "Partner integration guide",
    current: "guide",
    root: "../",
    files,
    contents: [
      { name: title ? "Contents" : "Guide", links: contents.map(([chapter]) => chapter!) },
      ...contents
        .filter((links) => links.length > 4)
        .map(([chapter, ...links]) => ({ name: plainText(chapter!.html), links })),
    ],
    children: <article dangerouslySetInnerHTML={{ __html: html }} />,
  });
}

const plainText = (html: string) => html.replace(/<[^<>]*>/g, "");
