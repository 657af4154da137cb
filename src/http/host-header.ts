import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { type Failure, invalid } from "../domain/errors.ts";
import { HttpFailure } from "./http-errors.ts";

/** Returns the failure of a request that the listener must not answer, by the value of its Host header. */
export type HostCheck = (host: string | null) => Failure | undefined;

/** A name, or an IP address, with an optional port. The URL parser checks the address and the port. */
const HOST = /^(?:[\w.~-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Accepts any one valid host. The runtime joins repeated headers with a comma, and builds a request's URL from the header
 * without checking it. A request of HTTP/1.0 may have no host; the runtime refuses others without one.
 */
export const anyHostHeaderCheck: HostCheck = (host) =>
  host === null || (HOST.test(host) && URL.canParse(`http://${host}`))
    ? undefined
    : invalid("The request must have one Host header with a valid host, such as risk.example.com:8080");

type OwnHosts = {
  /** The address that the listener uses. */
  listenHost: string;
  /** Further names and addresses by which clients reach it. */
  allowed: readonly string[];
};

/**
 * Accepts the listener's own address, the machine's name, loopback names and addresses, and the allowed hosts, with any
 * port. Otherwise a page of any site could read the responses, if it makes its own name resolve to the listener's address
 * (DNS rebinding).
 */
export function ownRequestHostCheck({ listenHost, allowed }: OwnHosts): HostCheck {
  const names = new Set(["localhost", hostname(), listenHost, ...allowed].map(normalized));
  const isOnAllInterfaces = isIP(listenHost) !== 0 && ALL_INTERFACES.has(normalized(listenHost));
  return (host) => {
    const problem = anyHostHeaderCheck(host);
    if (problem || host === null) return problem;
    const name = withoutDot(new URL(`http://${host}`).hostname);
    if (names.has(name) || isLoopback(name)) return undefined;
    if (isOnAllInterfaces && isOfThisMachine(name)) return undefined;
    return new HttpFailure(
      "misdirected_request",
      `The host ${name.slice(0, MAX_SHOWN_CHARS)} is not one of this listener's. Use its address, or add the host to admin.allowed_hosts in the server's settings.`,
    );
  };
}

const ALL_INTERFACES: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"]);
const MAX_SHOWN_CHARS = 100;

/** Returns a setting's name or address as URLs have it: in lower case, IPv6 in brackets and shortened. */
const normalized = (host: string): string =>
  withoutDot(URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}`)?.hostname ?? host);

const withoutDot = (name: string): string => (name.endsWith(".") ? name.slice(0, -1) : name);

const isLoopback = (name: string): boolean =>
  name === "[::1]" || (isIP(name) === 4 && name.startsWith("127."));

/** The addresses may change while the server runs. */
const isOfThisMachine = (name: string): boolean =>
  Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => normalized(address) === name),
  );
