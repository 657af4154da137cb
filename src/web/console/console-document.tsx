import { type RenderedPage, renderPageDocument } from "../page/page-document.tsx";

/** Renders the document that the console's script fills. The addresses are relative to the page. */
export function renderConsole({ style, script }: { style: string; script: string }): RenderedPage {
  return renderPageDocument({
    title: "Mainstay console",
    style,
    script,
    children: (
      <div id="console">
        <noscript>
          <main class="sign-in">
            <section class="card">
              <p class="brand">Mainstay</p>
              <h1>Console</h1>
              <p>
                The console needs JavaScript. You can do the same tasks on the command line: run{" "}
                <code>mainstay --help</code>.
              </p>
            </section>
          </main>
        </noscript>
      </div>
    ),
  });
}
