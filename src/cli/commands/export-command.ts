import { closeSync, existsSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ExportLine } from "../../api-schemas/export-schema.ts";
import {
  fileExistsError,
  fileStorageError,
  moveIntoPlace,
  openNewFile,
  temporaryPath,
} from "../../files/durable-files.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import { choiceOption, defineCommand, textOption, UsageError } from "../command.ts";
import type { Output } from "../command-context.ts";
import { withCommandData } from "../command-data-access.ts";

export const exportCommand = defineCommand({
  description:
    "One JSON object per line. Each has a type: partner, cost_line, saved_filter, brand, property, condition_trend_row, unit, " +
    "embed, embed_view, appliance, work_mark, component, service_event, sensor_event, claim, photo, trend_row, outcome or " +
    "delivery; the last line has type end and the counts. Includes " +
    "all records that exist when the export starts, each as it is when read. The server may be running. Without " +
    "--output the lines go to standard output and the counts to standard error. The format cobie writes COBie 2.4 " +
    "workbooks for facility managers: of one property to a file, or of each property to a file in a new folder.",
  options: {
    partner: textOption("ID", "the partner's ID (required)"),
    format: choiceOption(["ndjson", "cobie"], "output format (default: ndjson)"),
    property: textOption("PROPERTY_ID", "the property, with --format cobie (default: all of the partner)"),
    output: textOption(
      "FILE",
      "write to this new file; with --format cobie and no --property, to this new folder",
    ),
  },
  examples: [
    "mainstay export --partner PARTNER_… --output acme.ndjson",
    "mainstay export --partner PARTNER_… | zstd > acme.ndjson.zst",
    "mainstay export --partner PARTNER_… --format cobie --property P_… --output harbor-view.xlsx",
  ],
  async run(context, _arguments, { partner: partnerId, format, property: propertyId, output }) {
    if (partnerId === undefined)
      throw new UsageError("--partner is required", "`mainstay partner list` shows the IDs.");
    if (format === "cobie") {
      if (output === undefined) throw new UsageError("--format cobie needs --output");
      const { exportCobieByCommand } = await import("../export-cobie-command.ts");
      return await exportCobieByCommand(context, { partnerId, propertyId, output });
    }
    if (propertyId !== undefined) throw new UsageError("--property needs --format cobie");
    const { embeddedKnowledge } = await import("../../knowledge/embedded-knowledge.ts");
    const { exportPartner } = await import("../../usecases/partners/export-partner.ts");
    const file = output && resolve(context.cwd, output);
    const exportTo = (target: Output) =>
      withCommandData(context, async ({ store }) => {
        const partner = await requirePartner(store, partnerId);
        return await writeLines(
          exportPartner(store, embeddedKnowledge(context.config.costs), partner, context.now),
          target,
        );
      });
    if (file === undefined) {
      const counts = await exportTo(context.stdout);
      context.stderr.write(
        `${context.json ? JSON.stringify({ partner_id: partnerId, counts }) : countsText(counts)}\n`,
      );
      return;
    }
    const { counts, bytes } = await writeFile(file, exportTo);
    context.print(
      { file, partner_id: partnerId, bytes, counts },
      `${countsText(counts)}\nWritten to ${file}.`,
    );
  },
});

type Counts = Record<string, number>;

async function writeLines(pages: AsyncIterable<ExportLine[]>, target: Output): Promise<Counts> {
  let counts: Counts = {};
  for await (const page of pages) {
    target.write(page.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const end = page.at(-1)!;
    if (end.type === "end") counts = end.counts as Counts;
  }
  return counts;
}

/** Writes to a temporary name and renames it when complete, so that a failed export leaves no file. */
async function writeFile(
  file: string,
  exportTo: (target: Output) => Promise<Counts>,
): Promise<{ counts: Counts; bytes: number }> {
  if (existsSync(file)) throw fileExistsError(file);
  const partial = temporaryPath(file);
  const descriptor = openNewFile(partial);
  const remove = () => rmSync(partial, { force: true });
  process.once("exit", remove);
  let bytes = 0;
  try {
    const counts = await exportTo({
      write(lines) {
        const encoded = Buffer.from(lines);
        for (let at = 0; at < encoded.length; ) at += writeSync(descriptor, encoded, at);
        bytes += encoded.length;
      },
    });
    moveIntoPlace(partial, file);
    return { counts, bytes };
  } catch (error) {
    throw fileStorageError(error, dirname(file));
  } finally {
    closeSync(descriptor);
    remove();
    process.removeListener("exit", remove);
  }
}

function countsText(counts: Counts): string {
  const kinds = Object.entries(counts).map(([type, count]) => `${count} ${type}`);
  return kinds.length === 0 ? "The partner has no data yet." : `Exported: ${kinds.join(", ")}.`;
}
