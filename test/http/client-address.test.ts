import { expect, test } from "bun:test";
import { clientAddress } from "../../src/http/client-address.ts";

const PROXIES = new Set(["10.0.0.1", "10.0.0.2"]);
const isTrusted = (address: string) => PROXIES.has(address);

test.each([
  ["no proxy forwarded", "10.0.0.1", null, "10.0.0.1"],
  ["a stranger claims to forward", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["a trusted proxy forwards", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["two trusted proxies forward", "10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"],
  ["the caller wrote an address before its own", "10.0.0.1", "6.6.6.6, 198.51.100.1", "198.51.100.1"],
  ["the caller claims to be a proxy", "10.0.0.1", "10.0.0.2", "10.0.0.1"],
  ["the proxy adds the port", "10.0.0.1", "6.6.6.6, 198.51.100.1:40001, 10.0.0.2:443", "198.51.100.1"],
  ["the proxy adds the port in IPv6", "10.0.0.1", "[2001:db8::1]:40001", "2001:db8::1"],
  ["the proxy writes brackets alone", "10.0.0.1", "[2001:db8::1]", "2001:db8::1"],
  ["an IPv6 address ends like a port", "10.0.0.1", "2001:db8::1:4000", "2001:db8::1:4000"],
  ["a text is in its place", "10.0.0.1", "198.51.100.1, unknown, 10.0.0.2", "10.0.0.1"],
  ["a zone follows it", "10.0.0.1", `fe80::1%${"z".repeat(100)}`, "fe80::1"],
  ["the header is empty", "10.0.0.1", " , ", "10.0.0.1"],
  ["spaces and empty parts surround the address", "10.0.0.1", ",  198.51.100.1 ,", "198.51.100.1"],
])("when %s, the client is the last address that cannot be forged", (_, socket, forwarded, client) => {
  expect(clientAddress(socket, forwarded, isTrusted)).toBe(client);
});
