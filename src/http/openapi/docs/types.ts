import type { Describable } from "../schema.ts";

/** What the document says of an operation beside what the operation says of itself. */
export type OperationDocs = {
  tag: string;
  /** More than the summary says. Markdown. */
  description?: string;
  /** The body's shape, which is the one that checks it. */
  request?: Describable;
  /** JSON when not given. */
  requestMediaTypes?: readonly string[];
  /** A body that works. */
  example?: unknown;
  /** The example of the path's `id`. */
  pathExample?: string;
  /** The answers that are no failures, by status. */
  replies: Readonly<Record<number, ReplyDocs>>;
  /** Statuses of failure beyond those that follow from the operation. */
  errors?: readonly number[];
};

export type ReplyDocs = {
  description: string;
  /** Null for an answer without a body, or with bytes. */
  shape: Describable | null;
  mediaType?: string;
  /** Instead of the one that is made from the fields. */
  example?: unknown;
  headers?: Readonly<Record<string, unknown>>;
};

/** A 200 of a read with its ETag, and the 304 that spares sending it again. */
export function read(description: string, shape: Describable, example?: unknown): Record<number, ReplyDocs> {
  const headers = { ETag: { $ref: "#/components/headers/ETag" } };
  return {
    200: { description, shape, headers, ...(example !== undefined && { example }) },
    304: { description: "The answer that If-None-Match names still stands", shape: null, headers },
  };
}

export const createdReply = (description: string, shape: Describable): Record<number, ReplyDocs> => ({
  201: { description, shape },
});
