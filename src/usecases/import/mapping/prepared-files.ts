import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IMPORT_FIELDS } from "../import-portfolio.ts";
import { type Mapped, type PreparationDeps, type Prepared, prepareFiles } from "./prepare.ts";

/** Runs the work with the mapped rows in files of the importer's own columns, which are removed afterwards. */
export async function withPreparedFiles<T>(
  deps: PreparationDeps,
  mapped: readonly Mapped[],
  work: (prepared: Prepared) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-import-"));
  try {
    const {
      properties = [],
      appliances = [],
      service_events: serviceEvents = [],
      claims = [],
    } = IMPORT_FIELDS;
    const fields = { properties, appliances, serviceEvents, claims };
    return await work(await prepareFiles({ ...deps, folder }, mapped, fields));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
