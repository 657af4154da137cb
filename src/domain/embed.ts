import type { Instant } from "./time.ts";

/** A page of one property that who holds its token may read. */
export type Embed = {
  id: string;
  partnerId: string;
  propertyId: string;
  createdAt: Instant;
  /** When it ends by itself; null for never. */
  expiresAt: Instant | null;
  revokedAt: Instant | null;
  views: number;
  lastViewedAt: Instant | null;
};

/** An embed as operators see it in a list. */
export type ListedEmbed = Embed & { propertyName: string };

/** The longest life that an embed can be given, in days. */
export const MAX_EMBED_DAYS = 3650;

/** What has become of an embed. */
export type EmbedStatus = "active" | "expired" | "revoked";

export function embedStatus({ expiresAt, revokedAt }: Embed, now: Instant): EmbedStatus {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}
