import { type RenderedPage, renderDocument } from "../document.tsx";

/** Renders the document into which the app's script renders itself. */
export function renderAppPage(addresses: { style: string; script: string }): RenderedPage {
  return renderDocument({
    title: "Mainstay",
    ...addresses,
    children: (
      <div id="app">
        <main class="sign-in no-script">
          <section class="card">
            <h1>Mainstay</h1>
            <p>
              This app needs JavaScript. Turn it on and reload. Shared property reports work without
              JavaScript.
            </p>
          </section>
        </main>
      </div>
    ),
  });
}
