import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Returns the hash of a credential for storage: SHA-256 as lower-case hexadecimal. Sufficient only because credentials
 * have at least 96 random bits; a secret chosen by a person would need a slow hash.
 */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Returns whether two texts are equal, in a time that depends neither on their contents nor on their lengths. */
export function secretsEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
