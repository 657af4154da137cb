/** Parsed JSON. The assertions of a test say what it must contain. */
// biome-ignore lint/suspicious/noExplicitAny: the output of another process has no type here
export type Json = any;
