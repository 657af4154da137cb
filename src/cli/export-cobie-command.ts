import { mkdirSync, rmdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Property, propertyNotFound } from "../domain/property.ts";
import { isRetired } from "../domain/rules/retirement-rule.ts";
import { yieldToEventLoop } from "../event-loop/event-loop.ts";
import { fileExistsError, fileStorageError } from "../files/durable-files.ts";
import { embeddedKnowledge } from "../knowledge/embedded-knowledge.ts";
import type { Store } from "../store/store.ts";
import { cobieWorkbook } from "../usecases/cobie/write-cobie.ts";
import { requirePartner } from "../usecases/partners/create-partner-and-credentials.ts";
import type { CommandContext } from "./command-context.ts";
import { withCommandData } from "./command-data-access.ts";
import { createCommandWorkbookFile } from "./command-workbook-output.ts";

type Request = { partnerId: string; propertyId: string | undefined; output: string };
type Written = { file: string; property_id: string; bytes: number; components: number };

const PROPERTIES_A_STEP = 100;

/** Writes one property to a COBie workbook, or each of a partner to one in a new folder: the standard has one facility each. */
export async function exportCobieByCommand(
  context: CommandContext,
  { partnerId, propertyId, output }: Request,
): Promise<void> {
  const target = resolve(context.cwd, output);
  const files = await withCommandData(context, async ({ store }) => {
    const partner = await requirePartner(store, partnerId);
    const knowledge = embeddedKnowledge(context.config.costs);
    const yieldNow = context.betweenSteps(yieldToEventLoop);
    const deps = { read: store.read, knowledge, now: context.now(), yieldNow };
    const written: Written[] = [];
    const folder = propertyId === undefined ? newFolder(target) : undefined;
    for await (const property of propertiesOf(store, partnerId, propertyId)) {
      const { bytes, components } = await cobieWorkbook(deps, partner.name, property);
      const file = folder === undefined ? target : join(folder, `${property.id}.xlsx`);
      createCommandWorkbookFile(file, bytes);
      written.push({ file, property_id: property.id, bytes: bytes.length, components });
    }
    if (folder !== undefined && written.length === 0) rmdirSync(folder);
    return written;
  });
  const components = files.reduce((sum, file) => sum + file.components, 0);
  const what = `${files.length} ${files.length === 1 ? "property" : "properties"}, ${components} components`;
  context.print(
    { partner_id: partnerId, files },
    files.length === 0 ? "The partner has no properties yet." : `Exported: ${what}.\nWritten to ${target}.`,
  );
}

async function* propertiesOf(
  { read }: Store,
  partnerId: string,
  propertyId: string | undefined,
): AsyncGenerator<Property, void> {
  if (propertyId !== undefined) {
    const property = await read.properties.find(partnerId, propertyId);
    if (!property) throw propertyNotFound();
    yield property;
    return;
  }
  const { properties: last } = await read.totals.stored(partnerId);
  for (let after = 0; after < last; after += PROPERTIES_A_STEP)
    for (const property of await read.properties.numbered(partnerId, after, after + PROPERTIES_A_STEP))
      if (!isRetired(property)) yield property;
}

function newFolder(folder: string): string {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw fileExistsError(folder);
    throw fileStorageError(error, folder);
  }
  return folder;
}
