import { type RenderedPage, renderPageDocument } from "../page/page-document.tsx";

/** Renders the page for an address that nothing is served at. `base` is the address before `/docs`. */
export function renderDocsNotFoundPage(base: string, inlineCss: string): RenderedPage {
  return renderPageDocument({
    title: "Page not found",
    inlineCss,
    children: (
      <main>
        <h1>Page not found</h1>
        <p>Check the address, or continue with one of these:</p>
        <ul>
          <li>
            <a href={`${base}/embed/app`}>Portfolio app</a>
          </li>
          <li>
            <a href={`${base}/docs/guide`}>Integration guide</a>
          </li>
          <li>
            <a href={`${base}/docs`}>API reference</a>
          </li>
        </ul>
      </main>
    ),
  });
}
