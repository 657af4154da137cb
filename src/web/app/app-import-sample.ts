import { type AppImportFile, appCellText, importRowsPerCall } from "./app-import-file.ts";

/** Columns with more different cells are no choice among words, each of which has a meaning. */
const MOST_WORDS = 100;

/**
 * Returns as many rows of the file as a call may have, to guess the mapping from: the first with each cell of columns of words,
 * and others from the whole file. The first rows of a sorted file say nothing of later ones.
 */
export function sampleOfAppFile(file: AppImportFile): AppImportFile {
  const { columns, rows } = file;
  const most = importRowsPerCall(file);
  if (rows.length <= most) return file;
  const words = columns.map((_, at) => {
    const different = new Set<string>();
    for (const { cells } of rows)
      if (different.size <= MOST_WORDS) different.add(appCellText(cells[at] ?? ""));
    return different;
  });
  const chosen = new Set<AppImportFile["rows"][number]>();
  for (const [at, left] of words.entries()) {
    // Any other column has its first cell that is not empty.
    const any = left.size > MOST_WORDS;
    for (const row of rows) {
      if (left.size === 0 || chosen.size >= most) break;
      const cell = appCellText(row.cells[at] ?? "");
      if (any ? cell === "" : !left.delete(cell)) continue;
      chosen.add(row);
      if (any) break;
    }
  }
  for (let nth = 0; chosen.size < most && nth < most; nth++)
    chosen.add(rows[Math.floor((nth * rows.length) / most)]!);
  // Those of words first, in case a call may have fewer.
  return { ...file, rows: [...chosen] };
}
