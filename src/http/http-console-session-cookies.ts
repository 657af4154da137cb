import { LRUCache } from "lru-cache";
import { Failure } from "../domain/errors.ts";
import type { FillRandom } from "../domain/ids/record-ids.ts";
import type { Administrator } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import { hashSecret, secretsEqual } from "../secrets/secret-hash.ts";
import type { Store } from "../store/store.ts";
import { httpUnauthorizedFailure } from "./authenticator.ts";
import { CONSOLE } from "./http-operation.ts";

/** The session of an administrator who is signed in to the console. */
type ConsoleSession = {
  administrator: Administrator;
  /** Every change must send this token in a header: another site can make a browser send the cookie, but not this. */
  csrfToken: string;
  expiresAt: Instant;
};

const COOKIE = "mainstay_console";
/** The header with the CSRF token. */
const CSRF_HEADER = "x-csrf-token";
const LIFETIME_MS = 12 * 3_600_000;
const MAX_SESSIONS = 1000;
const TOKEN_BYTES = 32;

const EXPIRED = "Your session has ended. Sign in again.";

/** A session as it is stored, under the hash of the token in its cookie. */
type StoredSession = { keyHash: string; csrfToken: string; expiresAt: Instant };

type SessionStore = {
  get(tokenHash: string): Promise<StoredSession | undefined>;
  set(tokenHash: string, session: StoredSession): Promise<void>;
  delete(tokenHash: string): Promise<void>;
};

/** Stores sessions in memory, so that a restart ends all of them. */
function inMemory(): SessionStore {
  const sessions = new LRUCache<string, StoredSession>({ max: MAX_SESSIONS });
  return {
    get: async (tokenHash) => sessions.get(tokenHash),
    set: async (tokenHash, session) => void sessions.set(tokenHash, session),
    delete: async (tokenHash) => void sessions.delete(tokenHash),
  };
}

/** Stores sessions in a shared database, because the next request may reach another server. */
function inDatabase(store: Store, clock: () => Instant): SessionStore {
  return {
    get: (tokenHash) => store.read.consoleSessions.find(tokenHash),
    set: (tokenHash, session) =>
      store.write((tx) => tx.consoleSessions.begin({ ...session, tokenHash }, clock())),
    delete: (tokenHash) => store.write((tx) => tx.consoleSessions.end(tokenHash)),
  };
}

/** The sessions of the console. Each request looks the key up, so that revoking a key ends its sessions immediately. */
export class ConsoleSessions {
  readonly #sessions: SessionStore;

  constructor(
    private readonly store: Store,
    private readonly random: FillRandom,
    private readonly clock: () => Instant,
  ) {
    this.#sessions = store.isShared ? inDatabase(store, clock) : inMemory();
  }

  /** Starts a session. Throws unauthorized if the key is not an administrator's. */
  async begin(key: string): Promise<{ session: ConsoleSession; token: string }> {
    const keyHash = hashSecret(key);
    const administrator = await this.store.read.administrators.findByKey(keyHash);
    if (!administrator) throw httpUnauthorizedFailure("Invalid or revoked administrator key.");
    const [token, csrfToken] = [this.#newToken(), this.#newToken()];
    const expiresAt = this.clock() + LIFETIME_MS;
    await this.#sessions.set(hashSecret(token), { keyHash, csrfToken, expiresAt });
    return { session: { administrator, csrfToken, expiresAt }, token };
  }

  /** Returns the session of the request's cookie. */
  async find(request: Request): Promise<ConsoleSession | undefined> {
    const token = cookieOf(request);
    const stored = token && (await this.#sessions.get(hashSecret(token)));
    if (!token || !stored) return undefined;
    const administrator =
      stored.expiresAt > this.clock() && (await this.store.read.administrators.findByKey(stored.keyHash));
    if (administrator) return { administrator, csrfToken: stored.csrfToken, expiresAt: stored.expiresAt };
    await this.#sessions.delete(hashSecret(token));
    return undefined;
  }

  /** Returns the administrator of the request. Throws unauthorized without a session, forbidden for a forged change. */
  async authenticate(request: Request): Promise<Administrator> {
    const session = await this.find(request);
    if (!session) throw httpUnauthorizedFailure(EXPIRED);
    if (request.method !== "GET" && request.method !== "HEAD")
      rejectForgedRequest(request, session.csrfToken);
    return session.administrator;
  }

  async end(request: Request): Promise<void> {
    const token = cookieOf(request);
    if (token) await this.#sessions.delete(hashSecret(token));
  }

  #newToken(): string {
    return Buffer.from(this.random(new Uint8Array(TOKEN_BYTES))).toString("base64url");
  }
}

/** Returns true for a path of the console, where sessions authenticate and keys do not. */
export const isConsoleApiRequest = ({ url }: Request) => new URL(url).pathname.includes(`${CONSOLE}/admin/`);

/** Throws forbidden for a change without the session's CSRF token. */
export function rejectForgedRequest(request: Request, csrfToken: string): void {
  rejectCrossSiteRequest(request);
  if (!secretsEqual(request.headers.get(CSRF_HEADER) ?? "", csrfToken))
    throw new Failure(
      "forbidden",
      `A change made with the console's cookie must send the session's token in ${CSRF_HEADER}. Nothing was changed. Reload the page.`,
    );
}

/** Throws forbidden for a request that a page of another site made, according to the browser's headers. */
export function rejectCrossSiteRequest({ headers }: Request): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isForeign =
    site === null
      ? origin !== null && URL.parse(origin)?.host !== headers.get("host")
      : site !== "same-origin" && site !== "none";
  if (isForeign) throw new Failure("forbidden", "Only the console can make this request.");
}

/** Returns the cookie with a session's token, for the console's path in the request. */
export const httpConsoleSessionCookie = (request: Request, token: string, isSecure: boolean): string =>
  `${COOKIE}=${token}; ${attributesFor(request, isSecure)}; Max-Age=${LIFETIME_MS / 1000}`;

/** Returns a cookie that deletes the session's cookie. */
export const expiredConsoleSessionCookie = (request: Request, isSecure: boolean): string =>
  `${COOKIE}=; ${attributesFor(request, isSecure)}; Max-Age=0`;

/** Behind a proxy that terminates TLS, the browser's Origin shows that the connection is secure. */
function attributesFor({ url, headers }: Request, isSecure: boolean): string {
  const { pathname } = new URL(url);
  const path = pathname.slice(0, pathname.lastIndexOf(`${CONSOLE}/`) + CONSOLE.length);
  const secure = isSecure || headers.get("origin")?.startsWith("https://");
  return `Path=${path}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}

function cookieOf({ headers }: Request): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}
