/** A range of the rows of a list. A partner's rows are numbered without gaps, so that an offset is the number to start after. */
export type StoredRowRange = { limit: number; offset: number };
