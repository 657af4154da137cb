import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

export type FileKind = "properties" | "appliances" | "service_events";

/** A row's cells by field, trimmed; empty ones left out. */
export type Cells = Readonly<Record<string, string | number | undefined>>;

/** What the importer knows of one kind of file. `Entry` is a row that has been read. */
export type RowKind<Entry> = {
  name: FileKind;
  /** In the order that the help shows. */
  fields: Readonly<Record<string, "text" | "number">>;
  /** Columns that the file cannot do without. */
  required: readonly string[];
  /** Sets of columns, one of which the file must have whole to say what its rows belong to. */
  references: readonly (readonly string[])[];
  /** Checks all that can be checked without the database. Throws a Failure. */
  read(cells: Cells): Entry;
  /**
   * Starts the import of one file; what it returns opens the file's batches one after another. A batch may be opened
   * more than once for the same rows before it is committed.
   */
  start(): (writer: PortfolioWriter) => Batch<Entry>;
};

/** A field that a row has changed, in the words of the file. */
export type FieldChange = { field: string; from: unknown; to: unknown };

export type Outcome = "created" | "unchanged" | { updated: readonly FieldChange[] };

/** Rows that are written in one transaction. */
export type Batch<Entry> = {
  /** Reads together what the next rows will ask for one after the other. */
  foresee(entries: readonly Entry[]): Promise<void>;
  /**
   * Creates what the row says, unless it is there; with `update` what is there is made to agree with the row's cells
   * that are not empty. Throws a Failure with nothing of it written.
   */
  apply(entry: Entry, update: boolean): Promise<Outcome>;
  /** Scores what the rows have changed. Returns how many components they brought. */
  finish(): Promise<number>;
  /** Called once its transaction is committed: what the batches after it are to know. */
  committed?(): void;
};
