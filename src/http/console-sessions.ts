import { LRUCache } from "lru-cache";
import { Failure } from "../domain/errors.ts";
import type { FillRandom } from "../domain/ids.ts";
import type { Administrator } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import { hashSecret, secretsEqual } from "../secrets/hash.ts";
import type { Store } from "../store/store.ts";
import { unauthorized } from "./auth.ts";
import { CONSOLE } from "./operation.ts";

/** An administrator who is signed in at the console. */
export type ConsoleSession = {
  administrator: Administrator;
  /** What every change must carry beside the cookie: another site can make a browser send that one, and not this. */
  csrfToken: string;
  expiresAt: Instant;
};

const COOKIE = "mainstay_console";
/** Carries the token against forged requests. */
export const CSRF_HEADER = "x-csrf-token";
const LIFETIME_MS = 12 * 3_600_000;
const MOST_SESSIONS = 1000;
const TOKEN_BYTES = 32;

const EXPIRED = "The session has ended. Sign in again.";

/** What is kept of a session, by the hash of what the cookie holds. */
type StoredSession = { keyHash: string; csrfToken: string; expiresAt: Instant };

type SessionStore = {
  get(tokenHash: string): Promise<StoredSession | undefined>;
  set(tokenHash: string, session: StoredSession): Promise<void>;
  delete(tokenHash: string): Promise<void>;
};

/** In this process's memory, so that a restart ends every session. */
function inMemory(): SessionStore {
  const sessions = new LRUCache<string, StoredSession>({ max: MOST_SESSIONS });
  return {
    get: async (tokenHash) => sessions.get(tokenHash),
    set: async (tokenHash, session) => void sessions.set(tokenHash, session),
    delete: async (tokenHash) => void sessions.delete(tokenHash),
  };
}

/** In the database, where the next request may come to another server. */
function inDatabase(store: Store, clock: () => Instant): SessionStore {
  return {
    get: (tokenHash) => store.read.consoleSessions.find(tokenHash),
    set: (tokenHash, session) =>
      store.write((tx) => tx.consoleSessions.begin({ ...session, tokenHash }, clock())),
    delete: (tokenHash) => store.write((tx) => tx.consoleSessions.end(tokenHash)),
  };
}

/**
 * Who is signed in at the console. The key is looked up with each request, so that a revoked one ends its sessions at
 * once.
 */
export class ConsoleSessions {
  readonly #sessions: SessionStore;

  constructor(
    private readonly store: Store,
    private readonly random: FillRandom,
    private readonly clock: () => Instant,
  ) {
    this.#sessions = store.isShared ? inDatabase(store, clock) : inMemory();
  }

  /** Begins a session. Throws unauthorized when the key is no administrator's. */
  async begin(key: string): Promise<{ session: ConsoleSession; token: string }> {
    const keyHash = hashSecret(key);
    const administrator = await this.store.read.administrators.findByKey(keyHash);
    if (!administrator) throw unauthorized("Invalid or revoked administrator key.");
    const [token, csrfToken] = [this.#newToken(), this.#newToken()];
    const expiresAt = this.clock() + LIFETIME_MS;
    await this.#sessions.set(hashSecret(token), { keyHash, csrfToken, expiresAt });
    return { session: { administrator, csrfToken, expiresAt }, token };
  }

  /** The session that the request's cookie belongs to. */
  async find(request: Request): Promise<ConsoleSession | undefined> {
    const token = cookieOf(request);
    const kept = token && (await this.#sessions.get(hashSecret(token)));
    if (!token || !kept) return undefined;
    const administrator =
      kept.expiresAt > this.clock() && (await this.store.read.administrators.findByKey(kept.keyHash));
    if (administrator) return { administrator, csrfToken: kept.csrfToken, expiresAt: kept.expiresAt };
    await this.#sessions.delete(hashSecret(token));
    return undefined;
  }

  /** Who makes the request. Throws unauthorized without a session, and forbidden for a change that may be forged. */
  async authenticate(request: Request): Promise<Administrator> {
    const session = await this.find(request);
    if (!session) throw unauthorized(EXPIRED);
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

/** Whether the request came below the console's address, where sessions count and keys do not. */
export const isConsoleRequest = ({ url }: Request) => new URL(url).pathname.includes(`${CONSOLE}/admin/`);

/** Throws forbidden for a change that another site may have made the browser send. */
export function rejectForgedRequest(request: Request, csrfToken: string): void {
  rejectCrossSite(request);
  if (!secretsEqual(request.headers.get(CSRF_HEADER) ?? "", csrfToken))
    throw new Failure(
      "forbidden",
      `A change made with the console's cookie must carry the session's token in ${CSRF_HEADER}. Nothing was changed; reload the page.`,
    );
}

/** Throws forbidden for what a browser says that a page of another site has sent. */
export function rejectCrossSite({ headers }: Request): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isForeign =
    site === null
      ? origin !== null && URL.parse(origin)?.host !== headers.get("host")
      : site !== "same-origin" && site !== "none";
  if (isForeign) throw new Failure("forbidden", "Only the console's own pages may ask for this.");
}

/** The cookie that holds a session's token, for the part of the address that the request was made below. */
export const sessionCookie = (request: Request, token: string, isSecure: boolean): string =>
  `${COOKIE}=${token}; ${attributesFor(request, isSecure)}; Max-Age=${LIFETIME_MS / 1000}`;

/** Takes the cookie away. */
export const expiredCookie = (request: Request, isSecure: boolean): string =>
  `${COOKIE}=; ${attributesFor(request, isSecure)}; Max-Age=0`;

/** A proxy may be the one that speaks TLS: then the browser says so by its Origin. */
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
