import { type Rendered, renderDocument } from "../embed/document.tsx";

/** The page that the console is put into by its script. Addresses are as the page sees them. */
export function renderConsole({ style, script }: { style: string; script: string }): Rendered {
  return renderDocument({
    title: "Mainstay console",
    style,
    script,
    children: (
      <div id="console">
        <noscript>
          <main class="sign-in">
            <h1>Mainstay console</h1>
            <p>
              The console needs JavaScript. All that it does, the command line does too:{" "}
              <code>mainstay --help</code>.
            </p>
          </main>
        </noscript>
      </div>
    ),
  });
}
