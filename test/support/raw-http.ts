import { connect } from "node:net";
import { TIMEOUT_MS } from "./eventually.ts";

export type RawResponse = { status: number; head: string; body: string };
export type Exchange = {
  /** The complete responses, in order. A character is a byte. */
  responses: RawResponse[];
  isClosed: boolean;
};

/**
 * Sends the bytes on one connection and reads `count` responses, or until the server closes the connection. Several texts
 * are sent one by one, each when the previous one has been handed to the network or, with `awaitsResponses`, has a response. A
 * character is a byte.
 */
export async function exchange(
  url: string,
  bytes: string | readonly string[],
  count = 1,
  { awaitsResponses = false } = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  let text = "";
  let onResponse = () => {};
  const isClosed = await new Promise<boolean>((resolve, reject) => {
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const { length } = responsesIn(text);
      if (length > 0) onResponse();
      if (length >= count) resolve(false);
    });
    socket.on("close", () => resolve(true));
    socket.on("error", () => resolve(true));
    socket.setTimeout(TIMEOUT_MS, () => reject(new Error(`neither an answer nor an end: ${text}`)));
    void sendAll([bytes].flat());
  });
  socket.destroy();
  return { responses: responsesIn(text), isClosed };

  async function sendAll(texts: readonly string[]): Promise<void> {
    for (const part of texts) {
      const answered = new Promise<void>((resolve) => {
        onResponse = resolve;
      });
      await new Promise((resolve) => socket.write(Buffer.from(part, "latin1"), resolve));
      if (awaitsResponses) await answered;
    }
  }
}

/** Returns the complete responses. All have a length, or close the connection without a body. */
function responsesIn(text: string): RawResponse[] {
  const found: RawResponse[] = [];
  for (let at = 0; ; ) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end < 0) return found;
    const head = text.slice(at, end);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    if (text.length < end + 4 + length) return found;
    at = end + 4 + length;
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    found.push({ status, head, body: text.slice(end + 4, at) });
  }
}

/** Returns a request with a host. */
export function rawRequest(line: string, headers: readonly string[] = [], body = ""): string {
  return `${[`${line} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n${body}`;
}
