/**
 * Returns the client's address: the socket's address or, behind a trusted proxy, the last address in X-Forwarded-For that
 * is not a trusted proxy's. Earlier addresses in the header can be forged.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | null,
  isTrusted: (address: string) => boolean,
): string {
  if (forwardedFor === null || !isTrusted(socketAddress)) return socketAddress;
  const hops = forwardedFor.split(",").map((hop) => hop.trim());
  for (const hop of hops.reverse()) if (hop !== "" && !isTrusted(hop)) return hop;
  return socketAddress;
}
