/* The limits of a request that imports rows of a table. Pages keep to them, too. */

export const MOST_ROWS = 200;
export const MOST_COLUMNS = 300;
/** In characters. */
export const MOST_CELL = 4_000;
/** In characters. */
export const MOST_HEADING = 1_000;
