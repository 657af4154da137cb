import { OperatorError } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { SnapshotResult } from "../../domain/snapshot.ts";
import { addDays, type Day, dayOf, type Instant, MS_PER_DAY } from "../../domain/time.ts";
import type { SnapshotRun } from "../../store/queries/snapshots.ts";
import type { Store, Tx } from "../../store/store.ts";
import { modelVersionOf } from "../calibration/active-model.ts";
import { closeShares, openShares, takeShares } from "./divided-snapshot.ts";
import {
  countsOf,
  isOfModel,
  mayPrune,
  NOTHING,
  RETENTION_DAYS,
  type Ruler,
  type Run,
  scoreAll,
  scoringOf,
} from "./score-snapshot.ts";

export type SnapshotEnvironment = {
  store: Store;
  knowledge: Knowledge;
  clock: () => Instant;
  /** Milliseconds of a clock that nobody sets. */
  ticks: () => number;
  /** Announce also what only another model than in the snapshot before has moved. */
  announceModelChange?: boolean;
  /** Lets others have their turn between two steps. */
  yieldNow: () => Promise<void>;
  /** Waits while other servers do what is left. */
  wait?: (ms: number) => Promise<void>;
  /** Stops between two steps; the next run of the day goes on from there. */
  signal?: AbortSignal;
};

/** Components a step scores at first; adapted so that a step holds the writer for about `STEP_MS`. */
const FIRST_STEP = 400;
const STEP_MS = 16;
/** On a database of several servers a step mostly waits for that: it holds up those alone who write to its partner. */
const SHARED_STEP_MS = 80;
const STEP_RANGE = { least: 200, most: 4000 };
/** How often it is looked whether the others are done. */
const OTHERS_MS = 200;

/**
 * Takes the snapshot of a day: scores every component, keeps the trend, and announces what crossed a tier, in short
 * transactions that each carry how far the run has come. So a run that was cut short goes on where it stopped, two
 * processes share one run instead of doubling it, and servers on one database divide it. A day that is done stays as it is, and what was registered since is
 * taken in; by another model, or another fit of it, the day is taken again, its points of the trends aside. Throws an
 * OperatorError for a day before one that has a snapshot: trends only grow at their end.
 */
export async function takeSnapshot(environment: SnapshotEnvironment, day: Day): Promise<SnapshotResult> {
  const { store, clock, ticks, yieldNow, wait = Bun.sleep, signal } = environment;
  const startedAt = clock();
  let budget = FIRST_STEP;
  let earlier: Run | undefined;
  for (let first = true; ; first = false) {
    const stepAt = ticks();
    // A step that is lost with the power is taken again, so only the end of the run waits for the disk; but not with
    // a database that ends by itself: what was announced of the step has gone out, and would once more.
    const step = await store.write((tx) => takeStep(tx, environment, day, budget, first), {
      durability: store.isShared ? "durable" : "process",
      priority: "background",
    });
    earlier ??= step.earlier;
    if (step.isLast) {
      const isOwn =
        (!step.alreadyDone || earlier) &&
        (await store.write((tx) => finish(tx, day, store.isShared && !earlier)));
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
        withoutReceiver: await store.read.partners.withoutReceiver(),
        added: earlier ? since(earlier, run) : null,
        heldBack: run.heldBack,
        durationMs: clock() - startedAt,
        alreadyDone: first && step.alreadyDone,
        endedByAnotherServer: !isOwn && !(first && step.alreadyDone),
      };
    }
    signal?.throwIfAborted();
    if (step.waits) {
      await wait(OTHERS_MS);
      continue;
    }
    const stepMs = store.isShared ? SHARED_STEP_MS : STEP_MS;
    const ratio = stepMs / Math.max(ticks() - stepAt, 0.1);
    budget = Math.round(clamp(budget * clamp(ratio, 0.5, 2), STEP_RANGE.least, STEP_RANGE.most));
    await yieldNow();
  }
}

/** The day whose snapshot should have been taken by now: today, once the time of day has come. */
export function dueSnapshot(now: Instant, atMinutes: number): Day | undefined {
  return now % MS_PER_DAY >= atMinutes * 60_000 ? dayOf(now) : undefined;
}

type Step = {
  isLast: boolean;
  alreadyDone: boolean;
  run: Run;
  /** Others do what is left. */
  waits?: boolean;
  /** What the day's run had come to before this step took in something more. */
  earlier?: Run;
};

const since = (earlier: Run, now: Run) => ({
  components: now.components - earlier.components,
  announced: now.announced - earlier.announced,
  queued: now.queued - earlier.queued,
});

async function takeStep(
  tx: Tx,
  environment: SnapshotEnvironment,
  day: Day,
  budget: number,
  isFirst: boolean,
): Promise<Step> {
  const { isShared } = environment.store;
  const stored = await tx.snapshots.run(day);
  if (!stored && !isFirst) throw discardedMeanwhile(day);
  const modelVersion = await modelVersionOf(tx, environment.knowledge);
  const isOver = stored?.finishedAt !== undefined && stored.finishedAt !== null;
  if (isOver && (stored.modelVersion === modelVersion || (await isHistory(tx, day))))
    return await takeIn(tx, environment, day, (isShared && (await tx.snapshots.hold(day))) || stored, budget);
  const later = stored ? undefined : await tx.snapshots.laterThan(day);
  if (later !== undefined) throw setBack(day, later);
  if (isShared) return await takeDivided(tx, environment, day, stored, budget);
  if (isOver)
    await tx.snapshots.update(day, {
      ...{ ...NOTHING, takenAgain: true, cursor: null, finishedAt: null },
      ...{ modelVersion, startedAt: await tx.latestInstant() },
    });
  if (!stored) await tx.snapshots.start(day, await tx.latestInstant(), modelVersion);
  const run: Run = isOver || !stored ? { ...NOTHING } : stored;
  const cursor = (!isOver && stored?.cursor) || "";
  const properties = await tx.properties.forSnapshot(cursor, budget);
  if (properties.length === 0) return { isLast: true, alreadyDone: false, run };
  const how = await scoringOf(tx, environment, day, isOver || (stored?.takenAgain ?? false));
  await scoreAll(tx, environment.knowledge, day, properties, run, how);
  await tx.snapshots.update(day, { ...countsOf(run), cursor: properties.at(-1)!.id });
  return { isLast: false, alreadyDone: false, run };
}

async function takeDivided(
  tx: Tx,
  ruler: Ruler,
  day: Day,
  stored: SnapshotRun | undefined,
  budget: number,
): Promise<Step> {
  if (!stored || stored.finishedAt || !(await tx.snapshotShares.any(day)))
    await openShares(tx, ruler, day, stored?.finishedAt ? stored.modelVersion : undefined);
  const found = await takeShares(tx, ruler, day, budget);
  const isLast = found === "none left";
  return { isLast, alreadyDone: false, run: stored ?? NOTHING, waits: found === "others" };
}

/** Of a day that is done: takes in some of the components that no snapshot has seen yet, and leaves the others alone. */
async function takeIn(tx: Tx, ruler: Ruler, day: Day, stored: Run, budget: number): Promise<Step> {
  const found = (await isHistory(tx, day)) ? [] : await tx.properties.withUnseen(budget);
  if (found.length === 0) return { isLast: true, alreadyDone: true, run: stored };
  const run = { ...stored };
  const partnerIds = new Set(found.map(({ partnerId }) => partnerId));
  for (const partnerId of [...partnerIds].sort()) await tx.forPartner(partnerId);
  // As they are once nobody else writes of them.
  const unseen = await tx.properties.withUnseen(budget);
  const properties = unseen.filter(({ partnerId }) => partnerIds.has(partnerId));
  const how = { cause: "late snapshot", prunes: false, takenAgain: false, replans: false } as const;
  if (properties.length > 0) await scoreAll(tx, ruler.knowledge, day, properties, run, how);
  await tx.snapshots.update(day, countsOf(run));
  return { isLast: false, alreadyDone: false, run, earlier: stored };
}

/**
 * Whether nobody need be asked to take the day's snapshot: it is done, by this model, or is history. Local corrections
 * do not count: who puts a fit to use says by a snapshot when it is to move the scores, or leaves it to the next day's.
 */
export async function isTaken(
  stores: Pick<Tx, "snapshots">,
  knowledge: Knowledge,
  day: Day,
): Promise<boolean> {
  const run = await stores.snapshots.run(day);
  if (!run?.finishedAt) return false;
  return isOfModel(run, knowledge) || (await isHistory(stores, day));
}

const isHistory = async ({ snapshots }: Pick<Tx, "snapshots">, day: Day) =>
  (await snapshots.laterThan(day)) !== undefined;

/** Ends the run, unless another server does or has. */
async function finish(tx: Tx, day: Day, isDivided: boolean): Promise<boolean> {
  const prunes = mayPrune(await tx.snapshots.latestFinished(), day);
  if (isDivided && !(await closeShares(tx, day))) return false;
  await tx.snapshots.update(day, { finishedAt: tx.now });
  // Everybody is shown when scores were settled.
  await tx.partners.bumpAllRevisions();
  if (prunes) await tx.snapshots.pruneRuns(addDays(day, -RETENTION_DAYS));
  return true;
}

const discardedMeanwhile = (day: Day) =>
  new OperatorError(
    `the snapshot of ${day} was discarded while it was taken`,
    "Set this machine's clock right where it still shows that day. A snapshot of today is taken by itself, or by: mainstay snapshot",
  );

function setBack(day: Day, later: Day): OperatorError {
  return new OperatorError(
    `there is a snapshot of ${later}, and today is ${day} by this machine's clock`,
    "Set the clock right. If it was ahead when that snapshot was taken: mainstay snapshot --discard-later",
  );
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
