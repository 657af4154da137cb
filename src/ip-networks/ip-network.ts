import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { OperatorError } from "../domain/errors.ts";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses. `text` is as the operator wrote it; `prefix` is the number of leading fixed bits. */
export type IpNetwork = { text: string; first: IpAddress; prefix: number };

/**
 * Returns the numeric address, without its zone (`%eth0`), or undefined if the text is not one. An IPv4 address that is
 * mapped into IPv6 becomes the IPv4 address. The check with `isIP` is needed: ipaddr.js also accepts `127.1` and
 * `0x7f000001`.
 */
export const parseIpAddress = (text: string): IpAddress | undefined =>
  isIP(text) === 0 ? undefined : ipaddr.process(text.split("%", 1)[0]!);

export const ipNetworkContains = ({ first, prefix }: IpNetwork, address: IpAddress): boolean =>
  address.kind() === first.kind() && address.match(first, prefix);

/**
 * Parses `10.0.0.0/8`, `fd00::/8` or a single address. Throws an OperatorError for anything else, and for address bits
 * beyond the prefix, which are almost always a typing error.
 */
export function parseIpNetwork(text: string): IpNetwork {
  const [addressText = "", prefixText, ...rest] = text.trim().split("/");
  const address = addressText.includes("%") ? undefined : parseIpAddress(addressText);
  if (!address || rest.length > 0) {
    throw new OperatorError(
      `"${text}" is not a network`,
      "Write an address and a prefix length: 10.0.0.0/8 or fd00::/8.",
    );
  }
  const mappedBits = addressText.includes(":") && address.kind() === "ipv4" ? 96 : 0;
  const bits = address.kind() === "ipv4" ? 32 : 128;
  const prefix = prefixText === undefined ? bits : Number(prefixText) - mappedBits;
  if (prefixText !== undefined && (!/^\d{1,3}$/.test(prefixText) || prefix < 0 || prefix > bits)) {
    throw new OperatorError(
      `"${text}" has an invalid prefix length`,
      `Write ${mappedBits} to ${bits + mappedBits} after the slash.`,
    );
  }
  const first = firstAddress(address, prefix);
  if (first.toString() !== address.toString()) {
    throw new OperatorError(`"${text}" has address bits beyond its prefix`, `Write ${first}/${prefix}.`);
  }
  return { text: text.trim(), first, prefix };
}

/** Returns whether `parseIpNetwork` accepts the text. */
export function isIpNetwork(text: string): boolean {
  try {
    parseIpNetwork(text);
    return true;
  } catch {
    return false;
  }
}

const firstAddress = (address: IpAddress, prefix: number): IpAddress =>
  (address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(`${address}/${prefix}`);

/** Returns the host of a URL, an IPv6 address without its brackets. */
export function hostWithoutBrackets(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}
