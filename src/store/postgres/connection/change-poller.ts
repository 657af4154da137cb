import type pg from "pg";
import type { Connections } from "./connections.ts";

/** What others have written: the sum tells of every group that is committed, without a row for each. */
const OTHERS =
  "SELECT count(*) || ':' || coalesce(sum(number), 0) AS written FROM write_groups WHERE writer NOT LIKE $1";
const FORGET_OLD = "DELETE FROM write_groups WHERE written_at < now() - interval '1 day'";
const FORGET_MS = 1_000;
const FORGET = "DELETE FROM write_groups WHERE writer LIKE $1";

/** Asks several times a second whether the database is there, and whether other processes have written to it. */
export class ChangePoller {
  #written: string | undefined;
  #own: string;
  /** Changes whenever another process was seen to have committed. */
  version = 0;

  constructor(
    private readonly connections: Connections,
    process: string,
  ) {
    // Its own signs do not stand for others.
    this.#own = `${process.replaceAll("_", "\\_")}-%`;
  }

  /** Looks for the first time, and from then on by itself, on a connection that is its own from now on. */
  async start(client: pg.Client): Promise<void> {
    await client.query(FORGET_OLD);
    await this.#look(client);
    this.connections.startPolling(client, (own) => this.#look(own));
  }

  async #look(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ written: string }>(OTHERS, [this.#own]);
    const { written } = rows[0]!;
    if (this.#written !== undefined && this.#written !== written) this.version++;
    this.#written = written;
  }

  /** Takes the rows of this process away. */
  async end(): Promise<void> {
    if (this.connections.unavailable) return;
    await this.connections
      .open()
      .then(async (client) => {
        // What is left is forgotten after a day all the same.
        await client.query({ text: FORGET, values: [this.#own], query_timeout: FORGET_MS } as pg.QueryConfig);
        await this.connections.end(client);
      })
      .catch(() => {});
  }
}
