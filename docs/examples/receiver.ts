/**
 * A webhook receiver that listens, with nothing but what Node.js 22, Bun and Deno have.
 *
 *   WEBHOOK_SECRET=whsec_… PORT=9000 node --experimental-strip-types receiver.ts
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isAuthentic } from "./webhooks.ts";

const { WEBHOOK_SECRET: secret = "", PORT = "9000" } = process.env;
if (secret === "") throw new Error("WEBHOOK_SECRET is not set");
const LARGEST = 1_048_576;
/** Ids of deliveries that were acted on: in a database of yours, so that a restart forgets none. */
const taken = new Set<string>();

const server = createServer(async (request, response) => {
  const answer = (status: number) => response.writeHead(status).end();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > LARGEST) return answer(413);
    chunks.push(chunk);
  }
  // The bytes as they came: parsed and written again they would have another signature.
  const body = Buffer.concat(chunks);
  if (!isAuthentic(body, String(request.headers["x-service-signature"] ?? ""), secret)) return answer(401);
  // Answered within 8 seconds; what takes longer is done after the answer.
  answer(200);
  const id = String(request.headers["x-service-delivery"]);
  if (taken.has(id)) return;
  taken.add(id);
  const { event, data } = JSON.parse(body.toString());
  process.stdout.write(`${JSON.stringify({ id, event, data })}\n`);
});
server.listen(Number(PORT), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}/\n`);
});
