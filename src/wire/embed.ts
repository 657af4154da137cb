import { type } from "arktype";
import {
  type Embed,
  type EmbedStatus,
  embedStatus,
  type ListedEmbed,
  MAX_EMBED_DAYS,
} from "../domain/embed.ts";
import { type Instant, toIso } from "../domain/time.ts";
import { body, optional, required } from "./check.ts";
import { EXAMPLE_IDS, flag, id, instant, object, oneOf, text, whole } from "./kit.ts";
import { operatorsPage } from "./paging.ts";
import { isoOrNull } from "./units.ts";
import { idText } from "./values.ts";

const embedId = id("EMB", "The embed");
const propertyId = id("P", "The property that it shows");

const embed = object({
  embed_id: embedId,
  property_id: propertyId,
  property_name: text("The property's display name", "Harbor View Apartments"),
  partner_id: id("PARTNER", "Whose property it is"),
  status: oneOf<EmbedStatus>(["active", "expired", "revoked"], "Whether its token opens the page"),
  created_at: instant("When it was made"),
  expires_at: instant("When it ends by itself").orNull(),
  revoked_at: instant("When it was ended").orNull(),
  views: whole("How often the page was looked at; stored every minute", 12),
  last_viewed_at: instant("When it was looked at last").orNull(),
});

/** An embed in a list, without its token. */
export const embedRecord = embed.view((listed: ListedEmbed, now: Instant) => ({
  embed_id: listed.id,
  property_id: listed.propertyId,
  property_name: listed.propertyName,
  partner_id: listed.partnerId,
  status: embedStatus(listed, now),
  created_at: toIso(listed.createdAt),
  expires_at: isoOrNull(listed.expiresAt),
  revoked_at: isoOrNull(listed.revokedAt),
  views: listed.views,
  last_viewed_at: isoOrNull(listed.lastViewedAt),
}));
export const embedsPage = operatorsPage("embeds", embed);

export const newEmbed = object({
  embed_id: embedId,
  token: text("What opens the page, shown this once", "svc_embed_…"),
  url: text("The page's address", "https://risk.example.com/api/embed/property/svc_embed_…"),
  property_id: propertyId,
  expires_at: embed.fields.expires_at,
});

/** The address of a page. */
export const embedUrl = (publicUrl: string, token: string) => `${publicUrl}/embed/property/${token}`;

/** A new embed with its token, shown this once, and the address that it makes. */
export const newEmbedRecord = newEmbed.view((made: Embed, token: string, publicUrl: string) => ({
  embed_id: made.id,
  token,
  url: embedUrl(publicUrl, token),
  property_id: made.propertyId,
  expires_at: isoOrNull(made.expiresAt),
}));

export const revokedEmbed = object({ embed_id: embedId, revoked: flag("It has ended") });

export const embedRequest = body({
  property_id: required(idText, "The property to show", EXAMPLE_IDS.P),
  expires_days: optional(
    type("number.integer")
      .atLeast(1)
      .atMost(MAX_EMBED_DAYS)
      .describe(`a whole number from 1 to ${MAX_EMBED_DAYS}`),
    "Days after which the page ends by itself; never when not given",
    90,
  ),
});

/** The property that a page is made of, and for how many days. Throws invalid_request. */
export function readEmbed(given: unknown): { propertyId: string; days: number | null } {
  const wire = embedRequest.check(given);
  return { propertyId: wire.property_id, days: wire.expires_days ?? null };
}
