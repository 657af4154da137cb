import { parseIpAddress } from "../ip-networks/ip-network.ts";

/**
 * Returns the client's address: the socket's address or, behind a trusted proxy, the last address in X-Forwarded-For that
 * is not a trusted proxy's. Earlier addresses in the header can be forged. Any other text in its place, which a client among
 * the trusted addresses can send, stands for no client: each text would have a limit, and memory, of its own.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | null,
  isTrusted: (address: string) => boolean,
): string {
  if (forwardedFor === null || !isTrusted(socketAddress)) return socketAddress;
  const hops = forwardedFor.split(",").map((hop) => withoutPort(hop.trim()));
  const client = hops.findLast((hop) => hop !== "" && !isTrusted(hop)) ?? "";
  return parseIpAddress(client)?.toString() ?? socketAddress;
}

/** Some proxies write the port too, `203.0.113.7:51234` or `[2001:db8::1]:51234`, which differs by connection. */
const withoutPort = (hop: string): string =>
  /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(hop)?.[1] ??
  /^\[([\da-f:.]+)\](?::\d{1,5})?$/i.exec(hop)?.[1] ??
  hop;
