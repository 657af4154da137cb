/** A slice of a list. Rows of one partner are numbered without gaps, so an offset is a number to start after. */
export type Slice = { limit: number; offset: number };
