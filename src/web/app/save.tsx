import { saveCsv } from "../browser/csv-file.ts";
import { count } from "../format.ts";

type Cell = string | number | boolean | null;

/** Keeps the rows that are here as a file, under the API's own field names: no call is made for it. */
export function Save<Row extends object>(props: { file: string; rows: readonly Row[]; total: number }) {
  const { file, rows, total } = props;
  const save = () => {
    const heading = Object.keys(rows[0]!);
    saveCsv(
      file,
      heading,
      rows.map((row) => heading.map((field) => (row as Record<string, Cell>)[field] ?? null)),
    );
  };
  return (
    <button type="button" class="outline" disabled={rows.length === 0} onClick={save}>
      {rows.length < total ? `Save ${count(rows.length)} of ${count(total)} as CSV` : "Save as CSV"}
    </button>
  );
}
