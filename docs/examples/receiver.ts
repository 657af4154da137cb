/**
 * A webhook endpoint without dependencies, for Node.js 22, Bun and Deno.
 *
 *   WEBHOOK_SECRET=whsec_… PORT=9000 node --experimental-strip-types receiver.ts
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isAuthentic } from "./webhooks.ts";

const { WEBHOOK_SECRET: secret = "", PORT = "9000" } = process.env;
if (secret === "") throw new Error("WEBHOOK_SECRET is not set");
const MAX_BODY_BYTES = 1_048_576;
/** The IDs of processed deliveries. Store them in your database, so that they survive a restart. */
const processed = new Set<string>();

const server = createServer(async (request, response) => {
  const answer = (status: number) => response.writeHead(status).end();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return answer(413);
    chunks.push(chunk);
  }
  // Verify the original bytes: parsing and serializing them again would change the signature.
  const body = Buffer.concat(chunks);
  if (!isAuthentic(body, String(request.headers["x-service-signature"] ?? ""), secret)) return answer(401);
  // Respond within 8 seconds. Do slow work after the response.
  answer(200);
  const id = String(request.headers["x-service-delivery"]);
  if (processed.has(id)) return;
  processed.add(id);
  const { event, data } = JSON.parse(body.toString());
  process.stdout.write(`${JSON.stringify({ id, event, data })}\n`);
});
server.listen(Number(PORT), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}/\n`);
});
