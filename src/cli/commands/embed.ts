import { publicUrl } from "../../config/public-url.ts";
import { MAX_EMBED_DAYS } from "../../domain/embed.ts";
import { OperatorError } from "../../domain/errors.ts";
import { createEmbed, revokeEmbed } from "../../usecases/embeds/embeds.ts";
import { embedRecord, newEmbedRecord } from "../../wire/embed.ts";
import { type Command, command, required, whole } from "../command.ts";
import { withAdministration, withData } from "../data.ts";
import { textTable } from "../terminal/text-table.ts";

const create = command({
  name: "create",
  summary: "create an embeddable report of a property and print its URL (shown once)",
  description:
    "Anyone with the URL can read the report, and nothing else, until it expires or is revoked. embed.frame_ancestors " +
    "lists the sites that may frame it. The URL starts with server.public_url.",
  arguments: { propertyId: required("the property's ID") },
  options: { expires: whole("DAYS", "days until the report expires (default: never)", 1, MAX_EMBED_DAYS) },
  examples: ["mainstay embed create P_01j… --expires 90"],
  async run(context, { propertyId }, { expires = null }) {
    const { embed, token } = await withAdministration(context, (administration) =>
      createEmbed(administration, { propertyId, days: expires }),
    );
    const record = newEmbedRecord(embed, token, publicUrl(context.config));
    context.print(
      record,
      `Embed    ${record.embed_id}\nURL      ${record.url}\nExpires  ${record.expires_at ?? "never"}\n\n` +
        "Save the URL now; it is not shown again. Anyone with the URL can read the report.",
    );
  },
});

const PAGE = 200;

const list = command({
  name: "list",
  summary: "list all embeddable reports, including expired and revoked ones",
  async run(context) {
    const now = context.now();
    const found = await withData(context, async ({ store }) => {
      const rows = [];
      for (;;) {
        const page = await store.read.embeds.page({ limit: PAGE, offset: rows.length });
        rows.push(...page);
        if (page.length < PAGE) return rows;
      }
    });
    const embeds = found.map((embed) => embedRecord(embed, now));
    context.print(
      { embeds },
      embeds.length === 0
        ? "No embeddable reports yet. Create one: mainstay embed create PROPERTY_ID"
        : textTable(
            ["EMBED", "STATUS", "VIEWS", "LAST VIEWED", "EXPIRES", "PROPERTY", "NAME"],
            embeds.map((embed) => [
              embed.embed_id,
              embed.status,
              embed.views,
              embed.last_viewed_at,
              embed.expires_at,
              embed.property_id,
              embed.property_name,
            ]),
          ),
    );
  },
});

const revoke = command({
  name: "revoke",
  summary: "revoke an embeddable report immediately",
  arguments: { embedId: required("the embed's ID") },
  async run(context, { embedId }) {
    const isRevoked = await withAdministration(context, (administration) =>
      revokeEmbed(administration, embedId),
    );
    if (!isRevoked)
      throw new OperatorError(
        `Embed not found or already revoked: ${embedId}`,
        "`mainstay embed list` shows all embeds.",
      );
    context.print({ embed_id: embedId, revoked: true }, `Revoked ${embedId}.`);
  },
});

export const embedCommands: readonly Command[] = [create, list, revoke];
