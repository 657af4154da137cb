import { type Rendered, renderDocument } from "../embed/document.tsx";

/** The document that the app's script draws itself into. */
export function renderAppPage(addresses: { style: string; script: string }): Rendered {
  return renderDocument({
    title: "Mainstay",
    ...addresses,
    children: (
      <div id="app">
        <main class="sign-in unscripted">
          <section class="card">
            <h1>Mainstay</h1>
            <p>
              The portfolio is put together in the browser, by a script that this browser does not run or
              could not load. Try again in a moment. The page of a property, which its owner can give out,
              works without.
            </p>
          </section>
        </main>
      </div>
    ),
  });
}
