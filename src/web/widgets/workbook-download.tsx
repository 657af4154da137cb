import { useState } from "preact/hooks";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { ApiFailure } from "../browser/browser-api-failure.ts";
import { downloadFile } from "../browser/browser-download.ts";
import { showToast } from "./toasts.tsx";

/** Returns the query of a read that asks for its workbook. */
export const pageWorkbookQuery = (query: URLSearchParams): string =>
  new URLSearchParams([...query, ["format", "xlsx"]]).toString();

/** Downloads a workbook that the API makes, with one call. */
export function DownloadWorkbookButton(props: {
  api: Pick<ApiClient, "readFile">;
  file: string;
  path: string;
  /** The button's text, where nothing around it says which file it is. */
  name?: string;
}) {
  const { api, file, path, name = "Download XLSX" } = props;
  const [isBusy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      downloadFile(file, await api.readFile(path));
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      showToast(`The file could not be created. ${thrown.message}`, { isFailure: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class="outline"
      disabled={isBusy}
      aria-busy={isBusy}
      onClick={() => void download()}
    >
      {name}
    </button>
  );
}
