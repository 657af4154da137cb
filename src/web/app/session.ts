import { ApiFailure, failureOf, OFFLINE } from "../browser/api-failure.ts";

/**
 * The credentials of a tab, in its sessionStorage: they survive a reload, and are removed when the tab is closed. A client
 * secret is never stored, only its access token; the secret stays in memory, to renew the token while the page is open.
 */
type Kept = { apiKey: string } | { token: string; expiresAt: number };

const NAME = "mainstay.session";
/** A token is renewed this long before it expires. */
const RENEWED_BEFORE_MS = 5 * 60_000;

export type ClientCredentials = { clientId: string; clientSecret: string };

export class Session {
  #kept: Kept;
  #client: ClientCredentials | undefined;
  readonly #root: string;
  #renewal: Promise<void> | undefined;

  private constructor(root: string, kept: Kept, client?: ClientCredentials) {
    this.#root = root;
    this.#kept = kept;
    this.#client = client;
    sessionStorage.setItem(NAME, JSON.stringify(kept));
  }

  /** Restores the session of this tab after a reload. */
  static resumed(root: string): Session | undefined {
    try {
      const kept = JSON.parse(sessionStorage.getItem(NAME) ?? "null") as Kept | null;
      return kept === null ? undefined : new Session(root, kept);
    } catch {
      return undefined;
    }
  }

  static withKey(root: string, apiKey: string): Session {
    return new Session(root, { apiKey });
  }

  /** Throws an ApiFailure if the client is unknown. */
  static async withClient(root: string, client: ClientCredentials): Promise<Session> {
    return new Session(root, await boughtToken(root, client), client);
  }

  /** Returns the authentication headers. Renews a token that is about to expire, if the secret is in memory. */
  async headers(): Promise<Record<string, string>> {
    if ("apiKey" in this.#kept) return { "x-api-key": this.#kept.apiKey };
    if (this.#client && this.#kept.expiresAt - Date.now() < RENEWED_BEFORE_MS) {
      this.#renewal ??= this.#renew(this.#client).finally(() => {
        this.#renewal = undefined;
      });
      await this.#renewal;
    }
    return { authorization: `Bearer ${this.#kept.token}` };
  }

  /** A message for a call that was refused. */
  get whyEnded(): string {
    return "apiKey" in this.#kept
      ? "Your API key is no longer valid: it was replaced, or the account was closed. Sign in with the current key."
      : "Your session has expired or was revoked. Sign in to continue.";
  }

  end(): void {
    sessionStorage.removeItem(NAME);
    this.#client = undefined;
  }

  async #renew(client: ClientCredentials): Promise<void> {
    this.#kept = await boughtToken(this.#root, client);
    sessionStorage.setItem(NAME, JSON.stringify(this.#kept));
  }
}

async function boughtToken(root: string, { clientId, clientSecret }: ClientCredentials): Promise<Kept> {
  const asked = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const answer = await fetch(`${root}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams(asked),
    cache: "no-store",
  }).catch(() => {
    throw new ApiFailure("offline", OFFLINE);
  });
  if (!answer.ok) throw await failureOf(answer);
  const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number };
  return { token: access_token, expiresAt: Date.now() + expires_in * 1000 };
}
