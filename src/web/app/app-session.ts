import { ApiFailure, OFFLINE_MESSAGE, readApiFailure } from "../browser/browser-api-failure.ts";

/**
 * The credentials of a tab, in its sessionStorage: they survive a reload, and are removed when the tab is closed. A client
 * secret is never stored, only its access token; the secret stays in memory, to renew the token while the page is open.
 */
type StoredCredentials = { apiKey: string } | { token: string; expiresAt: number };

const STORAGE_KEY = "mainstay.session";
/** A token is renewed this long before it expires. */
const RENEW_BEFORE_MS = 5 * 60_000;

type ClientCredentials = { clientId: string; clientSecret: string };

/** The app's session: its credentials in the tab's storage, and the bearer token that is renewed before it expires. */
export class AppSession {
  #stored: StoredCredentials;
  #client: ClientCredentials | undefined;
  readonly #root: string;
  #renewal: Promise<void> | undefined;

  private constructor(root: string, stored: StoredCredentials, client?: ClientCredentials) {
    this.#root = root;
    this.#stored = stored;
    this.#client = client;
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(stored));
  }

  /** Restores the session of this tab after a reload. */
  static restored(root: string): AppSession | undefined {
    try {
      const stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as StoredCredentials | null;
      return stored === null ? undefined : new AppSession(root, stored);
    } catch {
      return undefined;
    }
  }

  static withKey(root: string, apiKey: string): AppSession {
    return new AppSession(root, { apiKey });
  }

  /** Throws an ApiFailure if the client is unknown. */
  static async withClient(root: string, client: ClientCredentials): Promise<AppSession> {
    return new AppSession(root, await requestToken(root, client), client);
  }

  /** Returns the authentication headers. Renews a token that is about to expire, if the secret is in memory. */
  async headers(): Promise<Record<string, string>> {
    if ("apiKey" in this.#stored) return { "x-api-key": this.#stored.apiKey };
    if (this.#client && this.#stored.expiresAt - Date.now() < RENEW_BEFORE_MS) {
      this.#renewal ??= this.#renew(this.#client).finally(() => {
        this.#renewal = undefined;
      });
      await this.#renewal;
    }
    return { authorization: `Bearer ${this.#stored.token}` };
  }

  /** A message for a call that was refused. */
  get endMessage(): string {
    return "apiKey" in this.#stored
      ? "Your API key is no longer valid: it was replaced, or the account was closed. Sign in with the current key."
      : "Your session has expired or was revoked. Sign in to continue.";
  }

  end(): void {
    sessionStorage.removeItem(STORAGE_KEY);
    this.#client = undefined;
  }

  async #renew(client: ClientCredentials): Promise<void> {
    this.#stored = await requestToken(this.#root, client);
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(this.#stored));
  }
}

async function requestToken(
  root: string,
  { clientId, clientSecret }: ClientCredentials,
): Promise<StoredCredentials> {
  const parameters = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const response = await fetch(`${root}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams(parameters),
    cache: "no-store",
  }).catch(() => {
    throw new ApiFailure("offline", OFFLINE_MESSAGE);
  });
  if (!response.ok) throw await readApiFailure(response);
  const { access_token, expires_in } = (await response.json()) as {
    access_token: string;
    expires_in: number;
  };
  return { token: access_token, expiresAt: Date.now() + expires_in * 1000 };
}
