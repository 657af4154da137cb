import type pg from "pg";
import { StorageError } from "../../../domain/errors.ts";
import type { Runner, Statement } from "../engine.ts";
import { causeOf, failsTransaction, isConflict, isConnectionLost, isLockTimeout } from "../errors.ts";
import { settleJob, withCommitTimeout } from "./commit-timeout.ts";
import { watchConnection } from "./dead-connection-watchdog.ts";
import { Alone, Careless, type CommitterOptions, type Job, type Outcome, sharedRowsLast } from "./job.ts";
import * as transaction from "./transaction-statements.ts";

/** How long further rows are waited for once one was held for too long. */
const HELD_ALREADY_MS = 20;
const MOST_COLLISIONS = 20;
/** Of one job within its group, before all of that is run again. */
const MOST_COLLISIONS_OF_JOB = 3;
/** Statements sent and not yet answered, before who writes waits for them. */
const MOST_UNDER_WAY = 128;

/**
 * One connection that writes: what waits is taken together and committed together. Its jobs are run one after the other
 * without more ado; only where one fails that has written already, the group is run again with each job in a savepoint
 * of its own. Statements that give nothing back are sent without waiting for them. A group that another transaction has undone, or
 * whose connection is lost before its commit was sent, is run again; after a lost commit it is looked up whether that
 * has happened. A connection that is silent while PostgreSQL does nothing for it counts as lost.
 */
export class GroupCommitter {
  readonly #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  #client: pg.Client | undefined;
  #number = 0;
  #failed: unknown;
  #underWay = 0;
  #taken = 0;

  constructor(private readonly options: CommitterOptions) {}

  get length(): number {
    return this.#waiting.length;
  }

  /** Jobs that wait or are run. */
  get load(): number {
    return this.#waiting.length + this.#taken;
  }

  add(job: Job): void {
    this.#waiting.push(job);
    this.#running ??= this.#drain();
  }

  /** What the jobs' queries run on. */
  readonly runner: Runner = {
    read: async (statement) => {
      try {
        return await this.#send(statement);
      } catch (error) {
        this.#failed ??= error;
        throw this.#failed;
      }
    },
    write: (statement) => {
      const sent = this.#send(statement).then(
        () => {},
        (error) => {
          this.#failed ??= error;
        },
      );
      if (this.#underWay >= MOST_UNDER_WAY) return sent;
    },
  };

  async #drain(): Promise<void> {
    // Requests that arrive in this turn of the event loop join the first group.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const stop = watchConnection(this.options, () => this.#client);
    while (this.#waiting.length > 0) {
      const group = sharedRowsLast(this.#waiting.splice(0, this.options.groupSize));
      this.#taken = group.length;
      await this.#commit(group);
      this.#taken = 0;
    }
    stop();
    this.#running = undefined;
  }

  async #commit(group: Job[]): Promise<void> {
    const startedAt = this.options.ticks();
    let settled: Outcome[];
    try {
      settled = await this.#settled(group);
    } catch (error) {
      for (const job of group) settleJob(job, error, undefined);
      return;
    }
    this.options.onGroup(group.length, this.options.ticks() - startedAt);
    for (const { job, error, value } of settled) settleJob(job, error, value);
  }

  /** Runs the group until it is committed. Rejects when it cannot be. */
  async #settled(group: readonly Job[], isCareful = false): Promise<Outcome[]> {
    let lostAt: number | undefined;
    let held: unknown;
    let careful = isCareful || group.length === 1;
    for (let collisions = 0; ; ) {
      try {
        return await this.#attempt(group, held, careful);
      } catch (error) {
        if (error instanceof Careless) {
          careful = true;
          continue;
        }
        if (error instanceof Alone) return [...(await this.#others(group, error.outcome)), error.outcome];
        if (isConflict(error) && ++collisions < MOST_COLLISIONS) {
          // Fewer of them hold fewer rows at once.
          if (collisions === 3 && group.length > 1) return await this.#inHalves(group);
          await Bun.sleep(Math.random() * 5 * collisions);
        } else if (isConnectionLost(error)) {
          lostAt ??= this.options.ticks();
          if (this.options.ticks() - lostAt > this.options.connections.reconnectMs) throw error;
        } else if (isLockTimeout(error) && held === undefined && group.length > 1) held = error;
        else throw error;
      }
    }
  }

  async #others(group: readonly Job[], { job }: Outcome): Promise<Outcome[]> {
    const others = group.filter((one) => one !== job);
    return others.length === 0 ? [] : await this.#settled(others, true);
  }

  async #inHalves(group: readonly Job[]): Promise<Outcome[]> {
    const settled: Outcome[] = [];
    const middle = group.length >> 1;
    for (const half of [group.slice(0, middle), group.slice(middle)])
      settled.push(
        ...(await this.#settled(half, true).catch((error) =>
          half.map((job) => ({ job, error, value: undefined }) satisfies Outcome),
        )),
      );
    return settled;
  }

  /**
   * `held`: what the group before it has failed with, since some partner's row is held; then it is run without those.
   * `careful`: each job in a savepoint.
   */
  async #attempt(group: readonly Job[], held: unknown, careful: boolean): Promise<Outcome[]> {
    const { onBegin, onEnd, yieldToEventLoop, isLocked, waitMs } = this.options;
    const client = await this.#connected();
    const number = ++this.#number;
    this.#failed = undefined;
    const outcomes: Outcome[] = [];
    let jobs = group;
    try {
      const isDurable = group.some((job) => job.isDurable);
      this.#order(transaction.begin(isDurable, waitMs(group)));
      void this.runner.write(this.#mark(number));
      const partnerIds = [...new Set(group.flatMap((job) => job.partnerIds))].sort();
      await onBegin(partnerIds, held === undefined ? "all" : "free");
      if (held !== undefined) jobs = group.filter((job) => job.partnerIds.every(isLocked));
      for (const job of jobs) {
        outcomes.push(
          careful
            ? await this.#run(job, jobs.length === 1, job === jobs.at(-1), MOST_COLLISIONS_OF_JOB)
            : await this.#runPlainly(job),
        );
        await yieldToEventLoop();
      }
      for (const job of group) if (!jobs.includes(job)) outcomes.push({ job, error: held, value: undefined });
      const isInVain = jobs.length === 0 || (jobs.length === 1 && outcomes[0]!.error !== undefined);
      if (isInVain) {
        await this.#send({ text: "ROLLBACK", values: [] });
        return outcomes;
      }
      await this.options.flush();
      await onEnd();
      if (this.#failed !== undefined && isConnectionLost(this.#failed)) throw this.#failed;
    } catch (error) {
      await this.#abandon(client);
      throw error;
    }
    if (await this.#committed(client, number, group)) return outcomes;
    const error = this.#failed ?? new Error("PostgreSQL rolled a transaction back and did not say why");
    if (failsTransaction(error)) throw error;
    if (!careful) throw new Careless();
    // All jobs but the last one were seen to have gone well.
    const job = jobs.at(-1)!;
    throw new Alone({ job, error, value: undefined });
  }

  #mark(number: number): Statement {
    const text = transaction.RECORD_GROUP;
    const values = [this.options.writer, number];
    return this.options.names ? { name: "mainstay_mark", text, values } : { text, values };
  }

  /** Sends the commit. Whether it has happened; rejects when that cannot be known. */
  async #committed(client: pg.Client, number: number, group: readonly Job[]): Promise<boolean> {
    try {
      const { command } = await withCommitTimeout(
        client.query("COMMIT"),
        group,
        this.#waiting,
        this.options.ticks,
      );
      return command === "COMMIT";
    } catch (error) {
      await this.#abandon(client);
      if (!isConnectionLost(error)) throw error;
    }
    try {
      return await this.#look(number);
    } catch (error) {
      const told = causeOf(error);
      throw new StorageError(
        `the connection was lost while a write was committed, and it could not be seen whether it was (${told.message})`,
        "Ask whether it is there before it is made again; with an Idempotency-Key it may simply be repeated.",
      );
    }
  }

  async #look(number: number): Promise<boolean> {
    const deadline = this.options.ticks() + this.options.connections.reconnectMs;
    // Taken also where the answer to it is lost.
    this.#number = number + 1;
    for (;;) {
      const client = await this.#connected();
      try {
        await client.query(transaction.BEGIN_OUTCOME_CHECK);
        const { rows } = await client.query(transaction.CHECK_OUTCOME, [this.options.writer, number]);
        await client.query("COMMIT");
        if (Number((rows[0] as { number: unknown }).number) === number) return true;
        // What the jobs failed with belongs to the group that was lost: it is run again.
        this.#failed = new Error("Connection terminated before the commit");
        return false;
      } catch (error) {
        await this.#abandon(client);
        if (!isConnectionLost(error) && !isLockTimeout(error) && !failsTransaction(error)) throw error;
        if (this.options.ticks() > deadline) throw error;
      }
    }
  }

  /** Runs a job that cannot be undone alone once something of it was sent. */
  async #runPlainly(job: Job): Promise<Outcome> {
    const undone = this.options.onJob();
    try {
      const value = await job.run();
      if (this.#failed !== undefined) throw this.#failed;
      return { job, error: undefined, value };
    } catch (thrown) {
      const error = this.#failed ?? thrown ?? new Error("a write failed without an error");
      if (failsTransaction(error) && !isConflict(error)) throw error;
      if (this.#failed !== undefined || !undone()) throw new Careless();
      return { job, error, value: undefined };
    }
  }

  async #run(job: Job, isAlone: boolean, isLast: boolean, collisions: number): Promise<Outcome> {
    const undone = this.options.onJob();
    if (!isAlone) this.#order("SAVEPOINT job");
    try {
      const value = await job.run();
      await this.options.flush();
      if (this.#failed !== undefined) throw this.#failed;
      // Nothing waits behind it: what of it fails, fails the commit.
      if (isAlone || isLast) return { job, error: undefined, value };
      // Answered after all that the job has sent: what of it has failed is known then.
      await this.runner.read({ text: "RELEASE SAVEPOINT job", values: [] });
      if (this.#failed !== undefined) throw this.#failed;
      return { job, error: undefined, value };
    } catch (thrown) {
      const error = this.#failed ?? thrown ?? new Error("a write failed without an error");
      // Undone alone, since each of its statements sees what is committed by then.
      const isAgain = !isAlone && collisions > 0 && isConflict(error);
      if (failsTransaction(error) && !isAgain) throw error;
      undone();
      if (!isAlone)
        await this.#send({ text: "ROLLBACK TO SAVEPOINT job; RELEASE SAVEPOINT job", values: [] });
      // The others of the group have waited enough.
      if (!isAlone && isLockTimeout(error)) this.#order(transaction.setLockTimeout(HELD_ALREADY_MS));
      this.#failed = undefined;
      if (isAgain) return await this.#run(job, isAlone, isLast, collisions - 1);
      return { job, error, value: undefined };
    }
  }

  async #connected(): Promise<pg.Client> {
    const { connections } = this.options;
    if (this.#client && connections.isOpen(this.#client)) return this.#client;
    this.#client = await connections.open();
    return this.#client;
  }

  /** Leaves the connection as if nothing had been begun on it, or without use. */
  async #abandon(client: pg.Client): Promise<void> {
    const { connections } = this.options;
    if (connections.isOpen(client))
      try {
        await client.query("ROLLBACK");
        return;
      } catch {
        connections.drop(client);
      }
    this.#client = undefined;
  }

  /** Sends a statement of the transaction itself; a failure shows at whatever comes after it. */
  #order(text: string): void {
    void this.runner.write({ text, values: [] });
  }

  async #send(statement: Statement) {
    this.#underWay++;
    try {
      return await this.#client!.query(statement as pg.QueryConfig);
    } finally {
      this.#underWay--;
    }
  }
}
