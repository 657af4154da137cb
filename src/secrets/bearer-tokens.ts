import { jwtVerify, SignJWT } from "jose";
import { type FillRandom, isId } from "../domain/ids/record-ids.ts";
import type { Instant } from "../domain/time.ts";
import { deriveSecretKey, type MasterKey } from "./master-key.ts";

const TOKEN_PREFIX = "svct_";
export const TOKEN_LIFETIME_S = 3600;
export const TOKEN_SCOPE = "read write";

export type TokenClaims = {
  partnerId: string;
  /** The generation of the partner's credentials when the token was issued. */
  generation: number;
  expiresAt: Instant;
};

/** Bearer tokens: `svct_` and a JWT signed with HS256. */
export type BearerTokens = {
  issue(claims: { partnerId: string; generation: number; now: Instant }): Promise<string>;
  /** Returns the claims of the token; undefined if it has expired or this key did not sign it. */
  verify(token: string, now: Instant): Promise<TokenClaims | undefined>;
};

const MAX_TOKEN_LENGTH = 1024;
/** The tolerated difference between the clocks of servers that share a key. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Returns what issues and verifies bearer tokens, with a key that is derived from the master key. */
export function bearerTokenSecrets(master: MasterKey, fill: FillRandom): BearerTokens {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const imported = crypto.subtle.importKey("raw", deriveSecretKey(master, "tokens"), hmac, false, [
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
  // The clock was set back after the token was issued, which would prolong its life.
  if (iat * 1000 > now + CLOCK_TOLERANCE_MS) return undefined;
  return { partnerId: sub, generation: gen, expiresAt: exp * 1000 };
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Base64 permits several encodings of one signature (unused bits, spaces). Only the canonical one is accepted. */
function isCanonical(jwt: string): boolean {
  const signature = /^[\w-]+\.[\w-]+\.([\w-]{43})$/.exec(jwt)?.[1];
  return signature !== undefined && Buffer.from(signature, "base64url").toString("base64url") === signature;
}
