import { createReadStream, statSync } from "node:fs";
import { OperatorError } from "../domain/errors.ts";

/** Where CSV text comes from: a file, or text at hand with a name to call it by in messages. */
export type Source = { path: string } | { name: string; text: string };

export const sourceName = (source: Source) => ("path" in source ? source.path : source.name);

/** Bytes in all. Throws an OperatorError for what is no file, or is empty. */
export function sourceBytes(source: Source): number {
  const bytes = "text" in source ? Buffer.byteLength(source.text) : fileBytes(source.path);
  if (bytes === 0)
    throw new OperatorError(`${sourceName(source)} is empty`, "Its first line names the columns.");
  return bytes;
}

/**
 * The bytes of a source in chunks, checked to be UTF-8 as they come: a file in another encoding would be read as
 * something else without a word.
 */
export async function* utf8Chunks(source: Source): AsyncGenerator<Buffer> {
  const chunks: AsyncIterable<Buffer> | Buffer[] =
    "path" in source ? createReadStream(source.path) : [Buffer.from(source.text)];
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  for await (const chunk of chunks) {
    decode(decoder, chunk, () => notUtf8(source, line + linesBeforeFault(chunk)));
    line += lineEnds(chunk);
    yield chunk;
  }
  decode(decoder, undefined, () => notUtf8(source, line));
}

function fileBytes(path: string): number {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) throw new OperatorError(`there is no file ${path}`, "Check the path.");
  // A file is read twice, which a pipe does not allow.
  if (!status.isFile())
    throw new OperatorError(`${path} is no regular file`, "Save its content to a file first.");
  return status.size;
}

function decode(decoder: TextDecoder, chunk: Buffer | undefined, fault: () => OperatorError): void {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw fault();
  }
}

function notUtf8(source: Source, line: number): OperatorError {
  return new OperatorError(
    `${sourceName(source)} line ${line}: this is not UTF-8 text`,
    'Save the file as "CSV UTF-8", or convert it: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW',
  );
}

/** Lines of the chunk that end before its first byte that is no UTF-8. */
function linesBeforeFault(chunk: Buffer): number {
  const text = chunk.toString("utf8");
  const fault = text.indexOf("\ufffd");
  return lineEnds(Buffer.from(fault < 0 ? text : text.slice(0, fault)));
}

function lineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}
