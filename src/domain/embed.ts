import { notFound } from "./errors.ts";
import type { Grade } from "./figures/property-condition.ts";
import type { PropertyTotals } from "./figures/property-totals.ts";
import type { Property } from "./property.ts";
import type { Brand } from "./rules/partner-brand-rule.ts";
import type { Instant } from "./time.ts";

/** An embedded page of one property, which the holder of its token may read. */
export type Embed = {
  id: string;
  partnerId: string;
  propertyId: string;
  /** The operator's name for it, and who has received its link. */
  label: string | null;
  recipient: string | null;
  /** The hash of the passcode that viewers enter; null without one. */
  passcodeHash: string | null;
  createdAt: Instant;
  /** The time at which it expires; null for never. */
  expiresAt: Instant | null;
  revokedAt: Instant | null;
  views: number;
  lastViewedAt: Instant | null;
};

export const embedNotFoundFailure = () => notFound("Embed not found");

/** An embed to create. `days` is its lifetime; null for no expiry. */
export type NewEmbed = {
  propertyId: string;
  days: number | null;
  label?: string | null;
  recipient?: string | null;
  /** The passcode that viewers must enter. It is stored as a slow hash. */
  passcode?: string | null;
};

/** A change of an embed: the fields that it names. A null clears one. */
export type EmbedChange = Partial<Pick<NewEmbed, "label" | "recipient" | "passcode">>;

/** An embed in a list. */
export type ListedEmbed = Embed & { propertyName: string };

/** The top of an embed's page, from stored sums. */
export type EmbedPreview = { property: Property; totals: PropertyTotals; grade: Grade | null; brand: Brand };

/** A view of an embed's page. `address` is the viewer's IP address. */
export type EmbedView = { viewedAt: Instant; address: string };

/** The latest views of an embed that are kept. */
export const MAX_EMBED_VIEWS = 200;

/** The longest validity of an embed, in days. */
export const MAX_EMBED_DAYS = 3650;
