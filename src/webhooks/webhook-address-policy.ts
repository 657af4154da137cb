import ipaddr from "ipaddr.js";
import {
  hostWithoutBrackets,
  type IpAddress,
  type IpNetwork,
  ipNetworkContains,
  parseIpAddress,
  parseIpNetwork,
} from "../ip-networks/ip-network.ts";

/** The operator's lists. `deny` overrides `allow`. If `allow` is not empty, an address must be in it. */
export type AddressPolicy = { allow: readonly IpNetwork[]; deny: readonly IpNetwork[] };

/** Refused whatever the lists contain: no webhook endpoint can have one of these addresses. */
const ALWAYS_REFUSED: readonly (readonly [kind: string, networks: readonly string[]])[] = [
  // AWS and most others, Alibaba, Oracle (classic), Azure's WireServer, then IPv6: AWS, Google, Scaleway.
  [
    "a cloud metadata address",
    [
      "169.254.169.254",
      "100.100.100.200",
      "192.0.0.192",
      "168.63.129.16",
      "fd00:ec2::254",
      "fd20:ce::254",
      "fd00:42::42",
    ],
  ],
  ["a link-local address", ["169.254.0.0/16", "fe80::/10"]],
  ["an unspecified address", ["0.0.0.0/8", "::"]],
  ["a multicast address", ["224.0.0.0/4", "ff00::/8"]],
  ["the broadcast address", ["255.255.255.255"]],
];
const REFUSED_NETWORKS = ALWAYS_REFUSED.flatMap(([kind, texts]) =>
  texts.map((text) => ({ kind, network: parseIpNetwork(text) })),
);

/** IPv6 blocks that embed an IPv4 address: the positions of its bytes, and the mask that they are XORed with. */
const EMBEDDINGS = [
  { text: "64:ff9b::/96", offsets: [12, 13, 14, 15], mask: 0 }, // NAT64, RFC 6052
  { text: "64:ff9b:1::/48", offsets: [6, 7, 9, 10], mask: 0 }, // local-use NAT64, RFC 8215
  { text: "64:ff9b:1::/48", offsets: [12, 13, 14, 15], mask: 0 }, // local-use NAT64 with a /96 prefix
  { text: "2002::/16", offsets: [2, 3, 4, 5], mask: 0 }, // 6to4, RFC 3056
  { text: "::/96", offsets: [12, 13, 14, 15], mask: 0 }, // IPv4-compatible, RFC 4291
  { text: "::ffff:0:0:0/96", offsets: [12, 13, 14, 15], mask: 0 }, // IPv4-translated, RFC 2765
  { text: "2001::/32", offsets: [4, 5, 6, 7], mask: 0 }, // Teredo server, RFC 4380
  { text: "2001::/32", offsets: [12, 13, 14, 15], mask: 0xff }, // Teredo client
].map(({ text, ...where }) => ({ network: parseIpNetwork(text), ...where }));

/** Returns why connections to a numeric address are refused, or undefined if they are allowed. */
export function webhookAddressRefusal(address: string, policy: AddressPolicy): string | undefined {
  const parsed = parseIpAddress(address);
  if (!parsed) return `${address} is not an IP address`;
  const candidates = [parsed, ...embeddedIpv4(parsed)];
  const always = refusalByKind(address, candidates);
  if (always !== undefined) return always;
  const denying = policy.deny.find((network) =>
    candidates.some((candidate) => ipNetworkContains(network, candidate)),
  );
  if (denying) return `${address} is in the denied network ${denying.text}`;
  if (policy.allow.length > 0 && !policy.allow.some((network) => ipNetworkContains(network, parsed))) {
    return `${address} is not in an allowed network`;
  }
  return undefined;
}

/**
 * Returns why no delivery to the URL can ever be sent, whatever the lists contain, or undefined if one may be: its host is a
 * numeric address that is always refused. The addresses of a host name are known at a delivery only.
 */
export function webhookUrlRefusal(url: string): string | undefined {
  const host = hostWithoutBrackets(new URL(url));
  const address = parseIpAddress(host);
  return address && refusalByKind(host, [address, ...embeddedIpv4(address)]);
}

/** Returns why connections to an address are always refused. `candidates`: the address and those that it embeds. */
function refusalByKind(address: string, candidates: readonly IpAddress[]): string | undefined {
  const refused = REFUSED_NETWORKS.find(({ network }) =>
    candidates.some((candidate) => ipNetworkContains(network, candidate)),
  );
  return refused && `${address} is ${refused.kind}, which is always refused`;
}

/** Returns the IPv4 addresses to which a gateway may forward traffic for this IPv6 address. */
function embeddedIpv4(address: IpAddress): IpAddress[] {
  if (address.kind() === "ipv4" || address.range() === "loopback") return [];
  const bytes = address.toByteArray();
  const ipv4At = (offsets: readonly number[], mask: number) =>
    ipaddr.fromByteArray(offsets.map((offset) => bytes[offset]! ^ mask));
  const found = EMBEDDINGS.filter(({ network }) => ipNetworkContains(network, address)).map(
    ({ offsets, mask }) => ipv4At(offsets, mask),
  );
  const isIsatap = (bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isIsatap ? [...found, ipv4At([12, 13, 14, 15], 0)] : found; // ISATAP, RFC 5214, under any prefix
}
