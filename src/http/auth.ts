import { LRUCache } from "lru-cache";
import type { Administrator, Partner } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import { hashSecret, secretsEqual } from "../secrets/hash.ts";
import type { TokenClaims, Tokens } from "../secrets/tokens.ts";
import type { RevisedPartner } from "../store/queries/partners.ts";
import type { Store } from "../store/store.ts";
import { HttpFailure } from "./errors.ts";

const MESSAGES = {
  missing: "API key required. Pass it in the X-Api-Key header.",
  key: "Invalid or inactive API key.",
  token: "Invalid or expired token. Re-authenticate at POST /oauth/token.",
};
const CHALLENGE = 'Bearer realm="mainstay", ApiKey realm="mainstay"';
const MAX_CACHED = 10_000;

/** Reads a partner's revision as it is now; undefined for one that is unknown. */
type Revisions = { revision(partnerId: string): Promise<number | undefined> };

/**
 * Tells partners by their API key or bearer token. Who was let in is remembered until the partner's revision moves, which
 * is read from the database with every request: what ends a credential ends it at once, in whichever process.
 */
export class Authenticator {
  readonly #byKey = new LRUCache<string, RevisedPartner>({ max: MAX_CACHED });
  readonly #byToken = new LRUCache<string, { claims: TokenClaims; partner: RevisedPartner }>({
    max: MAX_CACHED,
  });

  constructor(
    private readonly store: Store,
    private readonly tokens: Tokens,
    private readonly clock: () => Instant,
    private readonly partners: Revisions,
  ) {}

  /** Throws unauthorized, which says what was wrong and never what was sent. */
  async authenticate(headers: Headers): Promise<RevisedPartner> {
    const key = headers.get("x-api-key");
    if (key) {
      const known = this.#byKey.get(key);
      return known && (await this.#isCurrent(known)) ? known : await this.#findByKey(key);
    }
    const token = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
    if (!token) throw unauthorized(MESSAGES.missing);
    const known = this.#byToken.get(token);
    const isLive = known && known.claims.expiresAt > this.clock() && (await this.#isCurrent(known.partner));
    return isLive ? known.partner : await this.#findByToken(token);
  }

  /** The administrator whose key it is. Looked up every time, so that a revoked key ends at once. */
  async authenticateAdministrator(headers: Headers): Promise<Administrator> {
    const key = headers.get("x-api-key");
    if (!key) throw unauthorized(MESSAGES.missing);
    const administrator = await this.store.read.administrators.findByKey(hashSecret(key));
    if (!administrator) throw invalidApiKey();
    return administrator;
  }

  /** A token for a partner's client credentials; undefined when they are not valid. */
  async issueToken(
    clientId: string,
    clientSecret: string,
  ): Promise<{ token: string; partner: Partner } | undefined> {
    const found = await this.store.read.partners.findByClientId(clientId);
    // Compared in any case, so that the time taken does not tell which client ids exist.
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
    if (!partner?.enabled) throw invalidApiKey();
    this.#byKey.set(key, partner);
    return partner;
  }

  async #findByToken(token: string): Promise<RevisedPartner> {
    this.#byToken.delete(token);
    const claims = await this.tokens.verify(token, this.clock());
    const partner = claims && (await this.store.read.partners.find(claims.partnerId));
    if (!claims || !partner?.enabled || partner.credentialGeneration !== claims.generation)
      throw unauthorized(MESSAGES.token);
    this.#byToken.set(token, { claims, partner });
    return partner;
  }
}

export const invalidApiKey = () => unauthorized(MESSAGES.key);

export function unauthorized(message: string): HttpFailure {
  return new HttpFailure("unauthorized", message, { "www-authenticate": CHALLENGE });
}
