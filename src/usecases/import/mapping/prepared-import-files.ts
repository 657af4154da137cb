import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IMPORT_FIELDS } from "../import-portfolio.ts";
import {
  type MappedTable,
  type PreparationDeps,
  type PreparedRows,
  prepareMappedRows,
} from "./prepare-import-rows.ts";

const fieldsOf = (kind: string) => IMPORT_FIELDS[kind] ?? [];
const partFields = () => ({
  properties: fieldsOf("properties"),
  appliances: fieldsOf("appliances"),
  serviceEvents: fieldsOf("service_events"),
  claims: fieldsOf("claims"),
});

/** Runs the work with the mapped rows in files of the importer's own columns, which are removed afterwards. */
export async function withPreparedImportFiles<T>(
  deps: PreparationDeps,
  mapped: readonly MappedTable[],
  work: (prepared: PreparedRows) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-import-"));
  try {
    return await work(await prepareMappedRows({ ...deps, folder }, mapped, partFields()));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prepares mapped rows in memory: a server may write to its data folder alone. */
export const prepareRowsInMemory = (
  deps: PreparationDeps,
  mapped: readonly MappedTable[],
): Promise<PreparedRows> => prepareMappedRows(deps, mapped, partFields());
