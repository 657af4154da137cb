import type { Instant } from "./time.ts";

/** An embedded page of one property, which the holder of its token may read. */
export type Embed = {
  id: string;
  partnerId: string;
  propertyId: string;
  createdAt: Instant;
  /** The time at which it expires; null for never. */
  expiresAt: Instant | null;
  revokedAt: Instant | null;
  views: number;
  lastViewedAt: Instant | null;
};

/** An embed in a list. */
export type ListedEmbed = Embed & { propertyName: string };

/** The longest validity of an embed, in days. */
export const MAX_EMBED_DAYS = 3650;

/** The state of an embed. */
export type EmbedStatus = "active" | "expired" | "revoked";

/** Returns the state of an embed at an instant. */
export function embedStatus({ expiresAt, revokedAt }: Embed, now: Instant): EmbedStatus {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}
