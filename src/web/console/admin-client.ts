import type { ConsoleSessionJson } from "../../wire/console-session.ts";
import { ApiFailure, failureOf, OFFLINE } from "../browser/api-failure.ts";

/** Below this, beside the page's own address, stand the administrators' operations, where its cookie opens them. */
export const ROOT = "console";

/** Asks the administrators' operations with the console's cookie, and signs changes against forgery. */
export class AdminClient {
  constructor(
    readonly session: ConsoleSessionJson,
    /** Told when the session has ended. */
    private readonly onSignedOut: (failure: ApiFailure) => void,
  ) {}

  /** The JSON at an address. Throws an ApiFailure. */
  read<T>(path: string): Promise<T> {
    return this.#send<T>(path, {});
  }

  /** A change; its JSON answer. Throws an ApiFailure. */
  write<T>(method: "POST" | "PUT", path: string, body?: unknown): Promise<T> {
    return this.#send<T>(path, { ...jsonOf(body), method });
  }

  async #send<T>(path: string, options: RequestInit): Promise<T> {
    const token = { "x-csrf-token": this.session.csrf_token ?? "" };
    try {
      return await ask<T>(path, { ...options, headers: { ...options.headers, ...token } });
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.kind === "signed_out") this.onSignedOut(thrown);
      throw thrown;
    }
  }
}

/** Who is signed in, by the cookie alone. Throws an ApiFailure. */
export const readSession = () => ask<ConsoleSessionJson>("/session", {});

/** Throws an ApiFailure when the key is not good. */
export const signIn = (adminKey: string) =>
  ask<ConsoleSessionJson>("/session", { ...jsonOf({ admin_key: adminKey }), method: "POST" });

const jsonOf = (body: unknown): RequestInit =>
  body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };

async function ask<T>(path: string, options: RequestInit): Promise<T> {
  const answer = await fetch(ROOT + path, { ...options, cache: "no-store" }).catch(() => {
    throw new ApiFailure("offline", OFFLINE);
  });
  if (!answer.ok) throw await failureOf(answer);
  return await answer.json().catch(() => {
    throw new ApiFailure("offline", OFFLINE);
  });
}
