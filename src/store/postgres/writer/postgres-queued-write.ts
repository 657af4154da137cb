/** A write that waits to be committed in a group. */
export type PostgresQueuedWrite = {
  /** Runs the write. It is called again when the transaction that it was part of is rolled back. */
  run: () => Promise<unknown>;
  isDurable: boolean;
  /** The partners whose rows it is known to write. */
  partnerIds: readonly string[];
  /** The name of the row that it locks and that writes of other servers lock too, where that is no partner's. */
  sharedRow?: string | undefined;
  /** The monotonic time until which it may wait for rows that another transaction has locked. */
  deadline: number;
  /** The monotonic time after which it is refused if the connection before it has been lost. */
  expiresAt: number;
  settle: (error: unknown, value: unknown) => void;
};

/** How a job of a group has ended: `error` is undefined when it was committed. */
export type JobOutcome = { job: PostgresQueuedWrite; error: unknown; value: unknown };

/** Puts the jobs that lock a shared row last, ordered by the row's name, so that no two servers deadlock over them. */
export function orderPostgresSharedRowWritesLast(
  jobs: readonly PostgresQueuedWrite[],
): PostgresQueuedWrite[] {
  const locking = jobs.filter(locksSharedRow);
  const others = jobs.filter((job) => !locksSharedRow(job));
  return [...others, ...locking.sort((a, b) => compare(a.sharedRow, b.sharedRow))];
}
const compare = (a: string, b: string) => Number(a > b) - Number(a < b);
const locksSharedRow = (job: PostgresQueuedWrite): job is PostgresQueuedWrite & { sharedRow: string } =>
  job.sharedRow !== undefined;
