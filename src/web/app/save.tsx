import { useState } from "preact/hooks";
import { ApiFailure } from "../browser/api-failure.ts";
import { saveCsv } from "../browser/csv-file.ts";
import { toast } from "../browser/toasts.tsx";
import { count, counted } from "../format.ts";
import { PAGE } from "./portfolio-loader.ts";

type Cell = string | number | boolean | null;

/** Keeps the rows that are here as a file, under the API's own field names: no call is made for it. */
export function Save<Row extends object>(props: { file: string; rows: readonly Row[]; total: number }) {
  const { file, rows, total } = props;
  return (
    <button
      type="button"
      class="outline"
      disabled={rows.length === 0}
      onClick={() => saveRecords(file, rows)}
    >
      {rows.length < total ? `Save ${count(rows.length)} of ${count(total)} as CSV` : "Save as CSV"}
    </button>
  );
}

/** Keeps all rows of a list as a file, and says what it takes to read those that are not here. */
export function SaveAll<Row extends object>(props: {
  file: string;
  rows: readonly Row[];
  total: number;
  /** All of them; told how many there are so far. */
  read: (onProgress: (loaded: number) => void) => Promise<readonly Row[]>;
}) {
  const { file, rows, total, read } = props;
  const [loaded, setLoaded] = useState<number>();
  const save = async () => {
    setLoaded(rows.length);
    try {
      saveRecords(file, await read(setLoaded));
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure)) throw thrown;
      toast(`The file was not made. ${thrown.message}`, { isFailure: true });
    } finally {
      setLoaded(undefined);
    }
  };
  const calls = Math.ceil((total - rows.length) / PAGE);
  const words = calls > 0 ? `Save all ${count(total)} as CSV: ${counted(calls, "call")}` : "Save as CSV";
  const isBusy = loaded !== undefined;
  return (
    <button
      type="button"
      class="outline"
      disabled={rows.length === 0 || isBusy}
      aria-busy={isBusy}
      onClick={() => void save()}
    >
      {isBusy ? `Reading: ${count(loaded)} of ${count(total)}` : words}
    </button>
  );
}

/** The records as a file, a column a field. */
export function saveRecords<Row extends object>(file: string, rows: readonly Row[]): void {
  const heading = Object.keys(rows[0] ?? {});
  saveCsv(
    file,
    heading,
    rows.map((row) => heading.map((field) => (row as Record<string, Cell>)[field] ?? null)),
  );
}
