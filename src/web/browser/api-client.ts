import { ApiFailure, failureOf, OFFLINE } from "./api-failure.ts";

/** The daily call limit and the calls that remain, from the headers of the last response. */
export type Budget = { limit: number; remaining: number; resetsAt: string };

type Held = { etag: string | null; value: unknown; readAt: number };

/** The time for which a response is reused without a request. Scores change daily. */
const FRESH_MS = 5 * 60_000;
/** The longest `Retry-After` that is waited for: a minute, plus what servers that share a database add to it. */
const LONGEST_WAIT_S = 66;
const ATTEMPTS = 3;

/**
 * Calls the API with as few requests as possible. Responses are kept in memory, reused while they are fresh, and
 * revalidated by ETag after that. The browser's own cache is bypassed: it would outlive the tab.
 */
export class ApiClient {
  readonly #held = new Map<string, Held>();
  readonly #under = new Map<string, Promise<unknown>>();
  /** Incremented on refresh. A response to an earlier request is not kept. */
  #era = 0;
  readonly #listeners = new Set<() => void>();
  /** Undefined until a response has stated it. */
  budget: Budget | undefined;
  /** The number of calls made since the page was opened. */
  calls = 0;
  /** While calls wait for the rate limit: the end of the wait, in epoch milliseconds. */
  waitsUntil: number | undefined;

  constructor(
    /** The base path of the API, such as `/api`. */
    readonly root: string,
    /** Returns the authentication headers; may request a token first. */
    private readonly credentials: () => Promise<Readonly<Record<string, string>>>,
    /** Called when the credentials are no longer accepted. */
    private readonly onSignedOut: (failure: ApiFailure) => void = () => {},
    private readonly now: () => number = () => Date.now(),
  ) {}

  /** Calls the listener when `budget`, `calls` or `waitsUntil` has changed. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns a response that is still fresh. */
  known<T>(path: string): T | undefined {
    const held = this.#held.get(path);
    return held && this.now() - held.readAt < FRESH_MS ? (held.value as T) : undefined;
  }

  /** Returns JSON. Throws an ApiFailure. */
  async read<T>(path: string): Promise<T> {
    return (await this.#read(path, readJson)) as T;
  }

  /** Returns text, such as CSV. Throws an ApiFailure. */
  async text(path: string): Promise<string> {
    return (await this.#read(path, readText)) as string;
  }

  async #read(path: string, read: (answer: Response) => Promise<unknown>): Promise<unknown> {
    const known = this.known<unknown>(path);
    if (known !== undefined) return known;
    const under = this.#under.get(path);
    if (under) return await under;
    const asked = this.#ask(path, read).finally(() => {
      if (this.#under.get(path) === asked) this.#under.delete(path);
    });
    this.#under.set(path, asked);
    return await asked;
  }

  /** Marks all responses as stale, including those of requests in progress. */
  refresh(): void {
    this.#era++;
    this.#under.clear();
    for (const held of this.#held.values()) held.readAt = Number.NEGATIVE_INFINITY;
  }

  /** Discards all responses, for the next user of the tab. */
  forget(): void {
    this.refresh();
    this.#held.clear();
    this.budget = undefined;
    this.calls = 0;
    this.#tell();
  }

  /** Sends a change, and marks all responses as stale. Returns the JSON of the response. Throws an ApiFailure. */
  async write<T>(method: "POST" | "PUT", path: string, body?: unknown): Promise<T> {
    const sent =
      body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await this.#send(path, { method, ...sent });
    this.refresh();
    return (await answer.json()) as T;
  }

  /** Downloads a file that requires authentication, which a link could not send. Throws an ApiFailure. */
  async file(path: string): Promise<Blob> {
    return await (await this.#send(path, {})).blob();
  }

  async #ask(path: string, read: (answer: Response) => Promise<unknown>): Promise<unknown> {
    const held = this.#held.get(path);
    const era = this.#era;
    const condition: Record<string, string> = held?.etag ? { "if-none-match": held.etag } : {};
    const answer = await this.#send(path, { headers: condition });
    const value = answer.status === 304 ? held!.value : await read(answer);
    const etag = answer.headers.get("etag") ?? held?.etag ?? null;
    if (era === this.#era) this.#held.set(path, { etag, value, readAt: this.now() });
    return value;
  }

  async #send(path: string, options: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const headers = { accept: "application/json", ...options.headers, ...(await this.credentials()) };
      this.calls++;
      const answer = await reach(this.root + path, { ...options, headers, cache: "no-store" });
      this.#note(answer);
      if (answer.ok || answer.status === 304) return answer;
      const failure = await failureOf(answer);
      if (failure.kind === "signed_out") this.onSignedOut(failure);
      const waitS = failure.kind === "too_fast" ? failure.retryAfterS : undefined;
      if (waitS === undefined || waitS > LONGEST_WAIT_S || attempt === ATTEMPTS) throw failure;
      await this.#wait(waitS);
    }
  }

  async #wait(seconds: number): Promise<void> {
    this.waitsUntil = this.now() + seconds * 1000;
    this.#tell();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    this.waitsUntil = undefined;
    this.#tell();
  }

  #note({ headers }: Response): void {
    const limit = headers.get("x-ratelimit-limit");
    if (limit !== null)
      this.budget = {
        limit: Number(limit),
        remaining: Number(headers.get("x-ratelimit-remaining")),
        resetsAt: headers.get("x-ratelimit-reset") ?? "",
      };
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function reach(address: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(address, options);
  } catch {
    throw new ApiFailure("offline", OFFLINE);
  }
}

const readJson = (answer: Response) => whole(() => answer.json());
const readText = (answer: Response) => whole(() => answer.text());

/** Reads a body. One that is cut off means a lost connection. */
async function whole(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch {
    throw new ApiFailure("offline", OFFLINE);
  }
}
