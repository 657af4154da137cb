import { mapYielding, TimeSlice, type Yield } from "../event-loop/event-loop.ts";

/** The items of a list that are serialized at once; more than a page has. */
const ITEMS_PER_CHUNK = 250;

/** Serializes a value as JSON.stringify does, in chunks: a long list, also in a field, is split into several. */
export function* jsonReplyChunks(value: unknown): Generator<string> {
  if (Array.isArray(value) && value.length > ITEMS_PER_CHUNK) {
    for (let start = 0; start < value.length; start += ITEMS_PER_CHUNK) {
      const items = JSON.stringify(value.slice(start, start + ITEMS_PER_CHUNK)).slice(1, -1);
      yield (start === 0 ? "[" : ",") + items;
    }
    yield "]";
  } else if (isPlain(value)) {
    let before = "{";
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* jsonReplyChunks(field);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  } else yield JSON.stringify(value);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The length of a chunk that is sent. */
export const CHUNK_CHARS = 65_536;
/** The length up to which a text is serialized completely before any of it is sent. */
const MAX_EAGER_CHARS = 1_048_576;
/** The length of a slice of serialization between two yields, in milliseconds. */
const SLICE_MS = 4;

/** The beginning of a JSON text, and an iterator for the rest; undefined if it is complete. */
export type StartedJson = { text: string; rest: Iterator<string> | undefined };

/** Serializes a value: completely, or the beginning of a long text. */
export function startJsonReplyStream(value: unknown): StartedJson {
  const rest = jsonReplyChunks(value);
  let text = "";
  for (let next = rest.next(); !next.done; next = rest.next()) {
    text += next.value;
    if (text.length > MAX_EAGER_CHARS) return { text, rest };
  }
  return { text, rest: undefined };
}

/** Returns the chunks of a JSON text of any length; yields to the event loop between slices of serialization. */
export async function stringifyReplyYielding(value: unknown, yieldNow: Yield): Promise<string[]> {
  return await mapYielding(jsonReplyChunks(value), yieldNow, (chunk) => chunk, SLICE_MS);
}

/** How a stream ended: completely, in between, or before anything was sent. */
export type StreamEnd = "complete" | "incomplete" | "unsent";

/** Streams a text as fast as the client reads it. `onEnd` is called when all of it is sent, or sending is aborted. */
export function streamReplyText(
  begun: string,
  rest: Iterator<string> | undefined,
  onEnd: (end: StreamEnd) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let text = begun;
  let at = 0;
  let isComplete = rest === undefined;
  const slice = new TimeSlice(SLICE_MS);
  let isSending = false;
  const end = (how: StreamEnd) => {
    text = "";
    onEnd(how);
  };
  const readNext = () => {
    while (!isComplete && text.length - at < CHUNK_CHARS) {
      const next = rest!.next();
      if (next.done) isComplete = true;
      else {
        text = text.slice(at) + next.value;
        at = 0;
      }
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await slice.yieldIfOver();
        isSending = true;
        try {
          readNext();
        } catch (error) {
          end("incomplete");
          throw error;
        }
        // Do not split a surrogate pair.
        const cut = at + CHUNK_CHARS + (isHighSurrogate(text.charCodeAt(at + CHUNK_CHARS - 1)) ? 1 : 0);
        controller.enqueue(encoder.encode(text.slice(at, cut)));
        at = cut;
        if (at < text.length || !isComplete) return;
        controller.close();
        end("complete");
      },
      cancel: () => end(isSending ? "incomplete" : "unsent"),
    },
    { highWaterMark: 0 },
  );
}

/** Streams bytes as fast as the client reads them. `onEnd` is called as by `streamReplyText`. */
export function streamReplyBytes(
  bytes: Uint8Array,
  onEnd: (end: StreamEnd) => void,
): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + CHUNK_CHARS));
        at += CHUNK_CHARS;
        if (at < bytes.length) return;
        controller.close();
        onEnd("complete");
      },
      cancel: () => onEnd(at > 0 ? "incomplete" : "unsent"),
    },
    { highWaterMark: 0 },
  );
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
