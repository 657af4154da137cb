import type { TYPE_PARSERS } from "./postgres-type-parsers.ts";

/** A statement as it is sent. Each connection parses a statement with a name only once. */
export type Statement = {
  name?: string;
  text: string;
  values: unknown[];
  rowMode?: "array";
  types?: typeof TYPE_PARSERS;
  /** The tables that it reads or changes; undefined where that is unknown, which stands for all tables. */
  tables?: ReadonlySet<string> | undefined;
};
/** The rows of a statement. */
export type StatementResult = { rows: unknown[] };

/** Runs statements: on a connection for reads, or in a transaction. */
export type StatementRunner = {
  /** Resolves with the statement's rows. */
  read(statement: Statement): Promise<StatementResult>;
  /**
   * Sends a statement that returns no rows. It may resolve before the statement has run: statements run in the order
   * in which they are sent, and a failure fails the transaction.
   */
  write(statement: Statement): Promise<void> | void;
};

/** The name under which a statement's text is prepared. */
export const postgresStatementName = (text: string) => `mainstay_${Bun.hash(text).toString(36)}`;
