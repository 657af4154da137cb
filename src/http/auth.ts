import type { Administrator, Partner } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import { hashSecret, secretsEqual } from "../secrets/hash.ts";
import type { TokenClaims, Tokens } from "../secrets/tokens.ts";
import type { Store } from "../store/store.ts";
import { HttpFailure } from "./errors.ts";

const MESSAGES = {
  none: "API key required. Pass it in the X-Api-Key header.",
  key: "Invalid or inactive API key.",
  token: "Invalid or expired token. Re-authenticate at POST /oauth/token.",
};
const CHALLENGE = 'Bearer realm="mainstay", ApiKey realm="mainstay"';
const MAX_REMEMBERED = 10_000;

/**
 * Tells partners by their API key or bearer token. What is valid is remembered until anything about partners may have
 * changed: a write here calls `forget`, and a commit of another process shows in the store's data version.
 */
export class Authenticator {
  #byKey = new Map<string, Partner>();
  #byToken = new Map<string, { claims: TokenClaims; partner: Partner }>();
  #dataVersion: number | undefined;

  constructor(
    private readonly store: Store,
    private readonly tokens: Tokens,
    private readonly clock: () => Instant,
  ) {}

  /** Throws unauthorized, which says what was wrong and never what was sent. */
  authenticate(headers: Headers): Partner | Promise<Partner> {
    const version = this.store.dataVersion();
    if (version !== this.#dataVersion) {
      this.forget();
      this.#dataVersion = version;
    }
    const key = headers.get("x-api-key");
    if (key) return this.#byKey.get(key) ?? this.#findByKey(key);
    const authorization = headers.get("authorization");
    if (!authorization) throw unauthorized(MESSAGES.none);
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (!token) throw unauthorized(MESSAGES.none);
    const known = this.#byToken.get(token);
    if (known && known.claims.expiresAt > this.clock()) return known.partner;
    return this.#findByToken(token);
  }

  /** The administrator whose key it is. Looked up every time, so that a revoked key ends at once. */
  async authenticateAdministrator(headers: Headers): Promise<Administrator> {
    const key = headers.get("x-api-key");
    if (!key) throw unauthorized(MESSAGES.none);
    const administrator = await this.store.read.administrators.findByKey(hashSecret(key));
    if (!administrator) throw unauthorized(MESSAGES.key);
    return administrator;
  }

  forget(): void {
    this.#byKey.clear();
    this.#byToken.clear();
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

  async #findByKey(key: string): Promise<Partner> {
    const partner = await this.store.read.partners.findByApiKey(hashSecret(key));
    if (!partner?.enabled) throw unauthorized(MESSAGES.key);
    remember(this.#byKey, key, partner);
    return partner;
  }

  async #findByToken(token: string): Promise<Partner> {
    this.#byToken.delete(token);
    const claims = await this.tokens.verify(token, this.clock());
    const partner = claims && (await this.store.read.partners.find(claims.partnerId));
    if (!claims || !partner?.enabled || partner.credentialGeneration !== claims.generation)
      throw unauthorized(MESSAGES.token);
    remember(this.#byToken, token, { claims, partner });
    return partner;
  }
}

export function unauthorized(message: string): HttpFailure {
  return new HttpFailure("unauthorized", message, { "www-authenticate": CHALLENGE });
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  if (map.size >= MAX_REMEMBERED) map.delete(map.keys().next().value!);
  map.set(key, value);
}
