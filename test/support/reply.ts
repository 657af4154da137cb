import type { Json } from "./json.ts";

/** An answer of a server, read to its end. */
export type Reply = { status: number; headers: Headers; text: string; body: Json };
