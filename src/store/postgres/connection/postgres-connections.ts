import { Socket } from "node:net";
import pg from "pg";
import { StorageError } from "../../../domain/errors.ts";
import {
  explainPostgresError,
  isPostgresConnectionLost,
  isPostgresReadTimeout,
  isRetryablePostgresConflict,
  postgresStandbyError,
} from "../postgres-errors.ts";
import type { Statement, StatementResult, StatementRunner } from "../postgres-statement.ts";
import type { DatabaseAddress } from "./postgres-address.ts";
import { type PostgresServerState, SERVER_STATE } from "./postgres-server-runs.ts";
import { postgresValueSettingError } from "./postgres-value-settings.ts";

/** The limit of a read; whatever takes longer is read in pages. */
const READ_TIMEOUT_MS = 60_000;

/** The limits of reads on connections of the pool. */
export type ReadTimeouts = {
  /** The limit of a statement. */
  readMs?: number;
  /**
   * The time after which a read that has no answer is repeated once on another connection, since a firewall may drop the
   * packets of a single one. Without it, none is repeated.
   */
  repeatMs?: number;
};
const POLL_INTERVAL_MS = 250;
/** How often a new connection is opened to check which server the address reaches. */
const PROBE_INTERVAL_MS = 2_000;
/** A firewall forgets a connection that is idle for longer, and drops what is sent on it later without a reply. */
const KEEP_ALIVE_MS = 30_000;
/** The time that the other side has to acknowledge the end of a connection. */
const END_TIMEOUT_MS = 1_000;
/**
 * The shares of the caller's timeout after which a connection attempt or a poll counts as failed, and after which
 * nothing is retried.
 */
const NO_ANSWER_SHARE = 0.75;
const RETRY_SHARE = 0.9;

/**
 * The connections to one database: a pool for reads, and dedicated connections. Polling detects a database that does
 * not answer although no connection was closed: then all connections are destroyed, callers are refused at once, and
 * polling continues until the database answers again. From the first poll on, every new connection is checked for the server
 * that it reaches. When another server has taken over, all connections are destroyed: the one that was the primary may still
 * respond on them, such as behind a proxy that leaves sessions open.
 */
export class PostgresConnections {
  readonly #settings: pg.ClientConfig;
  readonly #pool: pg.Pool;
  /**
   * The sockets of all connections, those of the pool included: `pg` itself ends a connection only by asking the
   * server.
   */
  readonly #sockets = new Set<Socket>();
  readonly #dedicated = new Map<pg.Client, Socket>();
  #checkedOut = 0;
  /** Callers that wait for a connection of the pool. */
  readonly #waiting: (() => void)[] = [];
  readonly #noAnswerMs: number;
  /** How long an operation is retried while the database is unavailable. */
  readonly reconnectMs: number;
  /** The run of the server that the latest connection or poll has reached; undefined before the first poll. */
  #serverRun: string | undefined;
  #unavailable: StorageError | undefined;
  #isClosed = false;
  #stopPolling = () => {};

  readonly #repeatMs: number | undefined;

  constructor(
    readonly address: DatabaseAddress,
    { readMs = READ_TIMEOUT_MS, repeatMs }: ReadTimeouts = {},
  ) {
    const { host, port, user, password, database, ssl } = address;
    this.#noAnswerMs = address.timeoutMs * NO_ANSWER_SHARE;
    this.#repeatMs = repeatMs;
    this.reconnectMs = address.timeoutMs * RETRY_SHARE;
    this.#settings = {
      host,
      port,
      user,
      password,
      database,
      ssl,
      application_name: "mainstay",
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: this.#noAnswerMs,
      stream: () => this.#newSocket(),
    };
    this.#pool = new pg.Pool({
      ...this.#settings,
      max: address.pool,
      idleTimeoutMillis: 30_000,
      query_timeout: readMs,
      allowExitOnIdle: true,
      verify: (client, done) => {
        this.#checkServer(client).then(() => done(), done);
      },
    });
    // The pool replaces a connection that is lost while idle when it is next needed.
    this.#pool.on("error", () => {});
  }

  /**
   * Runs reads, each on any idle connection of the pool, and retries them while the database is briefly unavailable.
   */
  readonly reader: StatementRunner = {
    read: (statement) =>
      this.#retried((isRepeated) =>
        this.#pool.query(isRepeated ? statement : this.#withRepeatTimeout(statement)),
      ),
    write: () => {
      throw new Error("a reader was asked to write");
    },
  };

  /**
   * Runs a statement that changes something in a transaction of its own, once. When the connection is lost, the
   * statement may have run.
   */
  async sendOnce(statement: Statement): Promise<StatementResult> {
    if (this.#unavailable) throw this.#unavailable;
    return await this.#pool.query(this.#withRepeatTimeout(statement));
  }

  /**
   * Checks a connection of the pool out for several reads, and runs `begin` on it. At most half of the pool is checked
   * out, which leaves the other half to single reads; further callers wait.
   */
  async checkOut(begin: string): Promise<{ client: pg.PoolClient; giveBack(isBroken: boolean): void }> {
    if (this.#checkedOut < Math.max(1, this.address.pool >> 1)) this.#checkedOut++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const admitNext = () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#checkedOut--;
    };
    // The statement in progress reports the error.
    const ignore = () => {};
    try {
      const client = await this.#retried(async (isRepeated) => {
        const statement = { text: begin };
        const idle = await this.#pool.connect();
        idle.on("error", ignore);
        try {
          await idle.query(isRepeated ? statement : this.#withRepeatTimeout(statement));
        } catch (error) {
          idle.release(true);
          throw error;
        }
        return idle;
      });
      const giveBack = (isBroken: boolean) => {
        client.off("error", ignore);
        client.release(isBroken);
        admitNext();
      };
      return { client, giveBack };
    } catch (error) {
      admitNext();
      throw error;
    }
  }

  /**
   * Opens a dedicated connection, on which several statements may be in progress at once. The caller calls `end`, or
   * `drop` when the connection is lost.
   */
  async open(): Promise<pg.Client> {
    return await this.#retried(() => this.#connect({ pipeline: true }));
  }

  /** Destroys a dedicated connection without waiting for the server. */
  drop(client: pg.Client): void {
    const socket = this.#dedicated.get(client);
    this.#dedicated.delete(client);
    socket?.destroy();
  }

  isOpen(client: pg.Client): boolean {
    return this.#dedicated.has(client);
  }

  /** The number of bytes that have arrived on a dedicated connection; 0 once it is dropped. */
  bytesReceived(client: pg.Client): number {
    return this.#dedicated.get(client)?.bytesRead ?? 0;
  }

  /** Ends a dedicated connection; destroys it when the server does not acknowledge within a second. */
  async end(client: pg.Client): Promise<void> {
    const socket = this.#dedicated.get(client);
    this.#dedicated.delete(client);
    // A pooler that has no server, or a network that is gone, never acknowledges.
    let timer: ReturnType<typeof setTimeout>;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_TIMEOUT_MS);
    });
    await Promise.race([client.end().catch(() => {}), timeout]);
    clearTimeout(timer!);
    socket?.destroy();
  }

  /** The reason why the database can't be asked at present; undefined while it answers. */
  get unavailable(): StorageError | undefined {
    return this.#unavailable;
  }

  /** Polls the database with `poll` until `close`, on a connection that is kept; `first` is used until it is lost. */
  startPolling(first: pg.Client, poll: (client: pg.Client) => Promise<void>): void {
    let client: pg.Client | undefined = first;
    let timer: ReturnType<typeof setTimeout>;
    const schedule = (work: () => void, ms: number) => {
      if (this.#isClosed) return;
      timer = setTimeout(work, ms);
      timer.unref();
    };
    const pollOnce = async () => {
      let isPending = true;
      let pauseMs = POLL_INTERVAL_MS;
      const wasOpen = client !== undefined;
      // Counted in intervals, so that a pause of this process doesn't count as one of the database.
      const awaitAnswer = (intervals: number) => {
        if (!isPending || this.#isClosed) return;
        if (intervals > 0) schedule(() => awaitAnswer(intervals - 1), POLL_INTERVAL_MS);
        else this.#destroyAll(new Error("Connection terminated: no answer"));
      };
      awaitAnswer(Math.ceil(this.#noAnswerMs / POLL_INTERVAL_MS));
      try {
        client ??= await this.#connect();
        await poll(client);
        this.#unavailable = undefined;
      } catch (error) {
        if (client) this.drop(client);
        client = undefined;
        // A connection that was closed while idle says nothing about the database; the next poll does, at once. Without polls,
        // what other servers write stays unknown.
        if (wasOpen && !this.#unavailable) pauseMs = 0;
        else this.#unavailable = this.#refusal(error);
      }
      isPending = false;
      if (this.#isClosed && client) this.drop(client);
      schedule(() => void pollOnce(), pauseMs);
    };
    schedule(() => void pollOnce(), POLL_INTERVAL_MS);
    const stopProbing = this.#startProbing();
    this.#stopPolling = () => {
      clearTimeout(timer);
      stopProbing();
      if (client) void this.end(client);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Ends the retries of all work in progress, such as a writer whose commit hangs.
    this.#unavailable ??= new StorageError("the store is closed");
    this.#stopPolling();
    await Promise.all([...this.#dedicated.keys()].map((client) => this.end(client)));
    await this.#pool.end();
  }

  async #connect(settings: pg.ClientConfig = {}): Promise<pg.Client> {
    const socket = this.#newSocket();
    const client = new pg.Client({ ...this.#settings, ...settings, stream: () => socket });
    // The statement in progress reports the error; without one, the next statement does.
    client.on("error", () => {
      this.#dedicated.delete(client);
      socket.destroy();
    });
    await client.connect();
    this.#dedicated.set(client, socket);
    try {
      await this.#checkServer(client);
    } catch (error) {
      this.drop(client);
      throw error;
    }
    return client;
  }

  /** Rejects if the new connection reaches a standby, or the first one to reach a server that has taken over. */
  async #checkServer(client: pg.ClientBase): Promise<void> {
    if (this.#serverRun === undefined) return;
    const statement = { text: `SELECT ${SERVER_STATE}`, query_timeout: this.#noAnswerMs };
    // The statement reports the error.
    const ignore = () => {};
    client.on("error", ignore);
    try {
      const { rows } = await client.query<PostgresServerState>(statement as pg.QueryConfig);
      if (this.sawServer(rows[0]!)) throw new Error("Connection terminated: another server has taken over");
    } finally {
      client.off("error", ignore);
    }
  }

  /** How often another server has taken over, which may have lost the latest changes. */
  takeovers = 0;

  /**
   * Destroys all connections and returns true if another server has taken over. Throws for a standby, which may be far behind
   * the primary, or have been one, and for settings that change values.
   */
  sawServer({ run, standby, value_setting: setting }: PostgresServerState): boolean {
    if (standby) throw postgresStandbyError();
    if (setting !== null) throw postgresValueSettingError(setting, this.address);
    const isOther = this.#serverRun !== undefined && this.#serverRun !== run;
    this.#serverRun = run;
    if (isOther) {
      this.takeovers++;
      this.#destroySockets();
    }
    return isOther;
  }

  /** Opens a connection from time to time, since those that are kept reach the same server as before. */
  #startProbing(): () => void {
    let timer: ReturnType<typeof setTimeout>;
    const schedule = () => {
      if (this.#isClosed) return;
      timer = setTimeout(() => void probe(), PROBE_INTERVAL_MS);
      timer.unref();
    };
    const probe = async () => {
      try {
        await this.end(await this.#connect());
      } catch {
        // Polling detects a database that does not respond.
      }
      schedule();
    };
    schedule();
    return () => clearTimeout(timer);
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    return socket;
  }

  #destroyAll(error: Error): void {
    this.#unavailable = this.#refusal(error);
    this.#destroySockets();
  }

  #destroySockets(): void {
    this.#dedicated.clear();
    for (const socket of this.#sockets) socket.destroy();
  }

  #refusal(error: unknown): StorageError {
    const explained = explainPostgresError(error, this.address);
    return explained instanceof StorageError ? explained : new StorageError((explained as Error).message);
  }

  #withRepeatTimeout<S extends pg.QueryConfig>(statement: S): S {
    return this.#repeatMs === undefined ? statement : { ...statement, query_timeout: this.#repeatMs };
  }

  /** `isRepeated` is true once an attempt had no answer within the time after which a read is repeated. */
  async #retried<T>(attempt: (isRepeated: boolean) => Promise<T>): Promise<T> {
    let isRepeated = this.#repeatMs === undefined;
    const deadline = performance.now() + this.reconnectMs;
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 200)) {
      if (this.#unavailable) throw this.#unavailable;
      try {
        return await attempt(isRepeated);
      } catch (error) {
        if (!isRepeated && isPostgresReadTimeout(error)) {
          isRepeated = true;
          continue;
        }
        // A read waits for a transaction that alters a table, and may be the one that PostgreSQL cancels in a deadlock.
        if (!isPostgresConnectionLost(error) && !isRetryablePostgresConflict(error)) throw error;
        if (performance.now() + pauseMs > deadline) throw this.#refusal(error);
      }
      await Bun.sleep(pauseMs);
    }
  }
}
