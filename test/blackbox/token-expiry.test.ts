import { expect, test } from "bun:test";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();
const SECOND = 1_000;

/** Moves the latest time in the database forward: tokens expire by it. */
async function letPass(server: Installation, ms: number): Promise<void> {
  await server.sql(`UPDATE clock SET last_instant = ${Date.now() + ms}`);
}

// Rule: token-life
test("a bearer token is valid for one hour, and the partner can get a new one", async () => {
  const server = await serve();
  const partner = await server.createPartner();
  const holder = await server.withToken(partner);
  await holder.get("/v1/ping");
  await server.stop();
  await letPass(server, 3_540 * SECOND);
  await server.start();
  await holder.get("/v1/ping");
  await server.stop();
  await letPass(server, 3_601 * SECOND);
  await server.start();
  const { body, headers } = await holder.get("/v1/ping", {}, 401);
  expect(body.error).toBe("Invalid or expired token. Re-authenticate at POST /oauth/token.");
  expect(headers.get("www-authenticate")).toContain("Bearer");
  await (await server.withToken(partner)).get("/v1/ping");
});
