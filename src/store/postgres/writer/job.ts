import type { Connections } from "../connection/connections.ts";

/** A write that waits for its turn. `run` may be called again when the transaction that it was part of is undone. */
export type Job = {
  run: () => Promise<unknown>;
  isDurable: boolean;
  /** Whose rows it writes, where that is known. */
  partnerIds: readonly string[];
  /** The row that it takes and that others may hold, where it is no partner's. */
  sharedRow?: string | undefined;
  /** Until when it may wait for rows that another transaction holds, in ticks. */
  deadline: number;
  settle: (error: unknown, value: unknown) => void;
};

export type CommitterOptions = {
  connections: Connections;
  /** Tells this lane from all others on the database. */
  writer: string;
  /** Whether statements are prepared by name. */
  names: boolean;
  groupSize: number;
  /** Milliseconds of a clock that nobody sets. */
  ticks: () => number;
  yieldToEventLoop: () => Promise<void>;
  /** How long a transaction of these waits for each row that another one holds. */
  waitMs: (group: readonly Job[]) => number;
  /** In the transaction, before its first job: locks whatever the jobs are known to need, or of that what nobody holds. */
  onBegin: (partnerIds: readonly string[], which: "all" | "free") => Promise<void>;
  /** Whether these were locked. */
  isLocked: (partnerId: string) => boolean;
  /** Before each job; what is called when it has failed: false when some of its writes were sent, and must be undone. */
  onJob: () => () => boolean;
  /** Sends what is left of the writes of jobs. */
  flush: () => Promise<void>;
  /** In the transaction, after its last job. */
  onEnd: () => Promise<void>;
  onGroup: (jobs: number, durationMs: number) => void;
};

/** Those that take a shared row last, in one order for all servers. */
export function sharedRowsLast(jobs: readonly Job[]): Job[] {
  const [taking, others] = [jobs.filter(takesSharedRow), jobs.filter((job) => !takesSharedRow(job))];
  return [...others, ...taking.sort((one, other) => order(one.sharedRow, other.sharedRow))];
}
const order = (one: string, other: string) => Number(one > other) - Number(one < other);
const takesSharedRow = (job: Job): job is Job & { sharedRow: string } => job.sharedRow !== undefined;

export type Outcome = { job: Job; error: unknown; value: unknown };

/** A group that was run without savepoints is to be run with them, to see which job fails. */
export class Careless extends Error {}

/** The last job of a group has failed as its writes were committed: the others are run again without it. */
export class Alone extends Error {
  constructor(readonly outcome: Outcome) {
    super("the last job of a group failed at its commit");
  }
}
