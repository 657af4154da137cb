import type { Embed } from "../embed.ts";
import type { Instant } from "../time.ts";

/** The shortest and longest passcode of an embed, in characters. */
export const PASSCODE_LENGTH = { least: 8, most: 64 } as const;

/** Returns whether a text can be a passcode: visible, and neither guessed at once nor longer than a person types. */
export function meetsEmbedPasscodeRule(text: string): boolean {
  const { least, most } = PASSCODE_LENGTH;
  return text.trim() === text && text.length >= least && text.length <= most && !/[\p{Cc}\p{Cs}]/u.test(text);
}

/** The state of an embed. */
export type EmbedStatus = "active" | "expired" | "revoked";

/** Returns the state of an embed at an instant. */
export function embedStatusByRule({ expiresAt, revokedAt }: Embed, now: Instant): EmbedStatus {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}
