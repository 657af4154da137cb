import type pg from "pg";
import type { PostgresConnections } from "./postgres-connections.ts";
import { type PostgresServerState, SERVER_STATE } from "./postgres-server-runs.ts";

/** Changes with every group of writes that another process commits: the sum of the numbers of all other writers. */
const WRITTEN_BY_OTHERS = `SELECT count(*) || ':' || coalesce(sum(number), 0) AS written, ${SERVER_STATE}
  FROM write_groups WHERE writer NOT LIKE $1`;
const DELETE_OLD = "DELETE FROM write_groups WHERE written_at < now() - interval '1 day'";
const DELETE_OWN = "DELETE FROM write_groups WHERE writer LIKE $1";
const DELETE_TIMEOUT_MS = 1_000;

/** Polls several times a second whether the database answers, and whether other processes have written to it. */
export class PostgresChangePoller {
  #written: string | undefined;
  /** Matches the writers of this process. */
  readonly #ownWriters: string;
  #commits = 0;

  constructor(
    private readonly connections: PostgresConnections,
    process: string,
  ) {
    this.#ownWriters = `${process.replaceAll("_", "\\_")}-%`;
  }

  /** Changes whenever a commit of another process is detected, or a server that may lack the latest ones. */
  get version(): number {
    return this.#commits + this.connections.takeovers;
  }

  /** Polls once, and starts polling on this connection, which belongs to the poller from now on. */
  async start(client: pg.Client): Promise<void> {
    await client.query(DELETE_OLD);
    await this.#poll(client);
    this.connections.startPolling(client, (current) => this.#poll(current));
  }

  /** Deletes the rows of this process. */
  async end(): Promise<void> {
    if (this.connections.unavailable) return;
    // Rows that remain are deleted by another process after a day.
    await this.#deleteOwn().catch(() => {});
  }

  async #poll(client: pg.Client): Promise<void> {
    const { rows } = await client.query<PostgresServerState & { written: string }>(WRITTEN_BY_OTHERS, [
      this.#ownWriters,
    ]);
    const { written, ...server } = rows[0]!;
    // A connection to a pooler outlives the server behind it.
    this.connections.sawServer(server);
    if (this.#written !== undefined && this.#written !== written) this.#commits++;
    this.#written = written;
  }

  async #deleteOwn(): Promise<void> {
    const client = await this.connections.open();
    await client.query({
      text: DELETE_OWN,
      values: [this.#ownWriters],
      query_timeout: DELETE_TIMEOUT_MS,
    } as pg.QueryConfig);
    await this.connections.end(client);
  }
}
