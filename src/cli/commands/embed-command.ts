import { parseEmbedChangeJson, parseNewEmbedJson } from "../../api-schemas/embed-request-schema.ts";
import {
  type NewEmbedJson,
  serializeEmbed,
  serializeEmbedViews,
  serializeNewEmbed,
} from "../../api-schemas/embed-schema.ts";
import { configuredPublicUrl } from "../../config/configured-public-url.ts";
import { MAX_EMBED_DAYS } from "../../domain/embed.ts";
import { OperatorError } from "../../domain/errors.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import { newPasscode } from "../../secrets/credentials.ts";
import { createEmbed, revokeEmbed, updateEmbed } from "../../usecases/embeds/create-or-revoke-embed.ts";
import { loadEmbedPreview } from "../../usecases/embeds/load-embed-preview.ts";
import {
  type Command,
  defineCommand,
  requiredCommandArgument,
  switchOption,
  textOption,
  UsageError,
  wholeNumberOption,
} from "../command.ts";
import { withCommandAdministration, withCommandData } from "../command-data-access.ts";
import { terminalTable } from "../terminal/terminal-table.ts";
import { terminalMinuteText, terminalSecondText } from "../terminal/terminal-time-text.ts";

const create = defineCommand({
  name: "create",
  summary: "create an embeddable report of a property and print its URL (shown once)",
  description:
    "Anyone with the URL can read the report, and nothing else, until it expires or is revoked. embed.frame_ancestors " +
    "lists the sites that may frame it. The URL starts with server.public_url.",
  arguments: { propertyId: requiredCommandArgument("the property's ID") },
  options: {
    expires: wholeNumberOption("DAYS", "days until the report expires (default: never)", 1, MAX_EMBED_DAYS),
    label: textOption("TEXT", "a name for it in lists"),
    recipient: textOption("TEXT", "who receives the URL"),
    passcode: switchOption("ask viewers for a passcode, which is printed once"),
  },
  examples: [
    "mainstay embed create P_01j… --expires 90",
    'mainstay embed create P_01j… --recipient "First National Bank" --passcode',
  ],
  async run(context, { propertyId }, { expires, label, recipient, passcode: needsPasscode }) {
    const given = parseNewEmbedJson({
      property_id: propertyId,
      ...(expires !== undefined && { expires_days: expires }),
      ...(label !== undefined && { label }),
      ...(recipient !== undefined && { recipient }),
    });
    const { record, passcode } = await withCommandAdministration(context, async (administration) => {
      const passcode = needsPasscode ? newPasscode(administration.random) : null;
      const { embed, token } = await createEmbed(administration, { ...given, passcode });
      const preview = await loadEmbedPreview(
        administration.store.read,
        embeddedKnowledge(context.config.costs),
        embed,
      );
      return {
        record: serializeNewEmbed(embed, token, configuredPublicUrl(context.config), preview),
        passcode,
      };
    });
    context.print(
      { ...record, ...(passcode !== null && { passcode }) },
      [
        `Embed     ${record.embed_id}`,
        `URL       ${record.url}`,
        ...(passcode === null ? [] : [`Passcode  ${passcode}`]),
        `Expires   ${record.expires_at ?? "never"}`,
        `Shows     ${previewText(record.preview)}`,
        "",
        passcode === null
          ? "Save the URL now; it is not shown again. Anyone with the URL can read the report."
          : "Save both now; they are not shown again. Send the passcode separately from the URL.",
      ].join("\n"),
    );
  },
});

const PAGE = 200;

/** Returns the top of the page in words: the brand, the property and its condition. */
function previewText(preview: NewEmbedJson["preview"]): string {
  const { display_name, has_logo, title, address, grade, components, critical, warning } = preview;
  return [
    ...(display_name === null ? [] : [`${display_name}${has_logo ? " (logo)" : ""}`]),
    `${title}, ${address}`,
    grade === null
      ? "no components yet"
      : `grade ${grade}, ${critical} critical and ${warning} warning of ${components} components`,
  ].join("; ");
}

const list = defineCommand({
  name: "list",
  summary: "list all embeddable reports, including expired and revoked ones",
  async run(context) {
    const now = context.now();
    const found = await withCommandData(context, async ({ store }) => {
      const rows = [];
      for (;;) {
        const page = await store.read.embeds.page({ limit: PAGE, offset: rows.length });
        rows.push(...page);
        if (page.length < PAGE) return rows;
      }
    });
    const embeds = found.map((embed) => serializeEmbed(embed, now));
    context.print(
      { embeds },
      embeds.length === 0
        ? "No embeddable reports yet. Create one: mainstay embed create PROPERTY_ID"
        : terminalTable(
            [
              "EMBED",
              "STATUS",
              "EXPIRES (UTC)",
              { heading: "PROPERTY", shrinks: true },
              { heading: "PROPERTY ID", from: 100 },
              { heading: "LABEL", from: 120, shrinks: true },
              { heading: "VIEWS", align: "right", from: 130 },
              { heading: "RECIPIENT", from: 150, shrinks: true },
              { heading: "LAST VIEWED (UTC)", from: 170 },
            ],
            embeds.map((embed) => [
              embed.embed_id,
              embed.status,
              terminalMinuteText(embed.expires_at, context.tableWidth) ?? "never",
              embed.property_name,
              embed.property_id,
              embed.label ?? "",
              embed.views,
              embed.recipient ?? "",
              terminalMinuteText(embed.last_viewed_at, context.tableWidth),
            ]),
            context.tableWidth,
          ),
    );
  },
});

const views = defineCommand({
  name: "views",
  summary: "list the latest views of an embeddable report",
  arguments: { embedId: requiredCommandArgument("the embed's ID") },
  async run(context, { embedId }) {
    const record = await withCommandData(context, async ({ store }) => {
      const embed = await store.read.embeds.find(embedId);
      return embed && serializeEmbedViews(embed, await store.read.embeds.recentViews(embed.id));
    });
    if (!record) throw embedNotFound(embedId);
    context.print(
      record,
      record.latest.length === 0
        ? `${embedId} has not been viewed yet.`
        : terminalTable(
            ["VIEWED (UTC)", "ADDRESS"],
            record.latest.map(({ viewed_at, address }) => [
              terminalSecondText(viewed_at, context.tableWidth),
              address,
            ]),
            context.tableWidth,
          ),
    );
  },
});

const update = defineCommand({
  name: "update",
  summary: "change the label, recipient or passcode of an embeddable report",
  description: "An empty text removes a label or recipient. Viewers must enter a new passcode.",
  arguments: { embedId: requiredCommandArgument("the embed's ID") },
  options: {
    label: textOption("TEXT", "the name for it in lists"),
    recipient: textOption("TEXT", "who receives the URL"),
    passcode: switchOption("ask viewers for a new passcode, which is printed once"),
    noPasscode: switchOption("stop asking viewers for a passcode"),
  },
  examples: [
    'mainstay embed update EMB_01j… --recipient "First National Bank"',
    "mainstay embed update EMB_01j… --passcode",
  ],
  async run(context, { embedId }, { label, recipient, passcode: needsPasscode, noPasscode }) {
    if (needsPasscode && noPasscode)
      throw new UsageError("specify --passcode or --no-passcode", "See: mainstay embed update --help");
    if (label === undefined && recipient === undefined && !needsPasscode && !noPasscode)
      throw new UsageError(
        "specify --label, --recipient, --passcode or --no-passcode",
        "See: mainstay embed update --help",
      );
    const { embed, passcode } = await withCommandAdministration(context, async (administration) => {
      const { read } = administration.store;
      if (!(await read.embeds.find(embedId))) throw embedNotFound(embedId);
      const passcode = needsPasscode ? newPasscode(administration.random) : noPasscode ? null : undefined;
      const change = parseEmbedChangeJson({
        ...(label !== undefined && { label }),
        ...(recipient !== undefined && { recipient }),
        ...(passcode !== undefined && { passcode }),
      });
      const changed = await updateEmbed(administration, embedId, change);
      const { name } = (await read.properties.find(changed.partnerId, changed.propertyId))!;
      return { embed: serializeEmbed({ ...changed, propertyName: name }, context.now()), passcode };
    });
    context.print(
      { ...embed, ...(typeof passcode === "string" && { passcode }) },
      [
        `Changed ${embedId}.`,
        ...(typeof passcode === "string"
          ? [`Passcode  ${passcode}`, "Save it now; it is not shown again. Send it separately from the URL."]
          : []),
      ].join("\n"),
    );
  },
});

const embedNotFound = (id: string) =>
  new OperatorError(`Embed not found: ${id}`, "`mainstay embed list` shows all embeds.");

const revoke = defineCommand({
  name: "revoke",
  summary: "revoke an embeddable report immediately",
  arguments: { embedId: requiredCommandArgument("the embed's ID") },
  async run(context, { embedId }) {
    const isRevoked = await withCommandAdministration(context, (administration) =>
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

export const embedCommands: readonly Command[] = [create, list, views, update, revoke];
