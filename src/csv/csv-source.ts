import { createReadStream, statSync } from "node:fs";
import { OperatorError } from "../domain/errors.ts";
import { yieldToNextIteration } from "../event-loop/event-loop.ts";
import { notRegularFile } from "../files/durable-files.ts";

/**
 * The source of CSV text: a file, or text with a name for messages. In a file, texts that a spreadsheet would run as formulas
 * have a quote before, unless it was prepared for one import alone.
 */
export type CsvSource = { path: string; isPrepared?: true } | { name: string; text: string };

/** A parser takes a few milliseconds for a chunk. Those of a file have this size, too. */
const CHUNK_BYTES = 64 * 1024;

export const csvSourceName = (source: CsvSource) => ("path" in source ? source.path : source.name);

/** Returns the size. Throws an OperatorError if the source is empty or not a regular file. */
export function csvSourceBytes(source: CsvSource): number {
  const bytes = "text" in source ? Buffer.byteLength(source.text) : fileBytes(source.path);
  if (bytes === 0)
    throw new OperatorError(
      `${csvSourceName(source)} is empty`,
      "The first line must contain the column names.",
    );
  return bytes;
}

/** The byte-order marks of UTF-16, in which spreadsheet programs save "Unicode text". */
const UTF_16 = [
  { mark: Buffer.from([0xff, 0xfe]), encoding: "utf-16le" },
  { mark: Buffer.from([0xfe, 0xff]), encoding: "utf-16be" },
] as const;

/** Yields the source in chunks of UTF-8, into which UTF-16 with a byte-order mark is converted. Throws an OperatorError for invalid UTF-8, so that no other encoding is misread silently. */
export async function* csvUtf8Chunks(source: CsvSource): AsyncGenerator<Buffer> {
  const chunks = "path" in source ? inUtf8(source.path) : inChunks(Buffer.from(source.text));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  for await (const chunk of chunks) {
    decode(decoder, chunk, () => notUtf8(source, line + lineEndsBeforeInvalidByte(chunk)));
    line += lineEnds(chunk);
    yield chunk;
  }
  decode(decoder, undefined, () => notUtf8(source, line));
}

async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    if (at > 0) await yieldToNextIteration();
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

async function* inUtf8(path: string): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    if (isFirst) {
      const found = UTF_16.find(({ mark }) => chunk.subarray(0, 2).equals(mark));
      if (found) decoder = new TextDecoder(found.encoding);
      isFirst = false;
    }
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  if (decoder) yield Buffer.from(decoder.decode());
}

function fileBytes(path: string): number {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) throw new OperatorError(`file not found: ${path}`, "Check the path.");
  // The import reads the file twice, which a pipe does not allow.
  if (!status.isFile()) throw notRegularFile(path);
  return status.size;
}

function decode(decoder: TextDecoder, chunk: Buffer | undefined, fault: () => OperatorError): void {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw fault();
  }
}

function notUtf8(source: CsvSource, line: number): OperatorError {
  return new OperatorError(
    `${csvSourceName(source)} line ${line}: invalid UTF-8`,
    'Save the file as "CSV UTF-8", or convert it: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW',
  );
}

/** Returns the number of line ends before the first invalid byte. */
function lineEndsBeforeInvalidByte(chunk: Buffer): number {
  const text = chunk.toString("utf8");
  const fault = text.indexOf("\ufffd");
  return lineEnds(Buffer.from(fault < 0 ? text : text.slice(0, fault)));
}

function lineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}
