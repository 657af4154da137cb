import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { refusedWrite } from "../../domain/errors.ts";
import { alreadyThere, placeFile } from "../../files.ts";
import { requirePartner } from "../../usecases/partners.ts";
import type { ExportLine } from "../../wire/export.ts";
import { choice, command, text, UsageError } from "../command.ts";
import type { Output } from "../context.ts";
import { withData } from "../data.ts";

export const exportCommand = command({
  description:
    "Each object has a type: partner, property, unit, appliance, component, service_event, sensor_event, claim, " +
    "photo, trend_row, outcome, delivery, and last end with the counts. What was there when the export began is in it, each " +
    "record as it is when it is read; the server may run. To standard output without --output, counts then go to " +
    "standard error.",
  options: {
    partner: text("ID", "the partner's id (required)"),
    format: choice(["ndjson"], "the form of the lines; ndjson when not given"),
    output: text("FILE", "write to this file, which must not be there yet"),
  },
  examples: [
    "mainstay export --partner PARTNER_… --output acme.ndjson",
    "mainstay export --partner PARTNER_… | zstd > acme.ndjson.zst",
  ],
  async run(context, _arguments, { partner: partnerId, output }) {
    if (partnerId === undefined)
      throw new UsageError("--partner is missing", "`mainstay partner list` shows the ids.");
    const { loadKnowledge } = await import("../../knowledge/load.ts");
    const { exportPartner } = await import("../../usecases/export-partner.ts");
    const file = output && resolve(context.cwd, output);
    const exportTo = (target: Output) =>
      withData(context, async ({ store }) => {
        const partner = await requirePartner(store, partnerId);
        return await writeLines(exportPartner(store, loadKnowledge(), partner, context.now), target);
      });
    if (file === undefined) {
      const counts = await exportTo(context.stdout);
      context.stderr.write(
        `${context.json ? JSON.stringify({ partner_id: partnerId, counts }) : inWords(counts)}\n`,
      );
      return;
    }
    const { counts, bytes } = await intoFile(file, exportTo);
    context.print({ file, partner_id: partnerId, bytes, counts }, `${inWords(counts)}\nWritten to ${file}.`);
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

/** Under another name until it is whole; a failed export leaves nothing. */
async function intoFile(
  file: string,
  exportTo: (target: Output) => Promise<Counts>,
): Promise<{ counts: Counts; bytes: number }> {
  if (existsSync(file)) throw alreadyThere(file);
  const partial = `${file}.partial`;
  const descriptor = openSync(partial, "wx", 0o600);
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
    placeFile(partial, file);
    return { counts, bytes };
  } catch (error) {
    throw refusedWrite(error, dirname(file));
  } finally {
    closeSync(descriptor);
    remove();
    process.removeListener("exit", remove);
  }
}

function inWords(counts: Counts): string {
  const kinds = Object.entries(counts).map(([type, count]) => `${count} ${type}`);
  return kinds.length === 0 ? "The partner owns nothing yet." : `Exported: ${kinds.join(", ")}.`;
}
