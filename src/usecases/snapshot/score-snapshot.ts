import type { ComponentToScore } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { ScoredProperty } from "../../domain/property.ts";
import { scorePropertyInSteps as scoringSteps } from "../../domain/scoring/score.ts";
import type { Score } from "../../domain/scoring/types.ts";
import type { SnapshotResult } from "../../domain/snapshot.ts";
import { addDays, type Day, daysBetween } from "../../domain/time.ts";
import { runYielding } from "../../event-loop.ts";
import type { ScoredAppliance } from "../../store/queries/appliances.ts";
import type { SnapshotRun } from "../../store/queries/snapshots.ts";
import type { Tx } from "../../store/store.ts";
import { baseVersion, correctionsOf, modelVersionOf } from "../calibration/active-model.ts";
import { loadClaims } from "../claims/property-claims.ts";
import { loadHistories } from "../history/histories.ts";
import { appliancesForScoring } from "../history/scored-appliances.ts";
import { type ApplianceOf, PortfolioWriter, type ScoreCause } from "../portfolio/portfolio-writer.ts";
import { scoreInSteps, upstreamOf } from "../portfolio/rescore.ts";

/** Trend points are kept this long. */
export const RETENTION_DAYS = 365;

/** A property of more appliances is scored in steps of its own. */
const MOST_AT_ONCE = 300;
/** Components whose trends are shortened by one statement. */
const PRUNED_AT_ONCE = 500;
/** After so long without a snapshot nothing is dropped from the trends: it may be the clock that is wrong. */
const DOUBTFUL_DAYS = 31;

/** What scores a day. */
export type Ruler = { knowledge: Knowledge; announceModelChange?: boolean };

/** What a day's run has come to. */
export type Run = Pick<
  SnapshotResult,
  "components" | "changed" | "critical" | "warning" | "announced" | "queued" | "heldBack"
>;
export const NOTHING: Run = {
  ...{ components: 0, changed: 0, critical: 0, warning: 0 },
  ...{ announced: 0, queued: 0, heldBack: 0 },
};

export const countsOf = ({
  components,
  changed,
  critical,
  warning,
  announced,
  queued,
  heldBack,
}: Run): Run => ({
  ...{ components, changed, critical, warning },
  ...{ announced, queued, heldBack },
});

/** How a day's components are scored, and what follows from it. */
export type ScoringOfDay = { cause: ScoreCause; prunes: boolean; takenAgain: boolean; replans: boolean };

/** How those of a day's first run are scored, or of one that another model takes again. */
export async function scoringOf(tx: Tx, ruler: Ruler, day: Day, takenAgain: boolean): Promise<ScoringOfDay> {
  const latest = await tx.snapshots.latestFinished();
  const cause = causeOf(latest, ruler, takenAgain);
  const replans = takenAgain || (await isNewRuler(tx, latest, ruler.knowledge));
  return { cause, prunes: mayPrune(latest, day), takenAgain, replans };
}

/** The latest snapshot that is done, if there is any. */
type Latest = SnapshotRun | undefined;

/** Whether scores are made otherwise than in the latest snapshot, so that lives move that plans rest on, whatever their day. */
async function isNewRuler(tx: Tx, latest: Latest, knowledge: Knowledge): Promise<boolean> {
  const before = latest?.modelVersion ?? knowledge.modelVersion;
  return before !== (await modelVersionOf(tx, knowledge));
}

/** What moves the scores: the day, or another model than the latest snapshot's. */
function causeOf(latest: Latest, { knowledge, announceModelChange }: Ruler, takenAgain: boolean): ScoreCause {
  const isSame = !takenAgain && (!latest || isOfModel(latest, knowledge));
  return isSame || announceModelChange ? "snapshot" : "change of model";
}

export const isOfModel = ({ modelVersion }: { modelVersion: string }, knowledge: Knowledge) =>
  baseVersion(modelVersion) === knowledge.modelVersion;

export function mayPrune(latest: Latest, day: Day): boolean {
  return latest !== undefined && daysBetween(latest.day, day) <= DOUBTFUL_DAYS;
}

/** Scores the properties as of the day, keeps their trends, announces what is to be announced, and counts it all. */
export async function scoreAll(
  tx: Tx,
  knowledge: Knowledge,
  day: Day,
  properties: readonly (ScoredProperty & { partnerId: string })[],
  run: Run,
  how: ScoringOfDay,
): Promise<void> {
  const { cause, prunes, takenAgain, replans } = how;
  // Before anything is read that is scored, since who else writes a partner's rows is waited for.
  const writers = new Map<string, PortfolioWriter>();
  for (const partnerId of [...new Set(properties.map((property) => property.partnerId))].sort())
    writers.set(partnerId, await PortfolioWriter.open(tx, knowledge, (await tx.partners.find(partnerId))!));
  // One of very many appliances is the last: it ends the step.
  const last = properties.at(-1)!;
  const appliances = [
    ...(await tx.appliances.forScoring(properties.slice(0, -1).map((property) => property.id))),
    ...(await appliancesForScoring(tx, last.id)),
  ];
  const byProperty = Map.groupBy(appliances, ({ propertyId }) => propertyId);
  const isLarge = ({ id }: { id: string }) => (byProperty.get(id)?.length ?? 0) > MOST_AT_ONCE;
  const others = properties.filter((property) => !isLarge(property));
  const ofOthers = others.flatMap(({ id }) => byProperty.get(id) ?? []);
  const loaded = await loadHistories(tx, knowledge, others, ofOthers, day);
  const corrections = await correctionsOf(tx, knowledge, ofOthers);
  const moved: string[] = [];
  for (const property of properties) {
    const { id, partnerId } = property;
    const writer = writers.get(partnerId)!;
    if (replans) writer.replan(id);
    const save = (before: ComponentToScore, appliance: ApplianceOf, score: Score) =>
      saveScore(writer, before, appliance, score);
    if (isLarge(property)) {
      const all = byProperty.get(id)!;
      const claims = await loadClaims(tx, knowledge, [id]);
      const load = async (step: readonly ScoredAppliance[]) =>
        (await loadHistories(tx, knowledge, [property], step, day, claims)).get(id)!;
      await scoreInSteps({ tx, knowledge, asOf: day, load }, all, upstreamOf(knowledge, all, all), save);
      continue;
    }
    const { history, components, appliances } = loaded.get(id)!;
    const scores = await runYielding(
      scoringSteps(knowledge, history, day, { corrections }),
      tx.yieldToEventLoop,
    );
    for (const before of components)
      await save(before, appliances.get(before.applianceId)!, scores.get(before.id)!);
  }

  async function saveScore(
    writer: PortfolioWriter,
    before: ComponentToScore,
    appliance: ApplianceOf,
    score: Score,
  ) {
    if (cause === "late snapshot" && before.trendScore !== null) return;
    const hasPoint = takenAgain && before.trendScore !== null;
    // What the day's first run has not seen was never to be announced by another model.
    const ownCause = takenAgain && !hasPoint ? "snapshot" : cause;
    const after = await writer.saveScore(before, appliance, score, day, ownCause, hasPoint);
    if (before.trendScore !== after.trendScore) {
      await tx.snapshots.insertTrendRow(after.id, day, after.riskScore);
      if (prunes && before.trendScore !== null) moved.push(after.id);
    }
    run.components++;
    if (before.riskScore !== after.riskScore) run.changed++;
    if (after.riskTier === "CRITICAL") run.critical++;
    if (after.riskTier === "WARNING") run.warning++;
  }

  await tx.totals.seen(properties.map(({ id }) => id));
  for (const writer of writers.values()) {
    run.announced += writer.announced;
    run.queued += writer.queued;
    run.heldBack += writer.heldBack;
    await writer.flush();
  }
  // Last: before each of these statements all rows are sent that are kept to be written together.
  const cutoff = addDays(day, -RETENTION_DAYS);
  for (let at = 0; at < moved.length; at += PRUNED_AT_ONCE) {
    await tx.snapshots.pruneTrends(moved.slice(at, at + PRUNED_AT_ONCE), cutoff);
    await tx.yieldToEventLoop();
  }
}
