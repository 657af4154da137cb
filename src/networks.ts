import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { OperatorError } from "./domain/errors.ts";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses, as it was written, from its first address on; `prefix` counts the leading fixed bits. */
export type Network = { text: string; first: Address; prefix: number };

/**
 * A numeric address; IPv4 mapped into IPv6 is the IPv4 address. A zone (`%eth0`) is left out. Undefined for anything
 * else: the library alone would also take `127.1` and `0x7f000001`.
 */
export const parseAddress = (text: string): Address | undefined =>
  isIP(text) === 0 ? undefined : ipaddr.process(text.split("%", 1)[0]!);

export const contains = ({ first, prefix }: Network, address: Address): boolean =>
  address.kind() === first.kind() && address.match(first, prefix);

/**
 * A network from `10.0.0.0/8`, `fd00::/8`, or one address alone. Throws an OperatorError that says what is wrong,
 * also when bits are set beyond the prefix, since such a block is a slip of the pen.
 */
export function parseNetwork(text: string): Network {
  const [addressText = "", prefixText, ...rest] = text.trim().split("/");
  const address = addressText.includes("%") ? undefined : parseAddress(addressText);
  if (!address || rest.length > 0) {
    throw new OperatorError(
      `"${text}" is no network`,
      "write an address and a prefix length: 10.0.0.0/8 or fd00::/8",
    );
  }
  const mapped = addressText.includes(":") && address.kind() === "ipv4" ? 96 : 0;
  const bits = address.kind() === "ipv4" ? 32 : 128;
  const prefix = prefixText === undefined ? bits : Number(prefixText) - mapped;
  if (prefixText !== undefined && (!/^\d{1,3}$/.test(prefixText) || prefix < 0 || prefix > bits)) {
    throw new OperatorError(
      `"${text}" has an impossible prefix length`,
      `write ${mapped} to ${bits + mapped} after the slash`,
    );
  }
  const first = firstOf(address, prefix);
  if (first.toString() !== address.toString()) {
    throw new OperatorError(`"${text}" has bits set beyond its prefix`, `the network is ${first}/${prefix}`);
  }
  return { text: text.trim(), first, prefix };
}

const firstOf = (address: Address, prefix: number): Address =>
  (address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(`${address}/${prefix}`);
