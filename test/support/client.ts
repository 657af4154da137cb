import { expect } from "bun:test";
import { checkDocumented } from "./contract.ts";
import type { Reply } from "./reply.ts";
import { recordOutput, recordSecretsIn } from "./secret-record.ts";

/** The headers with the caller's credential. */
export type Credential = Readonly<Record<string, string>>;

export type Method = "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "DELETE" | "PATCH";

export type Asking = {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged in place of `body`. */
  raw?: BodyInit;
  headers?: Record<string, string>;
  query?: Readonly<Record<string, string | number>>;
};

const RATE_LIMIT_HEADERS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

/** A client that calls a server as a partner's program does. Each call names the status that it expects. */
export class ApiClient {
  constructor(
    private readonly url: () => string,
    readonly credential: Credential,
    private readonly serverLog: () => string,
  ) {}

  get(path: string, query: Asking["query"] = {}, status = 200): Promise<Reply> {
    return this.ask("GET", path, status, { query });
  }

  post(path: string, body: unknown, status = 201, headers: Record<string, string> = {}): Promise<Reply> {
    return this.ask("POST", path, status, { body, headers });
  }

  put(path: string, body: unknown, status = 200): Promise<Reply> {
    return this.ask("PUT", path, status, { body });
  }

  /** Throws an error with the server's answer and log where the status is not the expected one. */
  async ask(method: Method, path: string, status: number, asking: Asking = {}): Promise<Reply> {
    const reply = await this.send(method, path, asking);
    if (reply.status === status) return reply;
    throw new Error(
      `${method} ${path} answered ${reply.status}, not ${status}: ${reply.text.slice(0, 2000)}\n` +
        `Asked: ${JSON.stringify(asking).slice(0, 2000)}\nThe server's log:\n${this.serverLog()}`,
    );
  }

  /** Returns the answer whatever its status. Every response that a test sees comes through here. */
  async send(
    method: Method,
    path: string,
    { body, raw, headers = {}, query = {} }: Asking = {},
  ): Promise<Reply> {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const response = await fetch(`${this.url()}${path}${search.size > 0 ? `?${search}` : ""}`, {
      method,
      redirect: "manual",
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...this.credential,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
    });
    const text = await response.text();
    // The answers that contain a credential.
    if (path.includes("/oauth/token") || path.includes("/admin/")) recordSecretsIn(text);
    if (response.status >= 400) recordOutput(text);
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const reply: Reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
    checkContract(method, path, reply, headers.accept === "text/html");
    return reply;
  }
}

/** Requests a bearer token with a partner's client credentials. */
export async function requestToken(
  url: string,
  { client_id, client_secret }: { client_id: string; client_secret: string },
): Promise<string> {
  const client = new ApiClient(
    () => url,
    {},
    () => "",
  );
  const body = { grant_type: "client_credentials", client_id, client_secret };
  return (await client.ask("POST", "/oauth/token", 200, { body })).body.access_token;
}

/** Checks what every answer promises. `body` has no matchers: Bun would write them into it. */
function checkContract(method: Method, path: string, reply: Reply, wantsPage: boolean): void {
  const { status, headers, body } = reply;
  const what = `${method} ${path}, answered ${status}`;
  const [bare = ""] = path.split("?", 1);
  const requestId = headers.get("x-request-id");
  expect(requestId, `the request id of ${what}`).toMatch(/^[\x20-\x7e]{1,128}$/);
  const hasErrorBody = status >= 400 && !bare.endsWith("/health") && method !== "HEAD";
  const isPage = wantsPage && headers.get("content-type")?.startsWith("text/html");
  if (hasErrorBody && !isPage) {
    expect(body?.error, `the error of ${what}`).toMatch(/./);
    expect(body?.code, `the error's code of ${what}`).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(body?.request_id, `the error's request id of ${what}`).toBe(requestId);
  }
  if (status === 401) expect(headers.get("www-authenticate"), `how to authenticate, of ${what}`).toBeTruthy();
  if (RATE_LIMIT_HEADERS.some((name) => headers.has(name))) checkRateLimitHeaders(headers);
  checkDocumented(method, path, reply);
}

function checkRateLimitHeaders(headers: Headers): void {
  expect(headers.get("x-ratelimit-limit")).toMatch(/^\d+$/);
  expect(headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
  expect(headers.get("x-ratelimit-reset")).toMatch(/^\d{4}-\d{2}-\d{2}T00:00:00\.000Z$/);
}
