import type { Component } from "../domain/component.ts";
import { OperatorError } from "../domain/errors.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { ScoredProperty } from "../domain/property.ts";
import { scoreProperty } from "../domain/scoring/score.ts";
import type { Score } from "../domain/scoring/types.ts";
import type { SnapshotResult } from "../domain/snapshot.ts";
import { addDays, type Day, dayOf, daysBetween, type Instant, MS_PER_DAY } from "../domain/time.ts";
import type { ScoredAppliance } from "../store/queries/appliances.ts";
import type { Store, Tx } from "../store/store.ts";
import { loadHistories } from "./histories.ts";
import { baseVersion, correctionsOf, modelVersionOf } from "./model-in-use.ts";
import type { Administration } from "./partners.ts";
import { type ApplianceOf, PortfolioWriter, type ScoreCause } from "./portfolio-writer.ts";
import { scoreInSteps, upstreamOf } from "./rescore.ts";

/** Trend points are kept this long. */
export const RETENTION_DAYS = 365;

export type SnapshotEnvironment = {
  store: Store;
  knowledge: Knowledge;
  clock: () => Instant;
  /** Milliseconds of a clock that nobody sets. */
  ticks: () => number;
  /** Announce also what only another model than in the snapshot before has moved. */
  announceModelChange?: boolean;
  /** Lets others have their turn between two steps. */
  pause: () => Promise<void>;
  /** Stops between two steps; the next run of the day goes on from there. */
  signal?: AbortSignal;
};

/** Components a step scores at first; adapted so that a step holds the writer for about `STEP_MS`. */
const FIRST_STEP = 400;
const STEP_MS = 16;
const STEP_RANGE = { least: 200, most: 4000 };
/** A property of more appliances is scored in steps of its own. */
const MOST_AT_ONCE = 300;
/** After so long without a snapshot nothing is dropped from the trends: it may be the clock that is wrong. */
const DOUBTFUL_DAYS = 31;

/**
 * Takes the snapshot of a day: scores every component, keeps the trend, and announces what crossed a tier, in short
 * transactions that each carry how far the run has come. So a run that was cut short goes on where it stopped, two
 * processes share one run instead of doubling it. A day that is done stays as it is, and what was registered since is
 * taken in; by another model, or another fit of it, the day is taken again, its points of the trends aside. Throws an
 * OperatorError for a day before one that has a snapshot: trends only grow at their end.
 */
export async function takeSnapshot(environment: SnapshotEnvironment, day: Day): Promise<SnapshotResult> {
  const { store, clock, ticks, pause, signal } = environment;
  const startedAt = clock();
  let budget = FIRST_STEP;
  let earlier: Run | undefined;
  for (let first = true; ; first = false) {
    const stepAt = ticks();
    // A step that is lost with the power is taken again, so only the end of the run waits for the disk.
    const step = await store.write((tx) => takeStep(tx, environment, day, budget), {
      durability: "process",
      priority: "background",
    });
    earlier ??= step.earlier;
    if (step.isLast) {
      if (!step.alreadyDone || earlier) await store.write((tx) => finish(tx, day));
      const { components, critical, warning } = step.run;
      return {
        date: day,
        components,
        changed: step.run.changed,
        critical,
        warning,
        good: components - critical - warning,
        announced: step.run.announced,
        queued: step.run.queued,
        withoutReceiver: await store.read.partners.withoutReceiver(),
        takenIn: earlier ? since(earlier, step.run) : null,
        heldBack: step.run.heldBack,
        durationMs: clock() - startedAt,
        alreadyDone: first && step.alreadyDone,
      };
    }
    signal?.throwIfAborted();
    const ratio = STEP_MS / Math.max(ticks() - stepAt, 0.1);
    budget = Math.round(clamp(budget * clamp(ratio, 0.5, 2), STEP_RANGE.least, STEP_RANGE.most));
    await pause();
  }
}

/** The day whose snapshot should have been taken by now: today, once the time of day has come. */
export function dueSnapshot(now: Instant, atMinutes: number): Day | undefined {
  return now % MS_PER_DAY >= atMinutes * 60_000 ? dayOf(now) : undefined;
}

type Run = Pick<
  SnapshotResult,
  "components" | "changed" | "critical" | "warning" | "announced" | "queued" | "heldBack"
>;
type Step = {
  isLast: boolean;
  alreadyDone: boolean;
  run: Run;
  /** What the day's run had come to before this step took in something more. */
  earlier?: Run;
};

const since = (earlier: Run, now: Run) => ({
  components: now.components - earlier.components,
  announced: now.announced - earlier.announced,
  queued: now.queued - earlier.queued,
});

type Ruler = Pick<SnapshotEnvironment, "knowledge" | "announceModelChange">;

async function takeStep(tx: Tx, ruler: Ruler, day: Day, budget: number): Promise<Step> {
  let stored = await tx.snapshots.run(day);
  if (stored?.finishedAt) {
    const modelVersion = await modelVersionOf(tx, ruler.knowledge);
    if (stored.modelVersion === modelVersion || (await isHistory(tx, day)))
      return await takeIn(tx, ruler, day, stored, budget);
    stored = { ...stored, ...NOTHING, takenAgain: true, cursor: null, finishedAt: null };
    await tx.snapshots.update(day, { ...stored, modelVersion, startedAt: await tx.latestInstant() });
  }
  if (!stored) {
    const later = await tx.snapshots.laterThan(day);
    if (later !== undefined) throw setBack(day, later);
    await tx.snapshots.start(day, await tx.latestInstant(), await modelVersionOf(tx, ruler.knowledge));
  }
  const run: Run = stored ?? { ...NOTHING };
  const takenAgain = stored?.takenAgain ?? false;
  const properties = await tx.properties.forSnapshot(stored?.cursor ?? "", budget);
  if (properties.length === 0) return { isLast: true, alreadyDone: false, run };
  const cause = await causeOf(tx, ruler, takenAgain);
  const prunes = await mayPrune(tx, day);
  const replans = takenAgain || (await isNewRuler(tx, ruler.knowledge));
  await scoreAll(tx, ruler.knowledge, day, properties, run, { cause, prunes, takenAgain, replans });
  await tx.snapshots.update(day, { ...countsOf(run), cursor: properties.at(-1)!.id });
  return { isLast: false, alreadyDone: false, run };
}

/** Of a day that is done: takes in some of the components that no snapshot has seen yet, and leaves the others alone. */
async function takeIn(tx: Tx, ruler: Ruler, day: Day, stored: Run, budget: number): Promise<Step> {
  const properties = (await isHistory(tx, day)) ? [] : await tx.properties.withUnseen(budget);
  if (properties.length === 0) return { isLast: true, alreadyDone: true, run: stored };
  const run = { ...stored };
  const how = { cause: "late snapshot", prunes: false, takenAgain: false, replans: false } as const;
  await scoreAll(tx, ruler.knowledge, day, properties, run, how);
  await tx.snapshots.update(day, countsOf(run));
  return { isLast: false, alreadyDone: false, run, earlier: stored };
}

const NOTHING: Run = {
  ...{ components: 0, changed: 0, critical: 0, warning: 0 },
  ...{ announced: 0, queued: 0, heldBack: 0 },
};

const countsOf = ({ components, changed, critical, warning, announced, queued, heldBack }: Run): Run => ({
  ...{ components, changed, critical, warning },
  ...{ announced, queued, heldBack },
});

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

const isOfModel = ({ modelVersion }: { modelVersion: string }, knowledge: Knowledge) =>
  baseVersion(modelVersion) === knowledge.modelVersion;

/** Whether scores are made otherwise than in the latest snapshot, so that lives move that plans rest on, whatever their day. */
async function isNewRuler(tx: Tx, knowledge: Knowledge): Promise<boolean> {
  const before = (await tx.snapshots.latestFinished())?.modelVersion ?? knowledge.modelVersion;
  return before !== (await modelVersionOf(tx, knowledge));
}

/** What moves the scores: the day, or another model than the latest snapshot's. */
async function causeOf(tx: Tx, { knowledge, announceModelChange }: Ruler, takenAgain: boolean) {
  const latest = await tx.snapshots.latestFinished();
  const isSame = !takenAgain && (!latest || isOfModel(latest, knowledge));
  return isSame || announceModelChange ? "snapshot" : "change of model";
}

async function finish(tx: Tx, day: Day): Promise<void> {
  const prunes = await mayPrune(tx, day);
  await tx.snapshots.update(day, { finishedAt: tx.now });
  // Everybody is shown when scores were settled.
  await tx.partners.reviseAll();
  if (prunes) await tx.snapshots.pruneRuns(addDays(day, -RETENTION_DAYS));
}

async function mayPrune(tx: Tx, day: Day): Promise<boolean> {
  const before = await tx.snapshots.latestFinished();
  return before !== undefined && daysBetween(before.day, day) <= DOUBTFUL_DAYS;
}

/** Forgets the snapshots of days after `today`, which a clock that was ahead has left; returns how many. */
export async function discardLaterSnapshots(
  { store, actor }: Pick<Administration, "store" | "actor">,
  today: Day,
): Promise<number> {
  return await store.write(async (tx) => {
    const discarded = await tx.snapshots.discardAfter(today);
    if (discarded > 0) await tx.partners.reviseAll();
    const detail = { after: today, discarded };
    if (discarded > 0)
      await tx.audit.record({ at: tx.now, actor, action: "snapshot.discard", subject: today, detail });
    return discarded;
  });
}

function setBack(day: Day, later: Day): OperatorError {
  return new OperatorError(
    `there is a snapshot of ${later}, and today is ${day} by this machine's clock`,
    "Set the clock right. If it was ahead when that snapshot was taken: mainstay snapshot --discard-later",
  );
}

async function scoreAll(
  tx: Tx,
  knowledge: Knowledge,
  day: Day,
  properties: readonly (ScoredProperty & { partnerId: string })[],
  run: Run,
  how: { cause: ScoreCause; prunes: boolean; takenAgain: boolean; replans: boolean },
): Promise<void> {
  const { cause, prunes, takenAgain, replans } = how;
  const appliances = await tx.appliances.forScoring(properties.map((property) => property.id));
  const byProperty = Map.groupBy(appliances, ({ propertyId }) => propertyId);
  const isLarge = ({ id }: { id: string }) => (byProperty.get(id)?.length ?? 0) > MOST_AT_ONCE;
  const others = properties.filter((property) => !isLarge(property));
  const ofOthers = others.flatMap(({ id }) => byProperty.get(id) ?? []);
  const loaded = await loadHistories(tx, knowledge, others, ofOthers, day);
  const corrections = await correctionsOf(tx, knowledge, ofOthers);
  const writers = new Map<string, PortfolioWriter>();
  for (const property of properties) {
    const { id, partnerId } = property;
    let writer = writers.get(partnerId);
    if (!writer) {
      writer = await PortfolioWriter.open(tx, knowledge, (await tx.partners.find(partnerId))!);
      writers.set(partnerId, writer);
    }
    if (replans) writer.replan(id);
    const save = (before: Component, appliance: ApplianceOf, score: Score) =>
      saveScore(writer, before, appliance, score);
    if (isLarge(property)) {
      const all = byProperty.get(id)!;
      const load = async (step: readonly ScoredAppliance[]) =>
        (await loadHistories(tx, knowledge, [property], step, day)).get(id)!;
      await scoreInSteps({ tx, knowledge, asOf: day, load }, all, upstreamOf(knowledge, all, all), save);
      continue;
    }
    const { history, components, appliances } = loaded.get(id)!;
    const scores = scoreProperty(knowledge, history, day, { corrections });
    for (const before of components)
      await save(before, appliances.get(before.applianceId)!, scores.get(before.id)!);
  }

  async function saveScore(writer: PortfolioWriter, before: Component, appliance: ApplianceOf, score: Score) {
    if (cause === "late snapshot" && before.trendScore !== null) return;
    const hasPoint = takenAgain && before.trendScore !== null;
    // What the day's first run has not seen was never to be announced by another model.
    const ownCause = takenAgain && !hasPoint ? "snapshot" : cause;
    const after = await writer.saveScore(before, appliance, score, day, ownCause, hasPoint);
    if (before.trendScore !== after.trendScore) {
      await tx.snapshots.insertTrendRow(after.id, day, after.riskScore);
      if (prunes && before.trendScore !== null)
        await tx.snapshots.pruneTrend(after.id, addDays(day, -RETENTION_DAYS));
    }
    run.components++;
    if (before.riskScore !== after.riskScore) run.changed++;
    if (after.riskTier === "CRITICAL") run.critical++;
    if (after.riskTier === "WARNING") run.warning++;
  }

  for (const writer of writers.values()) {
    run.announced += writer.announced;
    run.queued += writer.queued;
    run.heldBack += writer.heldBack;
    await writer.flush();
  }
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
