import { createHash, timingSafeEqual } from "node:crypto";

/**
 * The form in which a credential is stored: SHA-256 as lower-case hexadecimal. Enough only because credentials are
 * 96 random bits or more; a secret that a person chose would need a slow hash.
 */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Whether two texts are the same, in a time that tells nothing of where they differ, nor of their lengths. */
export function secretsEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
