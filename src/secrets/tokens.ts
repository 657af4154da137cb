import { jwtVerify, SignJWT } from "jose";
import { type FillRandom, isId } from "../domain/ids.ts";
import type { Instant } from "../domain/time.ts";
import { deriveKey, type MasterKey } from "./master-key.ts";

const TOKEN_PREFIX = "svct_";
export const TOKEN_LIFETIME_S = 3600;
export const TOKEN_SCOPE = "read write";

/** What a valid token says. `generation` is the partner's credential generation when it was issued. */
export type TokenClaims = { partnerId: string; generation: number; expiresAt: Instant };

/** Bearer tokens: `svct_` and a JWT signed with HS256. */
export type BearerTokens = {
  issue(claims: { partnerId: string; generation: number; now: Instant }): Promise<string>;
  /** The claims of a token that this key signed and that hasn't expired; undefined for any other text. */
  verify(token: string, now: Instant): Promise<TokenClaims | undefined>;
};

const MAX_TOKEN_LENGTH = 1024;
/** Servers that share a key may disagree on the time by this much. */
const CLOCK_TOLERANCE_MS = 60_000;

export function bearerTokens(master: MasterKey, fill: FillRandom): BearerTokens {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const imported = crypto.subtle.importKey("raw", deriveKey(master, "tokens"), hmac, false, [
    "sign",
    "verify",
  ]);
  return {
    async issue({ partnerId, generation, now }) {
      const issuedAtS = Math.floor(now / 1000);
      const jwt = await new SignJWT({ scope: TOKEN_SCOPE, gen: generation })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(partnerId)
        .setIssuedAt(issuedAtS)
        .setExpirationTime(issuedAtS + TOKEN_LIFETIME_S)
        .setJti(Buffer.from(fill(new Uint8Array(16))).toString("base64url"))
        .sign(await imported);
      return TOKEN_PREFIX + jwt;
    },
    async verify(token, now) {
      const jwt = token.slice(TOKEN_PREFIX.length);
      if (!token.startsWith(TOKEN_PREFIX) || token.length > MAX_TOKEN_LENGTH || !isCanonical(jwt))
        return undefined;
      try {
        const { payload } = await jwtVerify(jwt, await imported, {
          algorithms: ["HS256"],
          typ: "JWT",
          currentDate: new Date(now),
        });
        return claimsOf(payload, now);
      } catch {
        return undefined;
      }
    },
  };
}

function claimsOf(payload: Record<string, unknown>, now: Instant): TokenClaims | undefined {
  const { sub, gen, iat, exp, scope, jti } = payload;
  if (typeof sub !== "string" || !isId("partner", sub)) return undefined;
  if (!isWholeNumber(gen) || !isWholeNumber(iat) || !isWholeNumber(exp)) return undefined;
  if (scope !== TOKEN_SCOPE || typeof jti !== "string" || exp !== iat + TOKEN_LIFETIME_S) return undefined;
  // a token from the future outlives its hour: the clock was set back since
  if (iat * 1000 > now + CLOCK_TOLERANCE_MS) return undefined;
  return { partnerId: sub, generation: gen, expiresAt: exp * 1000 };
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Base64 leaves room for other spellings of the same signature (spare bits, spaces); one token has one spelling. */
function isCanonical(jwt: string): boolean {
  const signature = /^[\w-]+\.[\w-]+\.([\w-]{43})$/.exec(jwt)?.[1];
  return signature !== undefined && Buffer.from(signature, "base64url").toString("base64url") === signature;
}
