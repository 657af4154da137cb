/**
 * The client's address of a request: the socket's, unless that is a trusted proxy's. Then it is the last address of
 * X-Forwarded-For that is none of a trusted proxy, since whoever stands before it could have written anything.
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
