import type { Json } from "./json.ts";

/** A server's answer, read to its end. */
export type Reply = { status: number; headers: Headers; text: string; body: Json };
