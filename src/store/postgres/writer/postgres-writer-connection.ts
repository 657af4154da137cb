import type pg from "pg";
import type { PostgresConnections } from "../connection/postgres-connections.ts";
import type { Statement, StatementResult, StatementRunner } from "../postgres-statement.ts";

/** Statements that may be sent without an answer before a write waits for them. */
const MOST_PENDING = 128;

/**
 * The connection of one writer. Statements that return nothing are sent without waiting for their answers; the first
 * failure of a transaction is kept, since PostgreSQL refuses all statements after it.
 */
export class PostgresWriterConnection implements StatementRunner {
  #client: pg.Client | undefined;
  #pending = 0;
  #failure: unknown;

  constructor(private readonly connections: PostgresConnections) {}

  get client(): pg.Client | undefined {
    return this.#client;
  }

  /** The first failure since the last `beginTransaction` or `clearFailure`. */
  get failure(): unknown {
    return this.#failure;
  }

  clearFailure(): void {
    this.#failure = undefined;
  }

  /** Opens the connection where it is closed, and sends the statement that begins a transaction. */
  async beginTransaction(begin: string): Promise<void> {
    await this.open();
    this.#failure = undefined;
    this.command(begin);
  }

  async open(): Promise<pg.Client> {
    if (!this.#client || !this.connections.isOpen(this.#client)) this.#client = await this.connections.open();
    return this.#client;
  }

  /** Rejects with the first failure of the transaction. */
  async read(statement: Statement): Promise<StatementResult> {
    try {
      return await this.send(statement);
    } catch (error) {
      this.#failure ??= error;
      throw this.#failure;
    }
  }

  write(statement: Statement): void | Promise<void> {
    const sent = this.send(statement).then(
      () => {},
      (error) => {
        this.#failure ??= error;
      },
    );
    if (this.#pending >= MOST_PENDING) return sent;
  }

  /** Sends a command of the transaction itself. A later statement reports its failure. */
  command(text: string): void {
    void this.write({ text, values: [] });
  }

  /** Sends a statement, without keeping its failure. */
  async send(statement: Statement): Promise<pg.QueryResult> {
    this.#pending++;
    try {
      return await this.#client!.query(statement as pg.QueryConfig);
    } finally {
      this.#pending--;
    }
  }

  /** Rolls back what was begun on the connection, or drops the connection where that fails. */
  async abandon(): Promise<void> {
    const client = this.#client;
    if (client && this.connections.isOpen(client))
      try {
        await client.query("ROLLBACK");
        return;
      } catch {
        this.connections.drop(client);
      }
    this.#client = undefined;
  }
}
