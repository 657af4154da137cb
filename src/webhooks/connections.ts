import { X509Certificate } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { OperatorError } from "../domain/errors.ts";
import { type AddressPolicy, addressRefusal } from "./address-policy.ts";
import type { Resolve } from "./resolve.ts";

/** How this machine reaches receivers. */
export type NetworkSettings = {
  /** Read on every attempt, so that changed lists count at once, for open connections too. */
  policy: () => AddressPolicy;
  resolve: Resolve;
  /** PEM certificates trusted beside the bundled and the system's authorities. */
  extraAuthorities: string | null;
  /** `http://[user:password@]host:port`. The only proxy setting: the environment's variables have no effect. */
  proxy: URL | null;
};

/** The address may not be connected to; the message is for the delivery log. */
export class AddressRefusedError extends Error {
  override readonly name = "RefusedAddress";
}

/** A proxy that would not open a tunnel. */
export class ProxyRefusedError extends Error {
  override readonly name = "ProxyRefusal";
}

export type Agents = { http: http.Agent; https: https.Agent };
export type Connections = {
  /** Keeps connections open for the next delivery to the same host and port. */
  pooled: Agents;
  /** Opens a connection for one request: surely fresh, where a pooled one turned out stale. */
  single: Agents;
  close(): void;
};

/** An unused connection is closed after this; longer than an attempt may last. */
const IDLE_MS = 15_000;
const FREE_PER_HOST = 16;
const TUNNEL_TIMEOUT_MS = 8_000;

/**
 * No limit on a host's sockets here: whoever sends bounds what is under way per partner, and a queue inside the
 * agent would let one partner's hanging receiver hold up another's behind the same host. Throws an OperatorError when
 * the authorities or the proxy can't be used.
 */
export function openConnections(settings: NetworkSettings): Connections {
  if (settings.proxy && settings.proxy.protocol !== "http:") {
    throw new OperatorError(
      `a proxy with ${settings.proxy.protocol} can't be used for webhooks`,
      "name it as http://host:port; https receivers are reached through it by CONNECT",
    );
  }
  const secureContext = tls.createSecureContext({ ca: authorities(settings.extraAuthorities) });
  // Said aloud, since the environment's NODE_TLS_REJECT_UNAUTHORIZED would else decide it.
  const secure = { secureContext, rejectUnauthorized: true };
  const agents = (keepAlive: boolean): Agents => {
    const options = { keepAlive, timeout: IDLE_MS, maxFreeSockets: FREE_PER_HOST };
    if (settings.proxy) {
      return {
        http: new http.Agent(options),
        https: new TunnelAgent({ ...options, ...secure }, settings.proxy),
      };
    }
    const lookup = permittedLookup(settings);
    return {
      http: new http.Agent({ ...options, lookup }),
      https: new https.Agent({ ...options, lookup, ...secure }),
    };
  };
  const [pooled, single] = [agents(true), agents(false)];
  return {
    pooled,
    single,
    close: () => {
      pooled.http.destroy();
      pooled.https.destroy();
    },
  };
}

/** The addresses of a host that may be connected to, at least one. Rejects with RefusedAddress when it has only others. */
export async function permittedAddresses(hostname: string, settings: NetworkSettings): Promise<string[]> {
  const addresses = isIP(hostname) ? [hostname] : await settings.resolve(hostname);
  const refusals = addresses.map((address) => addressRefusal(address, settings.policy()));
  const vetted = addresses.filter((_, i) => refusals[i] === undefined);
  if (vetted.length === 0) throw new AddressRefusedError(refusals[0] ?? `${hostname} has no address`);
  return vetted;
}

export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (!proxy.username) return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** A host as sockets take it: an IPv6 address without the URL's brackets. */
export function socketHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function authorities(extra: string | null): string[] {
  const known = [...tls.getCACertificates("bundled"), ...tls.getCACertificates("system")];
  if (extra === null) return known;
  try {
    // The TLS library takes a file with a key and no certificate without a word.
    new X509Certificate(extra);
    tls.createSecureContext({ ca: [extra] });
  } catch {
    throw new OperatorError(
      "the additional certificate authorities for webhooks are no PEM certificates",
      "the file begins with -----BEGIN CERTIFICATE-----",
    );
  }
  return [...known, extra];
}

/** What the socket connects to is what was vetted: nothing looks the name up a second time. */
function permittedLookup(settings: NetworkSettings): LookupFunction {
  return (hostname, options, callback) => {
    permittedAddresses(hostname, settings).then(
      (vetted) => {
        const found = vetted.map((address) => ({ address, family: isIP(address) }));
        if (options.all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error) => callback(error, []),
    );
  };
}

type Created = (error: Error | null, stream: Duplex) => void;

/**
 * HTTPS through a proxy's CONNECT: the proxy sees the host's name and port, and ciphertext. Not `https-proxy-agent`, as of
 * 9.1.0: it verifies the receiver by the request's authorities instead of the agent's, hands a proxy's refusal out as the
 * receiver's answer, and waits for the proxy without an end.
 */
class TunnelAgent extends https.Agent {
  constructor(
    options: https.AgentOptions,
    private readonly proxy: URL,
  ) {
    super(options);
  }

  override createConnection(options: https.RequestOptions, created: Created): undefined {
    const host = String(options.host);
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${options.port}`;
    const failed = (error: Error) => created(error, undefined as never);
    const request = http.request({
      host: socketHost(this.proxy),
      port: this.proxy.port || 80,
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...proxyAuthorization(this.proxy) },
      agent: false,
      timeout: TUNNEL_TIMEOUT_MS,
    });
    request.on("connect", (response, socket) => {
      if (response.statusCode === 200) {
        socket.setTimeout(0);
        const { secureContext, rejectUnauthorized } = this.options as tls.ConnectionOptions;
        const servername = isIP(host) ? undefined : host;
        created(null, tls.connect({ socket, host, servername, secureContext, rejectUnauthorized }));
        return;
      }
      socket.destroy();
      failed(new ProxyRefusedError(`the proxy answered ${response.statusCode} when asked for ${authority}`));
    });
    request.on("timeout", () => request.destroy(new ProxyRefusedError("the proxy did not answer")));
    request.on("error", failed);
    request.end();
    return undefined;
  }
}
