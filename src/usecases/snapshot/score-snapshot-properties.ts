import type { SnapshotResult } from "../../api-schemas/snapshot-schema.ts";
import { baseModelVersion } from "../../domain/calibration/model-version.ts";
import type { Component, ComponentToScore } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { ScoredProperty } from "../../domain/property.ts";
import type { ScoreCause } from "../../domain/rules/tier-announcement-rule.ts";
import { scorePropertyInSteps as scoringSteps } from "../../domain/scoring/score.ts";
import type { Score } from "../../domain/scoring/scoring-types.ts";
import { addDays, type Day, daysBetween } from "../../domain/time.ts";
import { runYielding } from "../../event-loop/event-loop.ts";
import type { ScoredAppliance } from "../../store/queries/appliances-queries.ts";
import type { SnapshotRun } from "../../store/queries/snapshots-queries.ts";
import type { Tx } from "../../store/store.ts";
import { loadModelCorrections, snapshotIsScoredByActiveModel } from "../calibration/load-active-model.ts";
import { loadClaimEvidence } from "../claims/load-claim-evidence.ts";
import { type LoadedProperty, loadHistories } from "../history/load-histories.ts";
import { loadAppliancesOfHistory } from "../history/load-history-appliances.ts";
import { type ApplianceRef, PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { saveDerivedFlagsAndDeficiencies } from "../portfolio/save-derived-flags-and-deficiencies.ts";
import { rescoredUpstreamAppliances, rescoreStoredAppliances } from "../rescoring/rescore.ts";
import { recordConditionTrends, snapshotIsFirstOfWeek } from "./snapshot-condition-trends.ts";

/** Days for which trend points are kept. */
export const RETENTION_DAYS = 365;

/** A property with more appliances is scored in batches of its own. */
const MAX_APPLIANCES_PER_BATCH = 300;
/** Components per statement that prunes trends. */
const PRUNE_BATCH = 500;
/** After a longer time without a snapshot, no trend points are pruned: the clock may be wrong. */
const MAX_GAP_DAYS = 31;

/** The model that scores a day. */
export type ModelContext = { knowledge: Knowledge; announceModelChange?: boolean };

/** The counts of a day's run. */
export type Run = Pick<
  SnapshotResult,
  "components" | "changed" | "critical" | "warning" | "announced" | "queued" | "suppressed"
>;
export const EMPTY_RUN: Run = {
  components: 0,
  changed: 0,
  critical: 0,
  warning: 0,
  announced: 0,
  queued: 0,
  suppressed: 0,
};

/**
 * Returns the state of a run that starts again. After another model had finished the day, it announces nothing and adds
 * no points to trends. After two models had scored an unfinished one, it replaces the points and announces what differs
 * from the announcements so far, which it continues to count, as it does those that it suppresses.
 */
export function snapshotRunAfterRestart(
  before: Pick<SnapshotRun, "finishedAt" | "takenAgain" | "announced" | "queued" | "suppressed">,
) {
  const { announced, queued, suppressed, takenAgain } =
    before.finishedAt === null ? before : { ...EMPTY_RUN, takenAgain: true };
  const state = { takenAgain, cursor: null, finishedAt: null, comparedAt: null };
  return { ...EMPTY_RUN, announced, queued, suppressed, ...state };
}

export const snapshotRunCounts = ({
  components,
  changed,
  critical,
  warning,
  announced,
  queued,
  suppressed,
}: Run): Run => ({
  components,
  changed,
  critical,
  warning,
  announced,
  queued,
  suppressed,
});

/** How the components of a day are scored, and the consequences. */
type DayScoring = {
  cause: ScoreCause;
  prunes: boolean;
  takenAgain: boolean;
  replans: boolean;
  /** Adds a point to the trends of conditions. */
  recordsConditions: boolean;
};

/** Determines the scoring of a day's first run, or of a run that another model repeats. */
export async function determineSnapshotScoring(
  tx: Tx,
  model: ModelContext,
  day: Day,
  takenAgain: boolean,
): Promise<DayScoring> {
  const latest = await tx.snapshots.latestFinished();
  const cause = causeOf(latest, model, takenAgain);
  const replans = takenAgain || !(await snapshotIsScoredByActiveModel(tx, latest, model.knowledge));
  const recordsConditions = await snapshotIsFirstOfWeek(tx, day);
  const prunes = snapshotMayPruneTrends(latest, day);
  return { cause, prunes, takenAgain, replans, recordsConditions };
}

/** The latest finished snapshot, if there is one. */
type Latest = SnapshotRun | undefined;

/** Returns the cause of score changes: the passing of a day, or a change of model. */
function causeOf(
  latest: Latest,
  { knowledge, announceModelChange }: ModelContext,
  takenAgain: boolean,
): ScoreCause {
  const isSame = !takenAgain && (!latest || snapshotIsScoredByModel(latest, knowledge));
  return isSame || announceModelChange ? "snapshot" : "change of model";
}

export const snapshotIsScoredByModel = ({ modelVersion }: { modelVersion: string }, knowledge: Knowledge) =>
  baseModelVersion(modelVersion) === knowledge.modelVersion;

/** Separates the models of a run that two have scored, as where one was activated meanwhile. */
const MODELS = ", ";

/** Returns the name for a run that also this model scores. */
export function addModelToSnapshotRun(
  { modelVersion }: Pick<SnapshotRun, "modelVersion">,
  other: string,
): string {
  const isKnown = modelVersion.split(MODELS).includes(other) || modelVersion.includes(MODELS);
  return isKnown ? modelVersion : modelVersion + MODELS + other;
}

/** Returns whether two models have scored a run, which is scored once more before it ends. */
export const snapshotIsScoredByTwoModels = ({ modelVersion }: Pick<SnapshotRun, "modelVersion">) =>
  modelVersion.includes(MODELS);

/** Returns whether a snapshot may delete old trends: after a long gap it may not, since the day may be wrong. */
export function snapshotMayPruneTrends(latest: Latest, day: Day): boolean {
  return latest !== undefined && daysBetween(latest.day, day) <= MAX_GAP_DAYS;
}

/** Scores the properties as of the day, stores their trends, queues announcements, and adds to the run's counts. */
export async function scoreSnapshotProperties(
  tx: Tx,
  knowledge: Knowledge,
  day: Day,
  properties: readonly (ScoredProperty & { partnerId: string; isDemo: boolean })[],
  run: Run,
  scoring: DayScoring,
): Promise<void> {
  const { cause, prunes, takenAgain, replans } = scoring;
  // Opened before anything else is read: opening locks each partner's rows.
  const writers = new Map<string, PortfolioWriter>();
  for (const partnerId of [...new Set(properties.map((property) => property.partnerId))].sort())
    writers.set(partnerId, await PortfolioWriter.open(tx, knowledge, (await tx.partners.find(partnerId))!));
  for (const writer of writers.values()) writer.due.trustDecisions(cause === "snapshot" && !replans);
  // A property with very many appliances can only be the last: it ends the step.
  const last = properties.at(-1)!;
  const appliances = [
    ...(await tx.appliances.forScoring(properties.slice(0, -1).map((property) => property.id))),
    ...(await loadAppliancesOfHistory(tx, last.id)),
  ];
  const byProperty = Map.groupBy(appliances, ({ propertyId }) => propertyId);
  const isLarge = ({ id }: { id: string }) => (byProperty.get(id)?.length ?? 0) > MAX_APPLIANCES_PER_BATCH;
  const others = properties.filter((property) => !isLarge(property));
  const ofOthers = others.flatMap(({ id }) => byProperty.get(id) ?? []);
  const loaded = await loadHistories(tx, knowledge, others, ofOthers, day);
  const corrections = await loadModelCorrections(tx, knowledge, ofOthers);
  const moved: string[] = [];
  const expected = new Map<string, number>();
  for (const property of properties) {
    const { id, partnerId } = property;
    const writer = writers.get(partnerId)!;
    if (replans) writer.markPlanStale(id);
    writer.seePlace(property);
    const save = (before: ComponentToScore, appliance: ApplianceRef, score: Score) =>
      saveScore(writer, before, appliance, score);
    if (isLarge(property)) {
      const all = byProperty.get(id)!;
      const claims = await loadClaimEvidence(tx, knowledge, [id]);
      const load = async (step: readonly ScoredAppliance[]) => {
        const part = (await loadHistories(tx, knowledge, [property], step, day, claims)).get(id)!;
        await saveDerivedFlagsAndDeficiencies(writer, part);
        return part;
      };
      await rescoreStoredAppliances(
        { tx, knowledge, asOf: day, load },
        all,
        rescoredUpstreamAppliances(knowledge, all, all),
        save,
      );
      continue;
    }
    const part = loaded.get(id)!;
    await saveDerivedFlagsAndDeficiencies(writer, part);
    const scores = await runYielding(
      scoringSteps(knowledge, part.history, day, { corrections }),
      tx.yieldToEventLoop,
    );
    await saveScores(part, scores, save);
  }

  async function saveScore(
    writer: PortfolioWriter,
    before: ComponentToScore,
    appliance: ApplianceRef,
    score: Score,
  ) {
    if (cause === "late snapshot" && before.trendScore !== null) return expect(before);
    const hasPoint = takenAgain && before.trendScore !== null;
    // A component that the day's first run has not scored is new, whichever model scores it.
    const ownCause = takenAgain && !hasPoint ? "snapshot" : cause;
    const after = await writer.saveScore(before, appliance, score, day, ownCause, hasPoint);
    expect(after);
    if (before.trendScore !== after.trendScore) {
      await tx.snapshots.insertTrendRow(after.id, day, after.riskScore);
      if (prunes && before.trendScore !== null) moved.push(after.id);
    }
    run.components++;
    if (before.riskScore !== after.riskScore) run.changed++;
    if (after.riskTier === "CRITICAL") run.critical++;
    if (after.riskTier === "WARNING") run.warning++;
  }

  function expect({ propertyId, expectedCostCents }: Pick<Component, "propertyId" | "expectedCostCents">) {
    expected.set(propertyId, (expected.get(propertyId) ?? 0) + expectedCostCents);
  }

  await tx.totals.seen(properties.map(({ id }) => id));
  for (const writer of writers.values()) {
    run.announced += writer.announced;
    run.queued += writer.queued;
    run.suppressed += writer.suppressed;
    await writer.flush();
  }
  if (scoring.recordsConditions) {
    const assessed = properties.flatMap(({ id, partnerId, isDemo }) => {
      const expectedCents = expected.get(id);
      return expectedCents === undefined ? [] : [{ id, partnerId, isDemo, expectedCents }];
    });
    await recordConditionTrends(tx, knowledge, day, assessed, prunes);
  }
  // Pruning comes last: each of these statements flushes the rows that are buffered to be written together.
  const cutoff = addDays(day, -RETENTION_DAYS);
  for (let at = 0; at < moved.length; at += PRUNE_BATCH) {
    await tx.snapshots.pruneTrends(moved.slice(at, at + PRUNE_BATCH), cutoff);
    await tx.yieldToEventLoop();
  }
}

/**
 * Saves the scores of a loaded property. A function of its own: the whole step as one, with this loop in it, takes many times
 * longer to compile.
 */
async function saveScores(
  { components, appliances }: LoadedProperty,
  scores: ReadonlyMap<string, Score>,
  save: (component: ComponentToScore, appliance: ApplianceRef, score: Score) => Promise<void>,
): Promise<void> {
  for (const before of components)
    await save(before, appliances.get(before.applianceId)!, scores.get(before.id)!);
}
