/**
 * Objects as lines of JSON, made only as fast as they are taken. One that fails ends the answer before its end, which
 * whoever reads it sees by the last line.
 */
export function jsonLines(pages: AsyncGenerator<readonly object[]>): ReadableStream<Uint8Array> {
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
