import pg from "pg";
import { StorageError } from "../../../domain/errors.ts";
import type { Result, Runner, Statement } from "../engine.ts";
import { explainError, isConflict, isConnectionLost } from "../errors.ts";
import type { DatabaseAddress } from "./address.ts";

/** How long a read may take; what needs longer goes in pages. */
const READ_MS = 60_000;
/** How often the database is asked for its pulse. */
const PULSE_MS = 250;
/** So often an unused connection is used, or a firewall in between forgets it, and what is sent then is never answered. */
const KEEP_ALIVE_MS = 30_000;
/** How long the other side has to take note that a connection is closed. */
const LEAVE_MS = 1_000;
/** Of the time that a caller waits: until a connection or a pulse is given up, and until nothing is tried again. */
const GIVEN_UP_AT = 0.75;
const REFUSED_AT = 0.9;

/**
 * The connections to one database: a pool that reads, and as many of their own as are asked for. A pulse tells when the
 * database does not answer at all, although nobody has closed a connection: then all of them are given up, what waits
 * is refused, and it is looked for until it is back.
 */
export class Connections {
  readonly #settings: pg.ClientConfig;
  readonly #pool: pg.Pool;
  readonly #own = new Set<pg.Client>();
  /** Of the pool, how many are lent, and who waits for one. */
  #lent = 0;
  readonly #borrowers: (() => void)[] = [];
  readonly #givenUpMs: number;
  /** How long something is tried again while the database is away. */
  readonly reconnectMs: number;
  #away: StorageError | undefined;
  #closed = false;
  #endPulse = () => {};

  /** `readMs`: how long a statement on one of the pool's connections may take. */
  constructor(
    readonly address: DatabaseAddress,
    readMs = READ_MS,
  ) {
    const { host, port, user, password, database, ssl } = address;
    this.#givenUpMs = address.timeoutMs * GIVEN_UP_AT;
    this.reconnectMs = address.timeoutMs * REFUSED_AT;
    this.#settings = {
      ...{ host, port, user, password, database, ssl },
      application_name: "mainstay",
      ...{ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS },
      connectionTimeoutMillis: this.#givenUpMs,
    };
    this.#pool = new pg.Pool({
      ...this.#settings,
      max: address.pool,
      idleTimeoutMillis: 30_000,
      query_timeout: readMs,
      allowExitOnIdle: true,
    });
    // A connection that is lost while nobody uses it is replaced when somebody needs one.
    this.#pool.on("error", () => {});
  }

  /** Reads, each on whichever connection is free; repeated while the database is away for a moment. */
  readonly reader: Runner = {
    read: (statement) => this.#repeated(() => this.#pool.query(statement)),
    write: () => {
      throw new Error("a read was to write");
    },
  };

  /** Runs a statement that changes something, by itself: one that is lost may have been run. */
  async sendOnce(statement: Statement): Promise<Result> {
    if (this.#away) throw this.#away;
    return await this.#pool.query(statement);
  }

  /**
   * One of the pool's connections for several reads, begun by a statement. At most half of them are lent, so that single
   * reads have the others: who comes then waits until one is given back.
   */
  async checkOut(begin: string): Promise<{ client: pg.PoolClient; giveBack(isBroken: boolean): void }> {
    if (this.#lent < Math.max(1, this.address.pool >> 1)) this.#lent++;
    else await new Promise<void>((resolve) => this.#borrowers.push(resolve));
    const pass = () => {
      const next = this.#borrowers.shift();
      if (next) next();
      else this.#lent--;
    };
    // Told to whoever has a statement under way on it.
    const ignore = () => {};
    try {
      const client = await this.#repeated(async () => {
        const free = await this.#pool.connect();
        free.on("error", ignore);
        try {
          await free.query(begin);
        } catch (error) {
          free.release(true);
          throw error;
        }
        return free;
      });
      const giveBack = (isBroken: boolean) => {
        client.off("error", ignore);
        client.release(isBroken);
        pass();
      };
      return { client, giveBack };
    } catch (error) {
      pass();
      throw error;
    }
  }

  /** A connection of one's own, on which several statements may be under way at once. `end` it, or `drop` it when lost. */
  async open(): Promise<pg.Client> {
    return await this.#repeated(async () => {
      const client = new pg.Client({ ...this.#settings, pipeline: true } as pg.ClientConfig);
      // Told to whoever has a statement under way on it; else noticed at the next.
      client.on("error", () => this.drop(client));
      await client.connect();
      this.#own.add(client);
      return client;
    });
  }

  /** Gives a connection up without waiting for anything. */
  drop(client: pg.Client): void {
    this.#own.delete(client);
    streamOf(client).destroy();
  }

  isOpen(client: pg.Client): boolean {
    return this.#own.has(client);
  }

  /** How many bytes have come on it. */
  bytesReceived(client: pg.Client): number {
    return streamOf(client).bytesRead;
  }

  async end(client: pg.Client): Promise<void> {
    this.#own.delete(client);
    // A pooler that looks for a server, or a network that is gone, does not hear that one takes one's leave.
    let late: ReturnType<typeof setTimeout>;
    const unheard = new Promise<void>((resolve) => {
      late = setTimeout(resolve, LEAVE_MS);
    });
    await Promise.race([client.end().catch(() => {}), unheard]);
    clearTimeout(late!);
    streamOf(client).destroy();
  }

  /** Why the database cannot be asked just now; undefined while it answers. */
  get unavailable(): StorageError | undefined {
    return this.#away;
  }

  /** Starts to ask for the pulse by `ask`, on a connection that it keeps. */
  startPolling(first: pg.Client, ask: (client: pg.Client) => Promise<void>): void {
    let client: pg.Client | undefined = first;
    let timer: ReturnType<typeof setTimeout>;
    const next = (work: () => void, ms: number) => {
      if (this.#closed) return;
      timer = setTimeout(work, ms);
      timer.unref();
    };
    const beat = async () => {
      let isAsking = true;
      let pauseMs = PULSE_MS;
      const wasOpen = client !== undefined;
      // In rounds, so that a pause of this whole process does not pass for one of the database.
      const listen = (rounds: number) => {
        if (!isAsking || this.#closed) return;
        if (rounds > 0) next(() => listen(rounds - 1), PULSE_MS);
        else this.#giveUp(new Error("Connection terminated: no answer"));
      };
      listen(Math.ceil(this.#givenUpMs / PULSE_MS));
      try {
        client ??= await this.#connect();
        await ask(client);
        this.#away = undefined;
      } catch (error) {
        if (client) this.drop(client);
        client = undefined;
        // One that was cut while nobody used it says nothing of the database: the next one does, at once.
        if (wasOpen && !this.#away) pauseMs = 0;
        else if (isConnectionLost(error)) this.#away = this.#refusal(error);
      }
      isAsking = false;
      if (this.#closed && client) this.drop(client);
      next(() => void beat(), pauseMs);
    };
    next(() => void beat(), PULSE_MS);
    this.#endPulse = () => {
      clearTimeout(timer);
      if (client) void this.end(client);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Whatever goes on all the same, as a lane whose commit hung, ends.
    this.#away ??= new StorageError("the store is closed");
    this.#endPulse();
    await Promise.all([...this.#own].map((client) => this.end(client)));
    await this.#pool.end();
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#settings);
    client.on("error", () => this.drop(client));
    await client.connect();
    this.#own.add(client);
    return client;
  }

  #giveUp(error: Error): void {
    this.#away = this.#refusal(error);
    for (const client of this.#own) this.drop(client);
    for (const client of clientsOf(this.#pool)) streamOf(client).destroy();
  }

  #refusal(error: unknown): StorageError {
    const told = explainError(error, this.address);
    return told instanceof StorageError ? told : new StorageError(String((told as Error).message));
  }

  async #repeated<T>(attempt: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.reconnectMs;
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 200)) {
      if (this.#away) throw this.#away;
      try {
        return await attempt();
      } catch (error) {
        // A read waits for whoever changes a table, and may be the one that is undone then.
        if (!isConnectionLost(error) && !isConflict(error)) throw error;
        if (performance.now() + pauseMs > deadline) throw this.#refusal(error);
      }
      await Bun.sleep(pauseMs);
    }
  }
}

type Stream = { destroy(): void; bytesRead: number };
const streamOf = (client: pg.Client) =>
  (client as unknown as { connection: { stream: Stream } }).connection.stream;
const clientsOf = (pool: pg.Pool) => (pool as unknown as { _clients: pg.Client[] })._clients;
