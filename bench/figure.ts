/** A line of what was measured, with the target that it holds or misses. */
export type Figure = { what: string; target: string; measured: string; holds: boolean };
