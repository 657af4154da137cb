import type { SnapshotResult } from "../../api-schemas/snapshot-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { OperatorError } from "../../domain/errors.ts";
import { addDays, type Day, dayOf, type Instant, MS_PER_DAY } from "../../domain/time.ts";
import type { SnapshotRun } from "../../store/queries/snapshots-queries.ts";
import type { Store, Tx } from "../../store/store.ts";
import { loadActiveModelVersion } from "../calibration/load-active-model.ts";
import { retireDueRecords } from "../portfolio/retire-records.ts";
import {
  recalculationBasisDigest,
  requestRecalculationIfBasisChanged,
} from "../recalculation/recalculate-sums.ts";
import {
  addModelToSnapshotRun,
  determineSnapshotScoring,
  EMPTY_RUN,
  type ModelContext,
  RETENTION_DAYS,
  type Run,
  scoreSnapshotProperties,
  snapshotIsScoredByModel,
  snapshotIsScoredByTwoModels,
  snapshotMayPruneTrends,
  snapshotRunAfterRestart,
  snapshotRunCounts,
} from "./score-snapshot-properties.ts";
import { snapshotIsFirstOfWeek } from "./snapshot-condition-trends.ts";
import {
  finishSharedSnapshot,
  openSnapshotWorkShares,
  prepareLockedPartnerRows,
  restartSharedSnapshot,
  takeSnapshotShares,
} from "./snapshot-shared-by-servers.ts";

type SnapshotDeps = {
  store: Store;
  knowledge: Knowledge;
  clock: () => Instant;
  /** A monotonic clock, in milliseconds. */
  monotonicMs: () => number;
  /** Announces also the changes that a new model alone has caused. */
  announceModelChange?: boolean;
  /** Yields to other writes and requests between two steps. */
  yieldNow: () => Promise<void>;
  /** Returns whether other writes may wait for a step: a command beside no server takes fewer, which cost less in all. */
  othersWrite?: () => boolean;
  /** Waits while other servers score the remaining shares. */
  wait?: (ms: number) => Promise<void>;
  /** Stops between two steps; the next call for the day continues from there. */
  signal?: AbortSignal;
};

/** Components in the first step. The size adapts so that a step holds the writer for about `STEP_MS`. */
const FIRST_STEP = 400;
const STEP_MS = 16;
const LONE_STEP_MS = 32;
/** In a cluster a step mostly waits for the database and blocks only writes to its partners. */
const SHARED_STEP_MS = 80;
const STEP_RANGE = { least: 200, most: 4000 };
/** The interval of checks whether the other servers are done. */
const POLL_MS = 200;

/**
 * Takes the snapshot of a day: scores every component, stores the trend and announces tier changes, in short
 * transactions that each record the progress. An interrupted run continues where it stopped, two processes share
 * one run, and the servers of a cluster divide it. A finished day stays as it is, except that components created
 * since are added; if the model has changed, the day is scored again, and its trend points stay. A day that two models
 * have scored is scored again before it ends, and its trend points are replaced.
 * @throws OperatorError for a day before one that has a snapshot, since trends only grow at their end.
 */
export async function takeSnapshot(deps: SnapshotDeps, day: Day): Promise<SnapshotResult> {
  const { store, clock, monotonicMs, yieldNow, othersWrite = () => true, wait = Bun.sleep, signal } = deps;
  const startedAt = clock();
  // A run of which a server with other prices scores a part leaves no costs of that server.
  await requestRecalculationIfBasisChanged(store, recalculationBasisDigest(deps.knowledge));
  await retireDueRecords(deps);
  let budget = FIRST_STEP;
  let earlier: Run | undefined;
  let restarts = 0;
  for (let first = true; ; first = false) {
    const stepAt = monotonicMs();
    // On SQLite a step that a power cut loses is repeated, so only the end of the run waits for the disk.
    // PostgreSQL may fail on its own after deliveries of the step have gone out, which a repetition would send
    // again.
    const step = await store.write(
      async (tx) => {
        const step = await takeStep(tx, deps, day, budget, first);
        return { ...step, scoredBy: step.isLast ? (await tx.snapshots.run(day))?.modelVersion : undefined };
      },
      { durability: store.isShared ? "durable" : "process", priority: "background" },
    );
    earlier ??= step.earlier;
    if (step.isLast) {
      const isOwn =
        (!step.alreadyDone || earlier) &&
        (await store.write((tx) => finish(tx, day, step.scoredBy, store.isShared && !earlier)));
      // A server with other prices may have taken the sums back before the last components had this one's.
      await requestRecalculationIfBasisChanged(store, recalculationBasisDigest(deps.knowledge));
      const run = store.isShared ? ((await store.read.snapshots.run(day)) ?? step.run) : step.run;
      const { components, critical, warning } = run;
      return {
        date: day,
        components,
        changed: run.changed,
        critical,
        warning,
        good: components - critical - warning,
        announced: run.announced,
        queued: run.queued,
        withoutEndpoint: await store.read.partners.withoutEndpoint(),
        added: earlier ? difference(earlier, run) : null,
        suppressed: run.suppressed,
        durationMs: clock() - startedAt,
        alreadyDone: first && step.alreadyDone,
        endedByAnotherServer: !isOwn && !(first && step.alreadyDone),
      };
    }
    signal?.throwIfAborted();
    if (step.restarts && ++restarts > 1) throw modelKeepsChanging(day);
    if (step.waits) {
      await wait(POLL_MS);
      continue;
    }
    const stepMs = store.isShared ? SHARED_STEP_MS : othersWrite() ? STEP_MS : LONE_STEP_MS;
    const ratio = stepMs / Math.max(monotonicMs() - stepAt, 0.1);
    budget = Math.round(clamp(budget * clamp(ratio, 0.5, 2), STEP_RANGE.least, STEP_RANGE.most));
    await yieldNow();
  }
}

/** Returns the day whose snapshot is due by now: today, once the time of day has come. */
export function snapshotDayToTake(now: Instant, atMinutes: number): Day | undefined {
  return now % MS_PER_DAY >= atMinutes * 60_000 ? dayOf(now) : undefined;
}

type Step = {
  isLast: boolean;
  alreadyDone: boolean;
  run: Run;
  /** Other servers score the remaining shares. */
  waits?: boolean;
  /** All is scored, but by two models: the run has started again. */
  restarts?: boolean;
  /** The counts of the day's run before this step added to it. */
  earlier?: Run;
};

const difference = (earlier: Run, now: Run) => ({
  components: now.components - earlier.components,
  announced: now.announced - earlier.announced,
  queued: now.queued - earlier.queued,
});

async function takeStep(
  tx: Tx,
  deps: SnapshotDeps,
  day: Day,
  budget: number,
  isFirst: boolean,
): Promise<Step> {
  const { isShared } = deps.store;
  const modelVersion = await loadActiveModelVersion(tx, deps.knowledge);
  let stored = await tx.snapshots.run(day);
  if (
    isShared &&
    stored?.finishedAt === null &&
    addModelToSnapshotRun(stored, modelVersion) !== stored.modelVersion
  ) {
    // Another server may end the run meanwhile. The order of the locks is that of all steps.
    await tx.latestInstant();
    stored = await tx.snapshots.lockRun(day);
  }
  if (!stored && !isFirst) throw discardedMeanwhile(day);
  if (stored?.finishedAt === null) {
    const before = stored.modelVersion;
    stored.modelVersion = addModelToSnapshotRun(stored, modelVersion);
    if (stored.modelVersion !== before) await tx.snapshots.update(day, { modelVersion: stored.modelVersion });
  }
  if (stored?.finishedAt && (stored.modelVersion === modelVersion || (await hasLaterSnapshot(tx, day)))) {
    const locked = isShared ? await tx.snapshots.lockRun(day) : stored;
    return await addUnseen(tx, deps, day, locked ?? stored, budget);
  }
  const later = stored ? undefined : await tx.snapshots.laterThan(day);
  if (later !== undefined) throw clockSetBack(day, later);
  return isShared
    ? await takeSharedStep(tx, deps, day, stored, budget)
    : await takeSingleNodeStep(tx, deps, day, stored, budget);
}

/**
 * Scores the next properties in the order of their ids; the run records the last one as its cursor. Kept apart from
 * shares, which would cost a row and a claim for each partner on a storage that nobody shares: on SQLite, four times the
 * processor time of a snapshot of 600 or 3,000 small partners. A single cursor could not be divided among servers.
 */
async function takeSingleNodeStep(
  tx: Tx,
  model: ModelContext,
  day: Day,
  stored: SnapshotRun | undefined,
  budget: number,
): Promise<Step> {
  const { run, cursor } =
    stored && !stored.finishedAt ? resumed(stored) : await started(tx, model, day, stored);
  const properties = await tx.properties.forSnapshot(cursor, budget);
  if (properties.length === 0) {
    if (!stored || !snapshotIsScoredByTwoModels(stored)) return { isLast: true, alreadyDone: false, run };
    await started(tx, model, day, stored);
    return { isLast: false, alreadyDone: false, run, restarts: true };
  }
  const scoring = await determineSnapshotScoring(tx, model, day, run.takenAgain);
  await scoreSnapshotProperties(tx, model.knowledge, day, properties, run, scoring);
  await tx.snapshots.advance(day, run, properties.at(-1)!.id);
  return { isLast: false, alreadyDone: false, run };
}

type Progress = { run: Run & { takenAgain: boolean }; cursor: string };

const resumed = (stored: SnapshotRun): Progress => ({ run: stored, cursor: stored.cursor ?? "" });

/** Starts the run of the day, or restarts one that another model has scored. */
async function started(
  tx: Tx,
  { knowledge }: ModelContext,
  day: Day,
  before: SnapshotRun | undefined,
): Promise<Progress> {
  const modelVersion = await loadActiveModelVersion(tx, knowledge);
  const startedAt = await tx.latestInstant();
  if (!before) {
    await tx.snapshots.start(day, startedAt, modelVersion);
    return { run: { ...EMPTY_RUN, takenAgain: false }, cursor: "" };
  }
  const run = snapshotRunAfterRestart(before);
  await tx.snapshots.update(day, { ...run, modelVersion, startedAt });
  return { run, cursor: "" };
}

/**
 * Opens the shares of all partners, or scores some that no other server has claimed. Opening locks the row of the clock,
 * for which no other work should wait until the first shares are scored.
 */
async function takeSharedStep(
  tx: Tx,
  deps: SnapshotDeps,
  day: Day,
  stored: SnapshotRun | undefined,
  budget: number,
): Promise<Step> {
  if (!stored || stored.finishedAt || !(await tx.snapshotShares.any(day))) {
    await openSnapshotWorkShares(tx, deps, day, stored?.finishedAt ? stored.modelVersion : undefined);
    // Without partners there are no shares.
    const isLast = !(await tx.snapshotShares.any(day));
    return { isLast, alreadyDone: false, run: stored ?? EMPTY_RUN };
  }
  const until = deps.monotonicMs() + SHARED_STEP_MS;
  const found = await takeSnapshotShares(tx, deps, day, budget, () => deps.monotonicMs() > until);
  const isLast = found === "none left";
  if (isLast && snapshotIsScoredByTwoModels(stored)) {
    await restartSharedSnapshot(tx, await loadActiveModelVersion(tx, deps.knowledge), day);
    return { isLast: false, alreadyDone: false, run: stored, restarts: true };
  }
  return { isLast, alreadyDone: false, run: stored ?? EMPTY_RUN, waits: found === "others" };
}

/** Adds components that no snapshot has scored yet to a finished day, and leaves the others as they are. */
async function addUnseen(tx: Tx, model: ModelContext, day: Day, stored: Run, budget: number): Promise<Step> {
  const found = (await hasLaterSnapshot(tx, day)) ? [] : await tx.properties.withUnseen(budget);
  if (found.length === 0) return { isLast: true, alreadyDone: true, run: stored };
  const run = { ...stored };
  const partnerIds = new Set(found.map(({ partnerId }) => partnerId));
  for (const partnerId of [...partnerIds].sort()) await prepareLockedPartnerRows(tx, partnerId);
  // Read again under the locks.
  const unseen = await tx.properties.withUnseen(budget);
  const properties = unseen.filter(({ partnerId }) => partnerIds.has(partnerId));
  const recordsConditions = await snapshotIsFirstOfWeek(tx, day);
  const scoring = {
    cause: "late snapshot",
    prunes: false,
    takenAgain: false,
    replans: false,
    recordsConditions,
  } as const;
  if (properties.length > 0)
    await scoreSnapshotProperties(tx, model.knowledge, day, properties, run, scoring);
  await tx.snapshots.update(day, { ...snapshotRunCounts(run), comparedAt: null });
  return { isLast: false, alreadyDone: false, run, earlier: stored };
}

/**
 * Returns whether the day needs no snapshot: it is finished by this model, or a later day has one. Local
 * calibration does not count: the operator decides whether an activated calibration scores the day again or from
 * the next day on.
 */
export async function snapshotIsTaken(
  stores: Pick<Tx, "snapshots">,
  knowledge: Knowledge,
  day: Day,
): Promise<boolean> {
  const run = await stores.snapshots.run(day);
  if (!run?.finishedAt) return false;
  return snapshotIsScoredByModel(run, knowledge) || (await hasLaterSnapshot(stores, day));
}

const hasLaterSnapshot = async ({ snapshots }: Pick<Tx, "snapshots">, day: Day) =>
  (await snapshots.laterThan(day)) !== undefined;

/** Ends the run, unless another server or process ends it, has ended it, or scores it with another model than `scoredBy`. */
async function finish(tx: Tx, day: Day, scoredBy: string | undefined, isDivided: boolean): Promise<boolean> {
  const prunes = snapshotMayPruneTrends(await tx.snapshots.latestFinished(), day);
  if (isDivided && !(await finishSharedSnapshot(tx, day, scoredBy))) return false;
  const run = await tx.snapshots.run(day);
  if (run && (run.modelVersion !== scoredBy || snapshotIsScoredByTwoModels(run))) return false;
  await tx.snapshots.update(day, { finishedAt: tx.now });
  // All partners see the time of the latest snapshot.
  await tx.partners.bumpAllRevisions();
  if (prunes) await tx.snapshots.pruneRuns(addDays(day, -RETENTION_DAYS));
  return true;
}

const discardedMeanwhile = (day: Day) =>
  new OperatorError(
    `the snapshot of ${day} was discarded while it was being taken`,
    "Correct this machine's clock if it still shows that day. Today's snapshot is taken automatically, or with: mainstay snapshot",
  );

const modelKeepsChanging = (day: Day) =>
  new OperatorError(
    `the model changed again while the snapshot of ${day} was scored again`,
    "Servers continue it within a minute if they all have the same version. Or run: mainstay snapshot",
  );

function clockSetBack(day: Day, later: Day): OperatorError {
  return new OperatorError(
    `a snapshot of ${later} exists, but today is ${day} by this machine's clock`,
    "Correct the clock. If it was ahead when that snapshot was taken, run: mainstay snapshot --discard-later",
  );
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
