/** Parsed JSON. Tests say by their assertions what must be in it. */
// biome-ignore lint/suspicious/noExplicitAny: what another process wrote has no type here
export type Json = any;
