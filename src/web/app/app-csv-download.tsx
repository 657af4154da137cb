import { useState } from "preact/hooks";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { ApiFailure } from "../browser/browser-api-failure.ts";
import { CSV_TYPE, downloadCsv } from "../browser/browser-csv-file.ts";
import { downloadFile } from "../browser/browser-download.ts";
import { formatPageWholeNumber } from "../page/page-format.ts";
import { showToast } from "../widgets/toasts.tsx";
import { appLabelWithDetails, useAppCallCost } from "./app-call-cost.ts";
import { useApp } from "./app-context.ts";
import { UNPACED_CALLS } from "./app-paged-list.ts";
import { PAGE_INTERVAL_MS, PAGE_SIZE } from "./app-portfolio-loader.ts";

type Cell = string | number | boolean | null;

/** Downloads the loaded rows as CSV, under the field names of the API, without a call. */
export function AppDownloadCsv<Row extends object>(props: {
  file: string;
  rows: readonly Row[];
  total: number;
}) {
  const { file, rows, total } = props;
  return (
    <button
      type="button"
      class="outline"
      disabled={rows.length === 0}
      onClick={() => downloadCsvInBrowser(file, rows)}
    >
      {rows.length < total
        ? `Download CSV (${formatPageWholeNumber(rows.length)} of ${formatPageWholeNumber(total)})`
        : "Download CSV"}
    </button>
  );
}

/** Downloads a whole list in the API's own CSV. */
export function AppDownloadAllCsv(props: {
  file: string;
  /** The path of the list, with its filters. */
  path: string;
  total: number;
}) {
  const { file, path, total } = props;
  const { api } = useApp();
  const [loaded, setLoaded] = useState<number>();
  const download = async () => {
    setLoaded(0);
    try {
      const text = await readAllCsv(api, path, total, setLoaded);
      downloadFile(file, new Blob([text], { type: CSV_TYPE }));
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      showToast(`The file could not be created. ${thrown.message}`, { isFailure: true });
    } finally {
      setLoaded(undefined);
    }
  };
  const costOf = useAppCallCost();
  const isBusy = loaded !== undefined;
  return (
    <button
      type="button"
      class="outline"
      disabled={total === 0 || isBusy}
      aria-busy={isBusy}
      onClick={() => void download()}
    >
      {isBusy
        ? `Loading: ${formatPageWholeNumber(loaded)} of ${formatPageWholeNumber(total)}`
        : appLabelWithDetails(
            "Download CSV",
            `all ${formatPageWholeNumber(total)}`,
            costOf(Math.ceil(total / PAGE_SIZE)),
          )}
    </button>
  );
}

/** Reads a list as CSV, page by page, with the header row once. Rejects with an ApiFailure. */
async function readAllCsv(
  api: ApiClient,
  path: string,
  total: number,
  onProgress: (loaded: number) => void,
): Promise<string> {
  let text = "";
  for (let offset = 0; offset < total; offset += PAGE_SIZE) {
    if (offset >= UNPACED_CALLS * PAGE_SIZE)
      await new Promise((resolve) => setTimeout(resolve, PAGE_INTERVAL_MS));
    const page = await api.readText(
      `${path}${path.includes("?") ? "&" : "?"}format=csv&limit=${PAGE_SIZE}&offset=${offset}`,
    );
    // No name of a column contains a line break.
    text += offset === 0 ? page : page.slice(page.indexOf("\n") + 1);
    onProgress(Math.min(offset + PAGE_SIZE, total));
  }
  return text;
}

/** Downloads records as CSV, with one column per field. */
export function downloadCsvInBrowser<Row extends object>(file: string, rows: readonly Row[]): void {
  const heading = Object.keys(rows[0] ?? {});
  downloadCsv(
    file,
    heading,
    rows.map((row) => heading.map((field) => (row as Record<string, Cell>)[field] ?? null)),
  );
}
