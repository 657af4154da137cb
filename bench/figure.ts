/** A measurement and whether it meets its target. */
export type Figure = { what: string; target: string; measured: string; holds: boolean };
