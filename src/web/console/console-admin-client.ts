import type { ConsoleSessionJson } from "../../api-schemas/console-session-schema.ts";
import { ApiFailure, OFFLINE_MESSAGE, readApiFailure } from "../browser/browser-api-failure.ts";

/** The path, relative to the page, below which the admin API accepts the console's session cookie. */
export const ROOT = "console";

/** Calls the admin API with the console's cookie and its CSRF token. */
export class AdminClient {
  constructor(
    readonly session: ConsoleSessionJson,
    /** Called when the session has ended. */
    private readonly onSignedOut: (failure: ApiFailure) => void,
  ) {}

  /** Returns the JSON at a path. Throws an ApiFailure. */
  read<T>(path: string): Promise<T> {
    return this.#send<T>(path, {});
  }

  /** Sends a change and returns the JSON of the response. Throws an ApiFailure. */
  write<T>(method: "POST" | "PUT", path: string, body?: unknown): Promise<T> {
    return this.#send<T>(path, { ...jsonOf(body), method });
  }

  /** Returns the file at a path. Throws an ApiFailure. */
  readFile(path: string): Promise<Blob> {
    return this.#send(path, {}, (response) => response.blob());
  }

  async #send<T>(path: string, options: RequestInit, read?: ReadBody<T>): Promise<T> {
    const token = { "x-csrf-token": this.session.csrf_token ?? "" };
    try {
      return await request<T>(path, { ...options, headers: { ...options.headers, ...token } }, read);
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.kind === "unauthenticated") this.onSignedOut(thrown);
      throw thrown;
    }
  }
}

/** Returns the session that the cookie belongs to. Throws an ApiFailure. */
export const fetchConsolePageSession = () => request<ConsoleSessionJson>("/session", {});

/** Opens a session. Throws an ApiFailure when the key is invalid. */
export const fetchConsoleSession = (adminKey: string) =>
  request<ConsoleSessionJson>("/session", { ...jsonOf({ admin_key: adminKey }), method: "POST" });

const jsonOf = (body: unknown): RequestInit =>
  body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };

type ReadBody<T> = (response: Response) => Promise<T>;

async function request<T>(
  path: string,
  options: RequestInit,
  read: ReadBody<T> = (response) => response.json(),
): Promise<T> {
  const response = await fetch(ROOT + path, { ...options, cache: "no-store" }).catch(() => {
    throw new ApiFailure("offline", OFFLINE_MESSAGE);
  });
  if (!response.ok) throw await readApiFailure(response);
  return await read(response).catch(() => {
    throw new ApiFailure("offline", OFFLINE_MESSAGE);
  });
}
