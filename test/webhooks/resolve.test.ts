import { expect, test } from "bun:test";
import { isIP } from "node:net";
import { createResolver } from "../../src/webhooks/resolve.ts";

test("looks a name up in the hosts file, and gives numeric addresses", async () => {
  const addresses = await createResolver()("localhost");
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(isIP(address)).toBeGreaterThan(0);
});
