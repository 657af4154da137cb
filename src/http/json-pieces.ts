import { mapYielding, TimeSlice, type Yield } from "../event-loop.ts";

/** Items of a list that are written in one piece: more than a page has. */
const ITEMS = 250;

/**
 * A JSON text piece by piece, as JSON.stringify would write it: a long list, in itself or in a field, is written some
 * items at a time, however large the whole is.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (Array.isArray(value) && value.length > ITEMS) {
    for (let start = 0; start < value.length; start += ITEMS) {
      const items = JSON.stringify(value.slice(start, start + ITEMS)).slice(1, -1);
      yield (start === 0 ? "[" : ",") + items;
    }
    yield "]";
  } else if (isPlain(value)) {
    let before = "{";
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* jsonPieces(field);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  } else yield JSON.stringify(value);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Characters of a piece that is sent. */
export const PIECE = 65_536;
/** Characters up to which a text is made whole before any of it is sent. */
const MOST_WHOLE = 1_048_576;
/** The length of a slice of serialization between two yields, in milliseconds. */
const SLICE_MS = 4;

/** A JSON text, or of one that is too long to be made at once its beginning and the rest. */
export function beginJson(value: unknown): { text: string; rest: Iterator<string> | undefined } {
  const rest = jsonPieces(value);
  let text = "";
  for (let next = rest.next(); !next.done; next = rest.next()) {
    text += next.value;
    if (text.length > MOST_WHOLE) return { text, rest };
  }
  return { text, rest: undefined };
}

/** Returns the pieces of a JSON text of any length; yields to the event loop between slices of serialization. */
export async function stringifyYielding(value: unknown, yieldNow: Yield): Promise<string[]> {
  return await mapYielding(jsonPieces(value), yieldNow, (piece) => piece, SLICE_MS);
}

/** Sends a text and what comes after it no faster than it is read. `onEnd` is told when it is sent or given up. */
export function streamText(
  begun: string,
  rest: Iterator<string> | undefined,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let text = begun;
  let at = 0;
  let isMade = rest === undefined;
  const slice = new TimeSlice(SLICE_MS);
  const end = () => {
    text = "";
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await slice.yieldIfOver();
        while (!isMade && text.length - at < PIECE) {
          const next = rest!.next();
          if (next.done) isMade = true;
          else {
            text = text.slice(at) + next.value;
            at = 0;
          }
        }
        // Two halves of one character stay together.
        const cut = at + PIECE + (isFirstHalf(text.charCodeAt(at + PIECE - 1)) ? 1 : 0);
        controller.enqueue(encoder.encode(text.slice(at, cut)));
        at = cut;
        if (at < text.length || !isMade) return;
        controller.close();
        end();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
