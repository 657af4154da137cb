import { ApiFailure, OFFLINE_MESSAGE, readApiFailure } from "./browser-api-failure.ts";

/** The daily call limit and the calls that remain, from the headers of the last response. */
export type CallLimit = { limit: number; remaining: number; resetsAt: string };

type CachedResponse = { etag: string | null; value: unknown; readAt: number };

/** The time for which a response is reused without a request. Scores change daily. */
const FRESH_MS = 5 * 60_000;
/** The longest `Retry-After` that is waited for: the minute of a rate limit. */
const MAX_WAIT_S = 60;
const MAX_ATTEMPTS = 3;

/**
 * Calls the API with as few requests as possible. Responses are kept in memory, reused while they are fresh, and
 * revalidated by ETag after that. The browser's own cache is bypassed: it would outlive the tab.
 */
export class ApiClient {
  readonly #cache = new Map<string, CachedResponse>();
  readonly #pending = new Map<string, Promise<unknown>>();
  /** Incremented on refresh. A response to an earlier request is not kept. */
  #generation = 0;
  readonly #listeners = new Set<() => void>();
  /** Undefined until a response has stated it. */
  callLimit: CallLimit | undefined;
  /** While calls wait for the rate limit: the end of the wait, in epoch milliseconds. */
  rateLimitedUntil: number | undefined;

  constructor(
    /** The base path of the API, such as `/api`. */
    readonly root: string,
    /** Returns the authentication headers; may request a token first. */
    private readonly credentials: () => Promise<Readonly<Record<string, string>>>,
    /** Called when the credentials are no longer accepted. */
    private readonly onSignedOut: (failure: ApiFailure) => void = () => {},
    private readonly now: () => number = () => Date.now(),
  ) {}

  /** Calls the listener when `callLimit` or `rateLimitedUntil` has changed. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns a response that is still fresh. */
  cached<T>(path: string): T | undefined {
    const entry = this.#cache.get(path);
    return entry && this.now() - entry.readAt < FRESH_MS ? (entry.value as T) : undefined;
  }

  /** Returns JSON. Throws an ApiFailure. */
  async read<T>(path: string): Promise<T> {
    return (await this.#read(path, jsonOf)) as T;
  }

  /** Returns JSON as it is now, also if an earlier response is still fresh. Throws an ApiFailure. */
  async readNow<T>(path: string): Promise<T> {
    return (await this.#request(path, jsonOf)) as T;
  }

  /** Returns text, such as CSV. Throws an ApiFailure. */
  async readText(path: string): Promise<string> {
    return (await this.#read(path, textOf)) as string;
  }

  async #read(path: string, read: (response: Response) => Promise<unknown>): Promise<unknown> {
    const fresh = this.cached<unknown>(path);
    if (fresh !== undefined) return fresh;
    const pending = this.#pending.get(path);
    if (pending) return await pending;
    const request = this.#request(path, read).finally(() => {
      if (this.#pending.get(path) === request) this.#pending.delete(path);
    });
    this.#pending.set(path, request);
    return await request;
  }

  /** Marks all responses as stale, including those of requests in progress. */
  refresh(): void {
    this.#generation++;
    this.#pending.clear();
    for (const entry of this.#cache.values()) entry.readAt = Number.NEGATIVE_INFINITY;
  }

  /** Discards all responses, for the next user of the tab. */
  clear(): void {
    this.refresh();
    this.#cache.clear();
    this.callLimit = undefined;
    this.#notify();
  }

  /** Sends a change, and marks all responses as stale. Returns the JSON of the response. Throws an ApiFailure. */
  async write<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T> {
    const init =
      body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await this.#send(path, { method, ...init });
    this.refresh();
    return (await jsonOf(response)) as T;
  }

  /** Downloads a file that requires authentication, which a link could not send. Throws an ApiFailure. */
  async readFile(path: string): Promise<Blob> {
    return await (await this.#send(path, {})).blob();
  }

  async #request(path: string, read: (response: Response) => Promise<unknown>): Promise<unknown> {
    const entry = this.#cache.get(path);
    const generation = this.#generation;
    const condition: Record<string, string> = entry?.etag ? { "if-none-match": entry.etag } : {};
    const response = await this.#send(path, { headers: condition });
    const value = response.status === 304 ? entry!.value : await read(response);
    const etag = response.headers.get("etag") ?? entry?.etag ?? null;
    if (generation === this.#generation) this.#cache.set(path, { etag, value, readAt: this.now() });
    return value;
  }

  async #send(path: string, options: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const headers = { accept: "application/json", ...options.headers, ...(await this.credentials()) };
      const response = await fetchOrFail(this.root + path, { ...options, headers, cache: "no-store" });
      this.#readCallLimit(response);
      if (response.ok || response.status === 304) return response;
      const failure = await readApiFailure(response);
      if (failure.kind === "unauthenticated") this.onSignedOut(failure);
      const waitS = failure.kind === "rate_limited" ? failure.retryAfterS : undefined;
      if (waitS === undefined || waitS > MAX_WAIT_S || attempt === MAX_ATTEMPTS) throw failure;
      await this.#wait(waitS);
    }
  }

  async #wait(seconds: number): Promise<void> {
    this.rateLimitedUntil = this.now() + seconds * 1000;
    this.#notify();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    this.rateLimitedUntil = undefined;
    this.#notify();
  }

  #readCallLimit({ headers }: Response): void {
    const limit = headers.get("x-ratelimit-limit");
    if (limit !== null)
      this.callLimit = {
        limit: Number(limit),
        remaining: Number(headers.get("x-ratelimit-remaining")),
        resetsAt: headers.get("x-ratelimit-reset") ?? "",
      };
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function fetchOrFail(address: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(address, options);
  } catch {
    throw new ApiFailure("offline", OFFLINE_MESSAGE);
  }
}

const jsonOf = (response: Response) => readBody(() => response.json());
const textOf = (response: Response) => readBody(() => response.text());

/** Reads a body. One that is cut off means a lost connection. */
async function readBody(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch {
    throw new ApiFailure("offline", OFFLINE_MESSAGE);
  }
}
