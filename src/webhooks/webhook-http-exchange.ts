import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type Socket } from "node:net";
import { hostWithoutBrackets } from "../ip-networks/ip-network.ts";
import type { SendRequest } from "./attempt-webhook-delivery.ts";
import { webhookAddressRefusal } from "./webhook-address-policy.ts";
import {
  AddressRefusedError,
  type HttpAgents,
  type NetworkSettings,
  resolvePermittedWebhookAddresses,
  webhookProxyAuthorization,
} from "./webhook-connections.ts";
import {
  type ExchangePhase,
  ExchangeTimeout,
  webhookFailureMessage,
  webhookStatusFailureMessage,
} from "./webhook-failure-messages.ts";

type ExchangeResult = {
  statusCode: number | null;
  error: string | null;
  responseHead: string;
  address: string | null;
  /** A pooled connection broke before any byte of a response: the endpoint had closed it in the meantime. */
  isStale: boolean;
};

const HEAD_BYTES = 1024;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** The error codes of a write to a connection that the other side has closed. */
const CLOSED_CODES: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"]);

/** Sends one request and reads its response. Never rejects; resolves within `timeoutMs`. */
export function exchangeWebhookHttp(
  request: SendRequest,
  timeoutMs: number,
  settings: NetworkSettings,
  agents: HttpAgents,
): Promise<ExchangeResult> {
  return new Promise((resolve) => new Exchange(request, settings, agents, resolve).start(timeoutMs));
}

class Exchange {
  private isSettled = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private outgoing: ClientRequest | undefined;
  private response: IncomingMessage | undefined;
  private address: string | null = null;
  /** The number of bytes that the connection had received before this request. */
  private bytesBefore = 0;
  private bytesRead = 0;
  private head = "";
  private readonly decoder = new TextDecoder();
  private socket: Socket | undefined;
  private readonly count = () => this.countBytes();

  constructor(
    private readonly request: SendRequest,
    private readonly settings: NetworkSettings,
    private readonly agents: HttpAgents,
    private readonly resolve: (exchanged: ExchangeResult) => void,
  ) {}

  start(timeoutMs: number): void {
    this.timer = setTimeout(
      () => this.finish(new ExchangeTimeout(this.phase(), this.request.timeoutMs)),
      timeoutMs,
    );
    this.open().catch((error) => this.finish(error));
  }

  private async open(): Promise<void> {
    const target = parseTarget(this.request.url);
    await checkTarget(target, this.settings);
    if (this.isSettled) return;
    const outgoing = openRequest(target, this.request, this.settings.proxy, this.agents);
    this.outgoing = outgoing;
    outgoing.on("socket", (socket) => this.onSocket(socket));
    outgoing.on("response", (response) => this.onResponse(response));
    outgoing.on("upgrade", (response, socket) => {
      this.response = response;
      socket.destroy();
      this.finish();
    });
    // Not removed: a destroyed request may still emit an error, which nothing else would catch.
    outgoing.on("error", (error) => {
      // The parser reports bytes behind a response before the response emits its data.
      if (this.isComplete()) setImmediate(() => this.finish());
      else this.finish(error);
    });
    outgoing.end(this.request.body);
  }

  private onSocket(socket: Socket): void {
    this.bytesBefore = socket.bytesRead;
    this.socket = socket;
    socket.on("data", this.count);
    if (socket.connecting) {
      socket.once("connect", () => {
        this.address = socket.remoteAddress ?? null;
      });
      return;
    }
    this.address = socket.remoteAddress ?? null;
    if (this.settings.proxy || this.address === null) return;
    const refusal = webhookAddressRefusal(this.address, this.settings.policy());
    if (refusal) this.finish(new AddressRefusedError(refusal));
  }

  private onResponse(response: IncomingMessage): void {
    this.response = response;
    response.on("data", (chunk: Buffer) => {
      if (this.bytesRead < HEAD_BYTES) {
        this.head += this.decoder.decode(chunk.subarray(0, HEAD_BYTES - this.bytesRead), { stream: true });
      }
      this.bytesRead += chunk.length;
    });
    response.on("end", () => this.finish());
    response.on("error", (error) => this.finish(error));
  }

  /**
   * Limits all bytes of a response, not only those of its body. An endpoint could send interim responses, chunk headers
   * or trailers without end.
   */
  private countBytes(): void {
    if (this.socket!.bytesRead - this.bytesBefore <= MAX_RESPONSE_BYTES) return;
    this.socket!.off("data", this.count);
    // Node emits the data of the response after that of its socket.
    setImmediate(() => this.finish(this.response ? undefined : new Error("response headers exceed 64 KiB")));
  }

  /** Settles the exchange once. Without an error, the status of the response decides its result. */
  private finish(error?: unknown): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.timer);
    this.socket?.off("data", this.count);
    const isStale = error !== undefined && this.brokeBeforeResponse(error);
    if (!this.response?.complete) this.outgoing?.destroy();
    const statusCode = this.response?.statusCode ?? null;
    this.resolve({
      statusCode,
      error:
        error === undefined
          ? webhookStatusFailureMessage(statusCode ?? 0)
          : webhookFailureMessage(error, hostnameOf(this.request.url)),
      responseHead: this.head.replaceAll("\0", "\uFFFD"), // PostgreSQL's text takes no NUL
      address: this.address ?? (error as { address?: string } | undefined)?.address ?? null,
      isStale,
    });
  }

  /**
   * Some endpoints send a body with a 204, or a longer one than its length says, such as that in characters. The parser
   * reports the rest as an error.
   */
  private isComplete(): boolean {
    return this.response?.complete === true;
  }

  private brokeBeforeResponse(error: unknown): boolean {
    const { outgoing } = this;
    return (
      outgoing?.reusedSocket === true &&
      outgoing.socket?.bytesRead === this.bytesBefore &&
      CLOSED_CODES.has((error as { code?: unknown }).code)
    );
  }

  private phase(): ExchangePhase {
    if (this.response) return "complete response";
    return this.outgoing?.socket && !this.outgoing.socket.connecting ? "response" : "connection";
  }
}

function openRequest(
  target: URL,
  request: SendRequest,
  proxy: URL | null,
  agents: HttpAgents,
): ClientRequest {
  const headers: Record<string, string> = {
    ...request.headers,
    "accept-encoding": "identity",
    "content-length": String(request.body.length),
  };
  const method = "POST";
  const auth = target.username
    ? `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`
    : undefined;
  const path = target.pathname + target.search;
  if (target.protocol === "https:") {
    const [host, port] = [hostWithoutBrackets(target), target.port || 443];
    return https.request({ host, port, path, method, headers, auth, agent: agents.https });
  }
  if (!proxy) {
    const [host, port] = [hostWithoutBrackets(target), target.port || 80];
    return http.request({ host, port, path, method, headers, auth, agent: agents.http });
  }
  return http.request({
    host: hostWithoutBrackets(proxy),
    port: proxy.port || 80,
    path: `http://${target.host}${path}`,
    method,
    headers: { ...headers, host: target.host, ...webhookProxyAuthorization(proxy) },
    auth,
    agent: agents.http,
  });
}

/**
 * Applies the address policy where the lookup of the connection does not: to an IP address in the URL, and to all hosts
 * behind a proxy. A name that only the proxy can resolve is permitted unless there is an allow list.
 */
async function checkTarget(target: URL, settings: NetworkSettings): Promise<void> {
  const host = hostWithoutBrackets(target);
  if (isIP(host)) await resolvePermittedWebhookAddresses(host, settings);
  else if (settings.proxy) {
    await resolvePermittedWebhookAddresses(host, settings).catch((error) => {
      if (error instanceof AddressRefusedError) throw error;
      if (settings.policy().allow.length > 0) {
        throw new AddressRefusedError(`cannot resolve ${host}, so webhooks.allow_networks cannot be applied`);
      }
    });
  }
}

function parseTarget(url: string): URL {
  const target = URL.parse(url);
  if (target?.protocol !== "http:" && target?.protocol !== "https:") {
    throw new Error("the webhook URL is not an http:// or https:// URL");
  }
  return target;
}

function hostnameOf(url: string): string {
  return URL.parse(url)?.hostname ?? "the endpoint";
}
