import type { CsvColumn } from "../../api-schemas/definition/api-input-csv-columns.ts";
import { NO_WORDED_IMPORT_NOTES, type WordedImportNotes } from "../../domain/wording/import-notes-wording.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import type { EqualRowCounts } from "./import-equal-row-counts.ts";

export type FileKind =
  | "properties"
  | "appliances"
  | "components"
  | "service_events"
  | "claims"
  | "cost_lines";

/** A row's cells by field, trimmed, without empty ones. */
export type RowCells = Readonly<Record<string, string | number | undefined>>;

/** The columns of one kind of file, and the parser of its rows. */
export type RowReader<Entry> = {
  name: FileKind;
  /** In the order of the help text. */
  fields: Readonly<Record<string, CsvColumn>>;
  /** Columns that the file must have. */
  required: readonly string[];
  /** Sets of columns, of which the file must have one completely to identify what its rows belong to. */
  references: readonly (readonly string[])[];
  /** The column of the IDs of stored records, with which a file needs no other. */
  identifier?: string;
  /** Validates everything that needs no database. Throws a Failure. */
  read(cells: RowCells): Entry;
};

/** The import of one kind of file into a portfolio. `Entry` is a parsed row. */
export type RowKind<Entry> = RowReader<Entry> & {
  /**
   * Starts the import of one file; the result opens the file's batches one after another. A batch may be opened
   * more than once for the same rows before it is committed. `equalRows` has the counts of earlier rows of the file.
   */
  start(equalRows?: EqualRowCounts): (writer: PortfolioWriter) => RowBatch<Entry>;
};

/** A field changed by a row, in the file's terms. */
export type FieldChange = { field: string; from: unknown; to: unknown };

/** Two properties with the same address, the second of which a row has created or changed. */
export type SameAddress = { propertyId: string; firstId: string };

/** `created` is the ID of the record, where other rows can refer to it. */
export type RowOutcome =
  | "created"
  | "unchanged"
  | { created: string; sameAddress?: SameAddress | undefined }
  | { updated: readonly FieldChange[]; sameAddress?: SameAddress | undefined };

export type AddedCounts = WordedImportNotes & { components: number };

export const NOTHING_ADDED: AddedCounts = { components: 0, ...NO_WORDED_IMPORT_NOTES };

/** The rows of one transaction. */
export type RowBatch<Entry> = {
  /** Loads the data of the next rows together. */
  preload(entries: readonly Entry[]): Promise<void>;
  /**
   * Creates the row's record unless it exists; with `update`, changes an existing record by the row's non-empty
   * cells. Throws a Failure with nothing written for the row.
   */
  apply(entry: Entry, update: boolean): Promise<RowOutcome>;
  /** Scores what the rows have changed. Returns what was added beside the rows. */
  finish(): Promise<AddedCounts>;
  /** Called once the transaction is committed, to update what later batches read. */
  committed?(): void;
};
