import { type RenderedPage, renderPageDocument } from "../page/page-document.tsx";
import { READER_ATTRIBUTE } from "./app-workbook-file.ts";

/** Renders the document into which the app's script renders itself. */
export function renderAppPage(addresses: {
  style: string;
  script: string;
  /** The script that reads workbooks. */
  workbookReader: string;
}): RenderedPage {
  const { workbookReader, ...document } = addresses;
  return renderPageDocument({
    title: "Mainstay",
    ...document,
    children: (
      <div id="app" {...{ [READER_ATTRIBUTE]: workbookReader }}>
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
