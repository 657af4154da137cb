import type { RowValues } from "../../store-row-writes.ts";
import {
  postgresStatementName,
  type Statement,
  type StatementResult,
  type StatementRunner,
} from "../postgres-statement.ts";
import { postgresArrayParameters, type RowStatement } from "./postgres-row-statements.ts";

/** The most rows of one kind that are held before they are sent. */
const MOST_ROWS = 500;

/**
 * Sends a transaction's statements, and batches the rows that are written one by one: they are sent together before
 * any statement that could read or change them, and before the commit.
 */
export class PostgresStatementBatcher implements StatementRunner {
  #rows = new Map<RowStatement, RowValues[]>();
  /** How many of the rows belong to earlier jobs of the transaction. */
  #earlier = new Map<RowStatement, number>();
  /** True if the current job has batched rows, and whether any of its writes was sent. */
  #hasBatched = false;
  #hasSent = false;
  #writes = 0;
  readonly #cached = new Map<string, { table: string; value: Promise<unknown> }>();

  constructor(
    private readonly runner: StatementRunner,
    private readonly preparesStatements: boolean,
  ) {}

  /** The number of writes so far, batched or sent. */
  get writes(): number {
    return this.#writes;
  }

  async read(statement: Statement): Promise<StatementResult> {
    if (!isSelect(statement.text)) await this.#beforeWrite(statement);
    else if (this.#hasRowsFor(statement)) await this.flush();
    return await this.runner.read(statement);
  }

  write(statement: Statement): void | Promise<void> {
    const flushed = this.#beforeWrite(statement);
    return flushed ? flushed.then(() => this.runner.write(statement)) : this.runner.write(statement);
  }

  /** Adds a row to the statement's batch. */
  add(statement: RowStatement, row: RowValues): void | Promise<void> {
    this.#hasBatched = true;
    this.#writes++;
    const rows = this.#rows.get(statement);
    if (!rows) this.#rows.set(statement, [row]);
    else if (rows.push(row) >= MOST_ROWS) return this.flush();
  }

  /** Reads a value of one table once in a transaction, and again after a write to that table. */
  cached<T>(key: string, table: string, read: () => Promise<T>): Promise<T> {
    const known = this.#cached.get(key);
    if (known) return known.value as Promise<T>;
    const value = read();
    this.#cached.set(key, { table, value });
    return value;
  }

  /** Begins a transaction, and discards the rows of one that was rolled back. */
  beginTransaction(): void {
    this.#rows.clear();
    this.#cached.clear();
  }

  beginJob(): void {
    this.#hasBatched = false;
    this.#hasSent = false;
    this.#earlier = new Map([...this.#rows].map(([statement, rows]) => [statement, rows.length]));
  }

  /** Discards the batched rows of the current job. Returns false when some of its writes were sent. */
  discardJob(): boolean {
    for (const [statement, rows] of this.#rows) rows.length = this.#earlier.get(statement) ?? 0;
    this.#cached.clear();
    return !this.#hasSent;
  }

  /** Sends all batched rows. */
  flush(): void | Promise<void> {
    if (this.#rows.size === 0) return;
    const batches = [...this.#rows].sort(([a], [b]) => a.rank - b.rank);
    this.#rows = new Map();
    this.#earlier.clear();
    this.#hasSent ||= this.#hasBatched;
    let sent: Promise<void> | undefined;
    for (const [rowStatement, rows] of batches) {
      if (rows.length === 0) continue;
      const { text } = rowStatement;
      const statement: Statement = { text, values: postgresArrayParameters(rowStatement, rows) };
      if (this.preparesStatements) statement.name = postgresStatementName(text);
      sent = this.runner.write(statement) || sent;
    }
    return sent;
  }

  #beforeWrite({ tables }: Statement): void | Promise<void> {
    this.#hasSent = true;
    this.#writes++;
    for (const [key, { table }] of this.#cached) if (concerns(tables, table)) this.#cached.delete(key);
    return this.flush();
  }

  #hasRowsFor({ tables }: Statement): boolean {
    for (const { table } of this.#rows.keys()) if (concerns(tables, table)) return true;
    return false;
  }
}

const concerns = (tables: Statement["tables"], table: string) => tables === undefined || tables.has(table);
const isSelect = (text: string) => /^\s*\(?select\b/i.test(text) && !/\bfor update\b/i.test(text);
