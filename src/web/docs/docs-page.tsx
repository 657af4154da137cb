import type { ComponentChildren } from "preact";
import { type RenderedPage, renderPageDocument } from "../page/page-document.tsx";

/** The addresses of the files that the documentation loads, relative to the page. */
export type DocsFiles = { style: string; script: string };

type Section = { name: string; links: readonly { href: string; html: string }[] };

/** Renders a page of the documentation. `root` leads from the page to the address above `docs`. */
export function renderDocsPage(page: {
  title: string;
  current: "guide" | "reference";
  root: string;
  files: DocsFiles;
  contents: readonly Section[];
  children: ComponentChildren;
}): RenderedPage {
  const { title, current, root, files, contents, children } = page;
  const areas = [
    { key: "guide", name: "Guide", href: `${root}docs/guide` },
    { key: "reference", name: "Reference", href: `${root}docs` },
  ];
  return renderPageDocument({
    title: `Mainstay: ${title}`,
    style: files.style,
    script: files.script,
    children: (
      <>
        <a class="skip" href="#main">
          Skip to main content
        </a>
        <header class="top">
          <a class="brand" href={`${root}docs/guide`}>
            Mainstay
          </a>
          <nav aria-label="Documentation">
            {areas.map(({ key, name, href }) => (
              <a key={key} href={href} aria-current={key === current ? "page" : undefined}>
                {name}
              </a>
            ))}
            <a href={`${root}v1/openapi.json`} download="openapi.json">
              OpenAPI document
            </a>
          </nav>
        </header>
        <div class="columns">
          <Contents sections={contents} />
          <main id="main" class={current} tabIndex={-1}>
            {children}
          </main>
        </div>
      </>
    ),
  });
}

/** The table of contents. It is open on a wide screen; on a narrow one, the reader opens it. */
function Contents({ sections }: { sections: readonly Section[] }) {
  return (
    <details class="contents">
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <label class="find" hidden>
          <span class="visually-hidden">Filter this list</span>
          <input type="search" placeholder="Filter" />
        </label>
        {sections.map(({ name, links }) => (
          <section key={name}>
            <h2>{name}</h2>
            <ul>
              {links.map(({ href, html }) => (
                <li key={href}>
                  <a href={href} dangerouslySetInnerHTML={{ __html: html }} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </details>
  );
}
