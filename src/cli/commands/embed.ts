import { publicUrl } from "../../config/public-url.ts";
import { MAX_EMBED_DAYS } from "../../domain/embed.ts";
import { OperatorError } from "../../domain/errors.ts";
import { createEmbed, revokeEmbed } from "../../usecases/embeds.ts";
import { embedRecord, newEmbedRecord } from "../../wire/embed.ts";
import { type Command, command, required, whole } from "../command.ts";
import { withAdministration, withData } from "../data.ts";
import { textTable } from "../terminal/text-table.ts";

const create = command({
  name: "create",
  summary: "make a page of a property for an iframe, and print its address, this once",
  description:
    "Who has the address may read the page, and nothing else, until it expires or is revoked. Sites that may show " +
    "it in a frame are named in embed.frame_ancestors; server.public_url is what the address begins with.",
  arguments: { propertyId: required("the property's id") },
  options: { expires: whole("DAYS", "days after which the page ends by itself", 1, MAX_EMBED_DAYS) },
  examples: ["mainstay embed create P_01j… --expires 90"],
  async run(context, { propertyId }, { expires = null }) {
    const { embed, token } = await withAdministration(context, (administration) =>
      createEmbed(administration, { propertyId, days: expires }),
    );
    const record = newEmbedRecord(embed, token, publicUrl(context.config));
    context.print(
      record,
      `Embed    ${record.embed_id}\nAddress  ${record.url}\nExpires  ${record.expires_at ?? "never"}\n\n` +
        "The address is shown this once, and is all that is needed to read the page.",
    );
  },
});

const PAGE = 200;

const list = command({
  name: "list",
  summary: "list the embedded pages, those that have ended too",
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
        ? "There are no embedded pages yet: mainstay embed create PROPERTY_ID"
        : textTable(
            ["EMBED", "STATUS", "VIEWS", "LAST VIEWED", "EXPIRES", "PROPERTY", "NAME"],
            embeds.map((one) => [
              one.embed_id,
              one.status,
              one.views,
              one.last_viewed_at,
              one.expires_at,
              one.property_id,
              one.property_name,
            ]),
          ),
    );
  },
});

const revoke = command({
  name: "revoke",
  summary: "end an embedded page at once",
  arguments: { embedId: required("the embed's id") },
  async run(context, { embedId }) {
    const isEnded = await withAdministration(context, (administration) =>
      revokeEmbed(administration, embedId),
    );
    if (!isEnded)
      throw new OperatorError(
        `there is no embed ${embedId} that is not revoked yet`,
        "`mainstay embed list` shows them all.",
      );
    context.print({ embed_id: embedId, revoked: true }, `The page of ${embedId} has ended.`);
  },
});

export const embedCommands: readonly Command[] = [create, list, revoke];
