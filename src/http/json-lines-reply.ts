/**
 * Streams objects as lines of JSON, as fast as the client reads them. An error ends the stream early; clients detect this
 * by the missing last line.
 */
export function jsonLinesReply(pages: AsyncGenerator<readonly object[]>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        const { value: page, done } = await pages.next();
        if (done) return controller.close();
        controller.enqueue(encoder.encode(page.map((line) => `${JSON.stringify(line)}\n`).join("")));
      },
      cancel: () => void pages.return(undefined),
    },
    { highWaterMark: 0 },
  );
}
