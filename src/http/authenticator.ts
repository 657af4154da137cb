import { LRUCache } from "lru-cache";
import type { Administrator, Partner } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import type { BearerTokens, TokenClaims } from "../secrets/bearer-tokens.ts";
import { hashSecret, secretsEqual } from "../secrets/secret-hash.ts";
import type { RevisedPartner } from "../store/queries/partners-queries.ts";
import type { Store } from "../store/store.ts";
import { HttpFailure } from "./http-errors.ts";

const MESSAGES = {
  missing: "API key required. Pass it in the X-Api-Key header.",
  key: "Invalid or inactive API key.",
  token: "Invalid or expired token. Re-authenticate at POST /oauth/token.",
};
const CHALLENGE = 'Bearer realm="mainstay", ApiKey realm="mainstay"';
const MAX_CACHED = 10_000;

/** Returns a partner's current revision; undefined for an unknown partner. */
type Revisions = { revision(partnerId: string): Promise<string | undefined> };

/**
 * Authenticates partners by API key or bearer token. Successful authentications are cached until the partner's revision
 * changes. The revision is read from the database with every request, so a revoked credential is rejected immediately by
 * every server.
 */
export class Authenticator {
  readonly #byKey = new LRUCache<string, RevisedPartner>({ max: MAX_CACHED });
  readonly #byToken = new LRUCache<string, { claims: TokenClaims; partner: RevisedPartner }>({
    max: MAX_CACHED,
  });

  constructor(
    private readonly store: Store,
    private readonly tokens: BearerTokens,
    private readonly clock: () => Instant,
    private readonly partners: Revisions,
  ) {}

  /** Returns the authenticated partner. Throws unauthorized, without the credential in the message. */
  async authenticate(headers: Headers): Promise<RevisedPartner> {
    const key = headers.get("x-api-key");
    if (key) {
      const cached = this.#byKey.get(key);
      return cached && (await this.#isCurrent(cached)) ? cached : await this.#findByKey(key);
    }
    const token = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
    if (!token) throw httpUnauthorizedFailure(MESSAGES.missing);
    const cached = this.#byToken.get(token);
    const isValid =
      cached && cached.claims.expiresAt > this.clock() && (await this.#isCurrent(cached.partner));
    return isValid ? cached.partner : await this.#findByToken(token);
  }

  /** The number of credentials that are kept. */
  get size(): number {
    return this.#byKey.size + this.#byToken.size;
  }

  /** Drops partners that are gone or have changed, with their credentials. */
  dropSuperseded(revisions: ReadonlyMap<string, string>): void {
    const isCurrent = ({ id, revision }: RevisedPartner) => revisions.get(id) === revision;
    for (const [key, partner] of this.#byKey.entries()) if (!isCurrent(partner)) this.#byKey.delete(key);
    for (const [token, { claims, partner }] of this.#byToken.entries())
      if (claims.expiresAt <= this.clock() || !isCurrent(partner)) this.#byToken.delete(token);
  }

  /** Returns the authenticated administrator. Not cached, so that a revoked key is rejected immediately. */
  async authenticateAdministrator(headers: Headers): Promise<Administrator> {
    const key = headers.get("x-api-key");
    if (!key) throw httpUnauthorizedFailure(MESSAGES.missing);
    const administrator = await this.store.read.administrators.findByKey(hashSecret(key));
    if (!administrator) throw httpInvalidApiKeyFailure();
    return administrator;
  }

  /** Issues a token for a partner's client credentials; returns undefined if they are invalid. */
  async issueToken(
    clientId: string,
    clientSecret: string,
  ): Promise<{ token: string; partner: Partner } | undefined> {
    const found = await this.store.read.partners.findByClientId(clientId);
    // Always compare, so that the response time does not reveal which client IDs exist.
    const matches = secretsEqual(hashSecret(clientSecret), found?.secretHash ?? "");
    if (!found?.partner.enabled || !matches) return undefined;
    const { id: partnerId, credentialGeneration: generation } = found.partner;
    const token = await this.tokens.issue({ partnerId, generation, now: this.clock() });
    return { token, partner: found.partner };
  }

  async #isCurrent({ id, revision }: RevisedPartner): Promise<boolean> {
    return (await this.partners.revision(id)) === revision;
  }

  async #findByKey(key: string): Promise<RevisedPartner> {
    this.#byKey.delete(key);
    const partner = await this.store.read.partners.findByApiKey(hashSecret(key));
    if (!partner?.enabled) throw httpInvalidApiKeyFailure();
    this.#byKey.set(key, partner);
    return partner;
  }

  async #findByToken(token: string): Promise<RevisedPartner> {
    this.#byToken.delete(token);
    const claims = await this.tokens.verify(token, this.clock());
    const partner = claims && (await this.store.read.partners.find(claims.partnerId));
    if (!claims || !partner?.enabled || partner.credentialGeneration !== claims.generation)
      throw httpUnauthorizedFailure(MESSAGES.token);
    this.#byToken.set(token, { claims, partner });
    return partner;
  }
}

export const httpInvalidApiKeyFailure = () => httpUnauthorizedFailure(MESSAGES.key);

/** Returns a 401 with the challenge that lists the accepted schemes. */
export function httpUnauthorizedFailure(message: string): HttpFailure {
  return new HttpFailure("unauthorized", message, { "www-authenticate": CHALLENGE });
}
