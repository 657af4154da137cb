import { type AppImportFile, appCellText, appImportRowsPerCall } from "./app-import-file.ts";

/** Columns with more different cells are no choice among words, each of which has a meaning. */
const MOST_WORDS = 100;

const IS_WORD = /\p{L}/u;
const YES_OR_NO = /^(y|yes|true|oui|n|no|non|false)$/i;

/**
 * Returns whether most cells of a column are words, none of numbers or of yes and no: the API takes a column of counts only if
 * all cells of the sample are numbers, so that an odd one of a later row must not be sought for it.
 */
function isOfWords({ rows }: AppImportFile, at: number): boolean {
  let [words, others] = [0, 0];
  for (const { cells } of rows) {
    const cell = appCellText(cells[at] ?? "");
    if (cell === "") continue;
    if (IS_WORD.test(cell) && !YES_OR_NO.test(cell)) words++;
    else others++;
  }
  return words > others;
}

/**
 * Returns as many rows of the file as a call may have, to guess the mapping from: the first with each cell of columns of words,
 * and the first of the file. The first rows of a sorted file say nothing of later words.
 */
export function sampleOfAppFile(file: AppImportFile): AppImportFile {
  const { columns, rows } = file;
  const most = appImportRowsPerCall(file);
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
    const any = left.size > MOST_WORDS || !isOfWords(file, at);
    for (const row of rows) {
      if (left.size === 0 || chosen.size >= most) break;
      const cell = appCellText(row.cells[at] ?? "");
      if (any ? cell === "" : !left.delete(cell)) continue;
      chosen.add(row);
      if (any) break;
    }
  }
  for (const row of rows) {
    if (chosen.size >= most) break;
    chosen.add(row);
  }
  // Those of words first, in case a call may have fewer.
  return { ...file, rows: [...chosen] };
}
