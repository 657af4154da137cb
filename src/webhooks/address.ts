import { isIP } from "node:net";
import { OperatorError } from "../domain/errors.ts";

/** A block of addresses. `bytes` is its first address: 4 of IPv4, 16 of IPv6; `prefix` counts its leading fixed bits. */
export type Network = { text: string; bytes: Uint8Array; prefix: number };

/** The operator's lists. Deny wins over allow; an allow list that is not empty must contain the address. */
export type AddressPolicy = { allow: readonly Network[]; deny: readonly Network[] };

export const PERMISSIVE_POLICY: AddressPolicy = { allow: [], deny: [] };

/** IPv4 inside IPv6 as sockets write it: the same address, so it is read as its 4 bytes. */
const MAPPED: Network = {
  text: "::ffff:0:0/96",
  bytes: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0),
  prefix: 96,
};

/** Never connected to, whatever the lists say: none of these can be a partner's receiver. */
const REFUSED: readonly (readonly [kind: string, networks: readonly string[]])[] = [
  // Outside link-local too: Alibaba, Oracle (classic), Azure's wire server, AWS, Google, Scaleway.
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
const REFUSED_NETWORKS = REFUSED.flatMap(([kind, texts]) =>
  texts.map((text) => ({ kind, network: parseNetwork(text) })),
);

/** IPv6 blocks that carry an IPv4 address, where it stands in the 16 bytes, and what its bytes are XORed with. */
const EMBEDDINGS = [
  { text: "64:ff9b::/96", offsets: [12, 13, 14, 15], mask: 0 }, // NAT64, RFC 6052
  { text: "64:ff9b:1::/48", offsets: [6, 7, 9, 10], mask: 0 }, // NAT64 of one's own, RFC 8215
  { text: "64:ff9b:1::/48", offsets: [12, 13, 14, 15], mask: 0 }, // the same with a /96 inside it
  { text: "2002::/16", offsets: [2, 3, 4, 5], mask: 0 }, // 6to4, RFC 3056
  { text: "::/96", offsets: [12, 13, 14, 15], mask: 0 }, // IPv4-compatible, RFC 4291
  { text: "::ffff:0:0:0/96", offsets: [12, 13, 14, 15], mask: 0 }, // IPv4-translated, RFC 2765
  { text: "2001::/32", offsets: [4, 5, 6, 7], mask: 0 }, // Teredo's server, RFC 4380
  { text: "2001::/32", offsets: [12, 13, 14, 15], mask: 0xff }, // Teredo's client
].map(({ text, ...where }) => ({ network: parseNetwork(text), ...where }));
const LOOPBACK = parseAddress("::1")!;

/** Why the address must not be connected to, in words, or undefined when it may. `address` is numeric, as a socket reports it. */
export function addressRefusal(address: string, policy: AddressPolicy): string | undefined {
  const bytes = parseAddress(address);
  if (!bytes) return `${address} is no IP address`;
  const meanings = [bytes, ...embeddedIpv4(bytes)];
  for (const { kind, network } of REFUSED_NETWORKS) {
    if (meanings.some((meaning) => contains(network, meaning))) {
      return `${address} is ${kind}, which is never connected to`;
    }
  }
  const denying = policy.deny.find((network) => meanings.some((meaning) => contains(network, meaning)));
  if (denying) return `${address} is in the denied network ${denying.text}`;
  if (policy.allow.length > 0 && !policy.allow.some((network) => contains(network, bytes))) {
    return `${address} is in none of the allowed networks`;
  }
  return undefined;
}

/**
 * A network from `10.0.0.0/8`, `fd00::/8`, or one address alone. Throws an OperatorError that says what is wrong,
 * also when bits are set beyond the prefix, since such a block is a slip of the pen.
 */
export function parseNetwork(text: string): Network {
  const [addressText, prefixText, ...rest] = text.trim().split("/");
  const parsed = addressText === undefined ? undefined : parseAddress(addressText);
  if (!parsed || rest.length > 0 || addressText!.includes("%")) {
    throw new OperatorError(
      `"${text}" is no network`,
      "write an address and a prefix length: 10.0.0.0/8 or fd00::/8",
    );
  }
  const mapped = addressText!.includes(":") && parsed.length === 4 ? 96 : 0;
  const bits = parsed.length * 8;
  const prefix = prefixText === undefined ? bits : Number(prefixText) - mapped;
  if (prefixText !== undefined && (!/^\d{1,3}$/.test(prefixText) || prefix < 0 || prefix > bits)) {
    throw new OperatorError(
      `"${text}" has an impossible prefix length`,
      `write ${mapped} to ${bits + mapped} after the slash`,
    );
  }
  const first = parsed.map((byte, i) => byte & byteMask(prefix, i));
  if (first.some((byte, i) => byte !== parsed[i])) {
    throw new OperatorError(
      `"${text}" has bits set beyond its prefix`,
      `the network is ${formatBytes(first)}/${prefix}`,
    );
  }
  return { text: text.trim(), bytes: first, prefix };
}

/** The bytes of a numeric address: 4 of IPv4, also when mapped into IPv6; else 16. A zone (`%eth0`) is left out. */
export function parseAddress(text: string): Uint8Array | undefined {
  const address = text.split("%", 1)[0]!;
  const family = isIP(address);
  if (family === 0) return undefined;
  if (family === 4) return Uint8Array.from(address.split(".").map(Number));
  const bytes = ipv6Bytes(address);
  return contains(MAPPED, bytes) ? bytes.slice(12) : bytes;
}

export function contains(network: Network, bytes: Uint8Array): boolean {
  if (network.bytes.length !== bytes.length) return false;
  for (let i = 0; i * 8 < network.prefix; i++) {
    if ((bytes[i]! & byteMask(network.prefix, i)) !== network.bytes[i]) return false;
  }
  return true;
}

/** Which bits of byte `index` belong to a prefix of that many bits. */
function byteMask(prefix: number, index: number): number {
  const bits = Math.max(0, Math.min(8, prefix - index * 8));
  return (0xff << (8 - bits)) & 0xff;
}

/** Expects a valid address: groups of hex around at most one `::`, the last 32 bits perhaps dotted. */
function ipv6Bytes(address: string): Uint8Array {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = dotted ? address.slice(0, dotted.index) + ipv4Groups(dotted.slice(1).map(Number)) : address;
  const [head = "", tail] = hex.split("::");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const words =
    tail === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
  return Uint8Array.from(words.flatMap((word) => [word >> 8, word & 0xff]));
}

function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function ipv4Groups([a, b, c, d]: number[]): string {
  return `${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`;
}

function formatBytes(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const words = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  return new URL(`http://[${words.join(":")}]`).hostname.slice(1, -1);
}

/** The IPv4 addresses that a gateway may hand this IPv6 address's traffic to. */
function embeddedIpv4(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length === 4 || LOOPBACK.every((byte, i) => byte === bytes[i])) return [];
  const found = EMBEDDINGS.filter(({ network }) => contains(network, bytes)).map(({ offsets, mask }) =>
    Uint8Array.from(offsets, (offset) => bytes[offset]! ^ mask),
  );
  const isIsatap = (bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isIsatap ? [...found, bytes.slice(12)] : found; // ISATAP, RFC 5214, under any prefix
}
