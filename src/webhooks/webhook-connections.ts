import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { OperatorError } from "../domain/errors.ts";
import { hostWithoutBrackets } from "../ip-networks/ip-network.ts";
import { trustedTlsAuthorities } from "../tls/pem-files.ts";
import { type AddressPolicy, webhookAddressRefusal } from "./webhook-address-policy.ts";
import type { ResolveHost } from "./webhook-dns-resolver.ts";

export type NetworkSettings = {
  /** Called for every attempt, so that a change of the lists also applies to open connections. */
  policy: () => AddressPolicy;
  resolve: ResolveHost;
  /** PEM certificates to trust in addition to those of Bun and the system. */
  extraAuthorities: string | null;
  /** `http://[user:password@]host:port`. The proxy variables of the environment have no effect. */
  proxy: URL | null;
};

/** The address policy forbids the connection. The message is for the delivery log. */
export class AddressRefusedError extends Error {
  override readonly name = "AddressRefusedError";
}

/** The proxy did not open a tunnel. The message is for the delivery log. */
export class ProxyRefusedError extends Error {
  override readonly name = "ProxyRefusedError";
}

/** The agent for HTTPS is created at its first use. */
export type HttpAgents = { http: http.Agent; readonly https: https.Agent };
type Connections = {
  /** Keep connections open for the next delivery to the same host and port. */
  pooled: HttpAgents;
  /** Open a new connection for each request. Used to retry after a pooled connection turned out to be stale. */
  single: HttpAgents;
  close(): void;
};

/** After this time an idle connection is closed. Longer than an attempt can take. */
const IDLE_MS = 15_000;
const FREE_PER_HOST = 16;
/** A DNS answer has room for 4,000 addresses, all of which an endpoint could have checked and connected to. */
const ADDRESSES_PER_NAME = 16;
const TUNNEL_TIMEOUT_MS = 8_000;

/**
 * Opens the agents that deliveries are sent through. Throws an OperatorError if the proxy is not supported.
 *
 * The agents do not limit the sockets of a host. The delivery workers limit concurrency per partner; a queue in the
 * agent would let the hanging endpoint of one partner delay another partner behind the same host.
 */
export function openWebhookConnections(settings: NetworkSettings): Connections {
  if (settings.proxy && settings.proxy.protocol !== "http:") {
    throw new OperatorError(
      `webhooks.proxy does not support ${settings.proxy.protocol}`,
      "Use http://host:port. HTTPS endpoints are reached through it with CONNECT.",
    );
  }
  // Explicit, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED would otherwise decide.
  let secured: { secureContext: tls.SecureContext; rejectUnauthorized: true } | undefined;
  const secure = () =>
    (secured ??= {
      secureContext: tls.createSecureContext({ ca: trustedTlsAuthorities(settings.extraAuthorities) }),
      rejectUnauthorized: true,
    });
  const agents = (keepAlive: boolean): HttpAgents => {
    const options = { keepAlive, timeout: IDLE_MS, maxFreeSockets: FREE_PER_HOST };
    const lookup = permittedLookup(settings);
    const { proxy } = settings;
    // Reading the authorities takes a tenth of a server's start, and without an HTTPS endpoint nothing needs them.
    let agent: https.Agent | undefined;
    const secureAgent = () =>
      (agent ??= proxy
        ? new TunnelAgent({ ...options, ...secure() }, proxy)
        : new https.Agent({ ...options, lookup, ...secure() }));
    return {
      http: new http.Agent(proxy ? options : { ...options, lookup }),
      get https() {
        return secureAgent();
      },
    };
  };
  const [pooled, single] = [agents(true), agents(false)];
  return {
    pooled,
    single,
    close: () => {
      pooled.http.destroy();
      if (secured) pooled.https.destroy();
    },
  };
}

/**
 * Returns those of the first addresses of a host that the policy permits, at least one. Rejects with AddressRefusedError
 * otherwise.
 */
export async function resolvePermittedWebhookAddresses(
  hostname: string,
  settings: NetworkSettings,
): Promise<string[]> {
  const addresses = isIP(hostname)
    ? [hostname]
    : (await settings.resolve(hostname)).slice(0, ADDRESSES_PER_NAME);
  const refusals = addresses.map((address) => webhookAddressRefusal(address, settings.policy()));
  const permitted = addresses.filter((_, i) => refusals[i] === undefined);
  if (permitted.length === 0)
    throw new AddressRefusedError(refusals[0] ?? `no address found for ${hostname}`);
  return permitted;
}

export function webhookProxyAuthorization(proxy: URL): Record<string, string> {
  if (!proxy.username) return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** Resolves a host to its permitted addresses for the socket itself, so that no second lookup can return others. */
function permittedLookup(settings: NetworkSettings): LookupFunction {
  return (hostname, options, callback) => {
    resolvePermittedWebhookAddresses(hostname, settings).then(
      (permitted) => {
        const found = permitted.map((address) => ({ address, family: isIP(address) }));
        if (options.all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error) => callback(error, []),
    );
  };
}

type Created = (error: Error | null, stream: Duplex) => void;

/**
 * Sends HTTPS through a proxy with CONNECT: the proxy sees the host name, the port, and ciphertext.
 *
 * `https-proxy-agent` 9.1.0 is not an option: it verifies the endpoint by the authorities of the request instead of
 * those of the agent, returns a refusal by the proxy as the response of the endpoint, and has no timeout for the proxy.
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
      host: hostWithoutBrackets(this.proxy),
      port: this.proxy.port || 80,
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...webhookProxyAuthorization(this.proxy) },
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
      failed(
        new ProxyRefusedError(`proxy responded with HTTP ${response.statusCode} to CONNECT ${authority}`),
      );
    });
    request.on("timeout", () => request.destroy(new ProxyRefusedError("no response from the proxy")));
    request.on("error", failed);
    request.end();
    return undefined;
  }
}
