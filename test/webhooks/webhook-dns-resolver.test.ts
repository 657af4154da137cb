import { expect, test } from "bun:test";
import { isIP } from "node:net";
import { createWebhookResolver } from "../../src/webhooks/webhook-dns-resolver.ts";

test("resolves a name from the hosts file to numeric addresses", async () => {
  const addresses = await createWebhookResolver()("localhost");
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(isIP(address)).toBeGreaterThan(0);
});
