import type { OutputWidths } from "./terminal-table.ts";

const USUAL_COLUMNS = 100;

/** Returns the widths in a terminal of that many columns. A terminal without a size, as of `docker exec -t`, has 0. */
export const terminalOutputWidths = (columns: number | undefined): OutputWidths => ({
  columns: columns || USUAL_COLUMNS,
  tableWidth: columns || Number.POSITIVE_INFINITY,
});
