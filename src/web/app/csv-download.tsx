import { useState } from "preact/hooks";
import { ApiFailure } from "../browser/api-failure.ts";
import { downloadCsv } from "../browser/csv-file.ts";
import { showToast } from "../browser/toasts.tsx";
import { count, counted } from "../format.ts";
import { PAGE_SIZE } from "./portfolio-loader.ts";

type Cell = string | number | boolean | null;

/** Downloads the loaded rows as CSV, under the field names of the API, without a call. */
export function DownloadCsv<Row extends object>(props: {
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
      onClick={() => downloadRecords(file, rows)}
    >
      {rows.length < total ? `Download CSV (${count(rows.length)} of ${count(total)})` : "Download CSV"}
    </button>
  );
}

/** Downloads all rows of a list as CSV. The button states the calls for the rows that are not loaded. */
export function DownloadAllCsv<Row extends object>(props: {
  file: string;
  rows: readonly Row[];
  total: number;
  /** Reads all rows, and reports the number read so far. */
  read: (onProgress: (loaded: number) => void) => Promise<readonly Row[]>;
}) {
  const { file, rows, total, read } = props;
  const [loaded, setLoaded] = useState<number>();
  const download = async () => {
    setLoaded(rows.length);
    try {
      downloadRecords(file, await read(setLoaded));
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      showToast(`The file could not be created. ${thrown.message}`, { isFailure: true });
    } finally {
      setLoaded(undefined);
    }
  };
  const calls = Math.ceil((total - rows.length) / PAGE_SIZE);
  const label =
    calls > 0 ? `Download CSV (all ${count(total)}, ${counted(calls, "API call")})` : "Download CSV";
  const isBusy = loaded !== undefined;
  return (
    <button
      type="button"
      class="outline"
      disabled={rows.length === 0 || isBusy}
      aria-busy={isBusy}
      onClick={() => void download()}
    >
      {isBusy ? `Loading: ${count(loaded)} of ${count(total)}` : label}
    </button>
  );
}

/** Downloads records as CSV, with one column per field. */
export function downloadRecords<Row extends object>(file: string, rows: readonly Row[]): void {
  const heading = Object.keys(rows[0] ?? {});
  downloadCsv(
    file,
    heading,
    rows.map((row) => heading.map((field) => (row as Record<string, Cell>)[field] ?? null)),
  );
}
