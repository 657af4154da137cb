import { ApiFailure, failureOf, OFFLINE } from "./api-failure.ts";

/** What is left of the day's calls, as the last answer said. */
export type Budget = { limit: number; remaining: number; resetsAt: string };

type Held = { etag: string | null; value: unknown; readAt: number };

/** An answer is not asked for again so soon: scores move daily. */
const FRESH_MS = 5 * 60_000;
/** The longest that a call waits for its turn by itself: a minute, and what servers that share a database add to it. */
const LONGEST_WAIT_S = 66;
const ATTEMPTS = 3;

/**
 * Calls the API as any client does, and sparingly: what was read is kept for this page alone, given again while it is
 * fresh, and asked for with its ETag after that. Nothing is put into the browser's own cache, which would outlive the
 * tab.
 */
export class ApiClient {
  readonly #held = new Map<string, Held>();
  readonly #under = new Map<string, Promise<unknown>>();
  /** What was asked for before it rose is nothing to keep. */
  #era = 0;
  readonly #listeners = new Set<() => void>();
  /** The budget, once an answer has told it. */
  budget: Budget | undefined;
  /** Calls made since the page was opened. */
  calls = 0;
  /** Until when, in epoch milliseconds, calls wait because too many were made in a minute. */
  waitsUntil: number | undefined;

  constructor(
    /** What the addresses of operations are put behind, such as `/api`. */
    readonly root: string,
    /** The headers that say who calls; may ask for a token first. */
    private readonly credentials: () => Promise<Readonly<Record<string, string>>>,
    /** Told when the credentials have stopped to open anything. */
    private readonly onSignedOut: (failure: ApiFailure) => void = () => {},
    private readonly now: () => number = () => Date.now(),
  ) {}

  /** Told whenever the budget or the count of calls has changed. Returns what ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What was read before and is still fresh. */
  known<T>(path: string): T | undefined {
    const held = this.#held.get(path);
    return held && this.now() - held.readAt < FRESH_MS ? (held.value as T) : undefined;
  }

  /** The JSON at an address. Throws an ApiFailure. */
  async read<T>(path: string): Promise<T> {
    return (await this.#read(path, readJson)) as T;
  }

  /** The text at an address that answers with a table. Throws an ApiFailure. */
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

  /** From now on every address is asked for again, with its ETag, whatever is under way. */
  refresh(): void {
    this.#era++;
    this.#under.clear();
    for (const held of this.#held.values()) held.readAt = Number.NEGATIVE_INFINITY;
  }

  /** Forgets all that was read: it was somebody's. */
  forget(): void {
    this.refresh();
    this.#held.clear();
    this.budget = undefined;
    this.calls = 0;
    this.#tell();
  }

  /** A change. Its JSON answer; what was read before is asked for again. Throws an ApiFailure. */
  async write<T>(method: "POST" | "PUT", path: string, body?: unknown): Promise<T> {
    const sent =
      body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await this.#send(path, { method, ...sent });
    this.refresh();
    return (await answer.json()) as T;
  }

  /** A file that asks for credentials, which a link could not send. Throws an ApiFailure. */
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

/** A body that breaks off is a connection that did. */
async function whole(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch {
    throw new ApiFailure("offline", OFFLINE);
  }
}
