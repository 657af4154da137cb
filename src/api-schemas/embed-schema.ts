import {
  type Embed,
  type EmbedPreview,
  type EmbedView,
  type ListedEmbed,
  MAX_EMBED_VIEWS,
} from "../domain/embed.ts";
import type { Grade } from "../domain/figures/property-condition.ts";
import { postalAddressLine } from "../domain/places/postal-address.ts";
import { type EmbedStatus, embedStatusByRule } from "../domain/rules/embed-rule.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import {
  enumSchema,
  flagSchema,
  idSchema,
  instantSchema,
  listSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { unscopedPageSchema } from "./paging-schema.ts";

const embedId = idSchema("EMB", "The embed");
const propertyId = idSchema("P", "The property that it shows");

const propertyName = textSchema("The property's display name", "Harbor View Apartments");
export const embed = objectSchema({
  embed_id: embedId,
  property_id: propertyId,
  property_name: propertyName,
  label: textSchema("Name of the embed for the operator", "Credit committee").orNull(),
  recipient: textSchema("Who has received the link", "First National Bank").orNull(),
  has_passcode: flagSchema("Whether viewers must enter a passcode", false),
  partner_id: idSchema("PARTNER", "The partner that owns the property"),
  status: enumSchema<EmbedStatus>(["active", "expired", "revoked"], "Whether the token is valid"),
  created_at: instantSchema("When the embed was created"),
  expires_at: instantSchema("When the embed expires; null if never").orNull(),
  revoked_at: instantSchema("When the embed was revoked").orNull(),
  views: wholeNumberSchema("Number of page views, updated every minute", 12),
  last_viewed_at: instantSchema("When the page was last viewed").orNull(),
});
export type EmbedJson = JsonOf<typeof embed>;

/** An embed in a list, without its token. */
export const serializeEmbed = embed.serializer((listed: ListedEmbed, now: Instant) => ({
  embed_id: listed.id,
  property_id: listed.propertyId,
  property_name: listed.propertyName,
  label: listed.label,
  recipient: listed.recipient,
  has_passcode: listed.passcodeHash !== null,
  partner_id: listed.partnerId,
  status: embedStatusByRule(listed, now),
  created_at: isoTextOfInstant(listed.createdAt),
  expires_at: jsonInstantOrNull(listed.expiresAt),
  revoked_at: jsonInstantOrNull(listed.revokedAt),
  views: listed.views,
  last_viewed_at: jsonInstantOrNull(listed.lastViewedAt),
}));
export const embedsPage = unscopedPageSchema("embeds", embed);
export type EmbedPageJson = JsonOf<typeof embedsPage>;

const preview = objectSchema({
  display_name: textSchema("Name of the partner's brand", "First National Bank").orNull(),
  has_logo: flagSchema("Whether the page has the partner's logo", true),
  title: propertyName,
  address: textSchema("Address of the property", "1 Elm St, Albany, NY"),
  grade: enumSchema<Grade>(["A", "B", "C", "D", "F"], "Grade of the property's condition", "B").orNull(),
  components: wholeNumberSchema("Number of components", 90),
  critical: wholeNumberSchema("Components in tier CRITICAL", 3),
  warning: wholeNumberSchema("Components in tier WARNING", 20),
});
const serializePreview = preview.serializer(({ property, totals, grade, brand }: EmbedPreview) => ({
  display_name: brand.displayName,
  has_logo: brand.logo !== null,
  title: property.name,
  address: postalAddressLine({ ...property, zip: null }),
  grade,
  components: totals.components,
  critical: totals.critical,
  warning: totals.warning,
}));

export const newEmbed = objectSchema({
  embed_id: embedId,
  token: textSchema("The page's access token, shown only once", "svc_embed_…"),
  url: textSchema("The page's URL", "https://risk.example.com/api/embed/property/svc_embed_…"),
  property_id: propertyId,
  expires_at: embed.fields.expires_at,
  preview: preview.describedAs("The top of the page"),
});
export type NewEmbedJson = JsonOf<typeof newEmbed>;

/** Returns the URL of a page. */
export const serializeEmbedUrl = (publicUrl: string, token: string) => `${publicUrl}/embed/property/${token}`;

/** Serializes a new embed with its token, which is shown only once. */
export const serializeNewEmbed = newEmbed.serializer(
  (made: Embed, token: string, publicUrl: string, shown: EmbedPreview) => ({
    embed_id: made.id,
    token,
    url: serializeEmbedUrl(publicUrl, token),
    property_id: made.propertyId,
    expires_at: jsonInstantOrNull(made.expiresAt),
    preview: serializePreview(shown),
  }),
);

const view = objectSchema({
  viewed_at: instantSchema("When the page was viewed"),
  address: textSchema("The viewer's IP address", "203.0.113.7"),
});
export const embedViews = objectSchema({
  embed_id: embedId,
  views: embed.fields.views,
  latest: listSchema(`The latest ${MAX_EMBED_VIEWS} views, newest first`, view),
});
export type EmbedViewsJson = JsonOf<typeof embedViews>;

/** Serializes the view log of an embed. */
export const serializeEmbedViews = embedViews.serializer(
  ({ id, views }: Embed, latest: readonly EmbedView[]) => ({
    embed_id: id,
    views,
    latest: latest.map(({ viewedAt, address }) => ({ viewed_at: isoTextOfInstant(viewedAt), address })),
  }),
);

export const revokedEmbed = objectSchema({
  embed_id: embedId,
  revoked: flagSchema("Whether the embed was revoked"),
});
