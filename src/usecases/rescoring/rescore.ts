import type { Component, ComponentToScore } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { ScoredProperty } from "../../domain/property.ts";
import type { ScoreCause } from "../../domain/rules/tier-announcement-rule.ts";
import {
  CascadeEffects,
  type CascadeSource as CascadingAppliance,
} from "../../domain/scoring/failure-cascade.ts";
import { scoreCascadeSourcesInSteps, scorePropertyInSteps } from "../../domain/scoring/score.ts";
import { crossTypeLinks, isScoredByCascade } from "../../domain/scoring/score-cascades-across-types.ts";
import type { ModelCorrections } from "../../domain/scoring/score-model-corrections.ts";
import type { Score } from "../../domain/scoring/scoring-types.ts";
import { type Day, dayOf } from "../../domain/time.ts";
import { runYielding } from "../../event-loop/event-loop.ts";
import type { ScoredAppliance } from "../../store/queries/appliances-queries.ts";
import type { Tx } from "../../store/store.ts";
import { loadModelCorrections } from "../calibration/load-active-model.ts";
import { loadClaimEvidence } from "../claims/load-claim-evidence.ts";
import { type LoadedProperty, loadHistories } from "../history/load-histories.ts";
import { loadAppliancesOfHistory } from "../history/load-history-appliances.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { saveDerivedFlagsAndDeficiencies } from "../portfolio/save-derived-flags-and-deficiencies.ts";

/** Appliances scored between two yields. */
const STEP = 100;

/**
 * Scores, as of today, the appliances of one property whose history changed, and those that cascade rules carry the
 * change to. Returns every scored component.
 */
export async function rescoreProperty(
  writer: PortfolioWriter,
  property: ScoredProperty,
  changed: readonly ScoredAppliance[] | "all",
  cause: ScoreCause,
): Promise<Component[]> {
  const { tx, knowledge } = writer;
  const asOf = dayOf(tx.now);
  writer.seePlace(property);
  const all = staysWithinAppliances(knowledge, changed) ? [] : await loadAppliancesOfHistory(tx, property.id);
  const { targets, upstream } = affectedAppliances(knowledge, changed, all);
  countRescored(writer, property, targets, upstream);
  const claims = await loadClaimEvidence(tx, knowledge, [property.id]);
  const scored: Component[] = [];
  const scoring = {
    tx,
    knowledge,
    asOf,
    load: async (step: readonly ScoredAppliance[]) =>
      (await load(writer, [property], step, claims)).get(property.id)!,
  };
  await rescoreStoredAppliances(scoring, targets, upstream, async (component, appliance, score) => {
    scored.push(await writer.saveScore(component, appliance, score, asOf, cause));
  });
  return scored;
}

export type RescoreInput = {
  property: ScoredProperty;
  changed: readonly ScoredAppliance[] | "all";
  cause: ScoreCause;
};

/** Scores the changed appliances of several properties, each listed once, and loads several small ones together. */
export async function rescoreProperties(
  writer: PortfolioWriter,
  rescorings: readonly RescoreInput[],
): Promise<Component[]> {
  const scored: Component[] = [];
  for (const some of await groupRescorings(writer.tx, rescorings)) {
    const [one, ...others] = some;
    const components =
      others.length === 0
        ? await rescoreProperty(writer, one!.property, one!.changed, one!.cause)
        : await rescoreTogether(writer, some);
    scored.push(...components);
    await writer.tx.yieldToEventLoop();
  }
  return scored;
}

/** Groups rescorings into batches of about one step, loaded together. */
async function groupRescorings(tx: Tx, rescorings: readonly RescoreInput[]): Promise<RescoreInput[][]> {
  if (rescorings.length < 2) return rescorings.map((rescoring) => [rescoring]);
  const sizes = await tx.totals.sizesOf(rescorings.map(({ property }) => property.id));
  const bunches: RescoreInput[][] = [];
  let room = 0;
  for (const rescoring of rescorings) {
    const { property, changed } = rescoring;
    // Components added by this write are not in the sums yet.
    const size = (sizes.get(property.id)?.appliances ?? 0) + (changed === "all" ? 0 : changed.length);
    if (size > room || bunches.length === 0) {
      bunches.push([]);
      room = STEP;
    }
    bunches.at(-1)!.push(rescoring);
    room -= size;
  }
  return bunches;
}

async function rescoreTogether(
  writer: PortfolioWriter,
  rescorings: readonly RescoreInput[],
): Promise<Component[]> {
  const { tx, knowledge } = writer;
  const asOf = dayOf(tx.now);
  const beyond = rescorings.filter(({ changed }) => !staysWithinAppliances(knowledge, changed));
  const ids = beyond.map(({ property }) => property.id);
  const all = Map.groupBy(
    ids.length === 0 ? [] : await tx.appliances.forScoring(ids),
    ({ propertyId }) => propertyId,
  );
  const reached = rescorings.map((rescoring) => ({
    ...rescoring,
    ...affectedAppliances(knowledge, rescoring.changed, all.get(rescoring.property.id) ?? []),
  }));
  for (const { property, targets, upstream } of reached) countRescored(writer, property, targets, upstream);
  const appliances = new Map(
    reached
      .flatMap(({ targets, upstream }) => [...upstream, ...targets])
      .map((scoredAppliance) => [scoredAppliance.id, scoredAppliance]),
  );
  const read = [...appliances.values()];
  const properties = rescorings.map(({ property }) => property);
  for (const property of properties) writer.seePlace(property);
  const loaded = await load(writer, properties, read);
  const corrections = await loadModelCorrections(tx, knowledge, read);
  const scored: Component[] = [];
  for (const { property, cause, targets, upstream } of reached) {
    const whole = loaded.get(property.id)!;
    const scoring = {
      tx,
      knowledge,
      asOf,
      corrections,
      load: async (step: Step) => selectAppliances(whole, step),
    };
    await rescoreStoredAppliances(scoring, targets, upstream, async (component, appliance, score) => {
      scored.push(await writer.saveScore(component, appliance, score, asOf, cause));
    });
  }
  return scored;
}

type Step = readonly ScoredAppliance[];

/** Counts the components of appliances that are about to be scored. Throws RescoreLimitExceeded. */
function countRescored(
  { rescoreLimit, knowledge }: PortfolioWriter,
  property: ScoredProperty,
  ...appliances: readonly Step[]
): void {
  if (!rescoreLimit) return;
  const counts = appliances.flat().map(({ typeId }) => knowledge.type(typeId).components.length);
  rescoreLimit.count(
    property.id,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

/** Returns the part of a loaded property that concerns these appliances. */
function selectAppliances(property: LoadedProperty, step: Step): LoadedProperty {
  const { history, components, appliances } = property;
  if (step.length === history.appliances.length) return property;
  const ids = new Set(step.map(({ id }) => id));
  return {
    history: { ...history, appliances: history.appliances.filter(({ id }) => ids.has(id)) },
    components: components.filter(({ applianceId }) => ids.has(applianceId)),
    appliances,
  };
}

type Scoring = {
  tx: Tx;
  knowledge: Knowledge;
  asOf: Day;
  /** Loads the history of some of the property's appliances. */
  load: (step: Step) => Promise<LoadedProperty>;
  /** The active calibration, if the caller has read it already. */
  corrections?: ModelCorrections;
};

/**
 * Scores any number of appliances of one property in batches and yields in between; `save` receives each component
 * with its score. `upstream` are the property's appliances of other types that cascade to them.
 */
export async function rescoreStoredAppliances(
  { tx, knowledge, asOf, load, corrections: known }: Scoring,
  targets: readonly ScoredAppliance[],
  upstream: readonly ScoredAppliance[],
  save: (component: ComponentToScore, appliance: ScoredAppliance, score: Score) => Promise<void>,
): Promise<void> {
  // Upstream appliances are assessed once.
  const upstreamScores: CascadingAppliance[] = [];
  for (const step of rescoreBatches(upstream)) {
    const { history } = await load(step);
    const corrections = known ?? (await loadModelCorrections(tx, knowledge, history.appliances));
    const steps = scoreCascadeSourcesInSteps(knowledge, history, asOf, corrections);
    upstreamScores.push(...(await runYielding(steps, tx.yieldToEventLoop)));
    await tx.yieldToEventLoop();
  }
  const cascades = new CascadeEffects(knowledge, upstreamScores);
  for (const step of rescoreBatches(targets)) {
    const loaded = await load(step);
    const corrections = known ?? (await loadModelCorrections(tx, knowledge, loaded.history.appliances));
    const steps = scorePropertyInSteps(knowledge, loaded.history, asOf, { corrections, cascades });
    const scores = await runYielding(steps, tx.yieldToEventLoop);
    for (const component of loaded.components) {
      await save(component, loaded.appliances.get(component.applianceId)!, scores.get(component.id)!);
      await tx.yieldToEventLoop();
    }
  }
}

/** Loads the history of some appliances by property, including those inserted by this write. */
async function load(
  writer: PortfolioWriter,
  properties: readonly ScoredProperty[],
  appliances: readonly ScoredAppliance[],
  claims?: Parameters<typeof loadHistories>[5],
): Promise<Map<string, LoadedProperty>> {
  const { tx, knowledge } = writer;
  const loaded = await loadHistories(tx, knowledge, properties, appliances, dayOf(tx.now), claims);
  for (const property of loaded.values()) {
    for (const history of property.history.appliances)
      for (const component of writer.unscoredOf(history.id)) {
        history.components.push(component);
        property.components.push(component);
      }
    await saveDerivedFlagsAndDeficiencies(writer, property);
  }
  return loaded;
}

/** Yields the appliances in batches. */
export function* rescoreBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += STEP) yield all.slice(from, from + STEP);
}

/**
 * Returns whether a change can only move the scores of the changed appliances: most cascade rules stay within an
 * appliance.
 */
function staysWithinAppliances(knowledge: Knowledge, changed: readonly ScoredAppliance[] | "all"): boolean {
  const { links } = crossTypeLinks(knowledge);
  const isLinked = ({ typeId }: ScoredAppliance) => links.has(typeId) || isScoredByCascade(knowledge, typeId);
  return changed !== "all" && !changed.some(isLinked);
}

/**
 * Returns the appliances whose scores a change can move, and those of other types that cascade to them. `all` of
 * the property's appliances are needed unless the change `staysWithinAppliances`.
 */
function affectedAppliances(
  knowledge: Knowledge,
  changed: readonly ScoredAppliance[] | "all",
  all: readonly ScoredAppliance[],
): { targets: readonly ScoredAppliance[]; upstream: readonly ScoredAppliance[] } {
  if (staysWithinAppliances(knowledge, changed))
    return { targets: changed as readonly ScoredAppliance[], upstream: [] };
  const targets = changed === "all" ? all : withReached(knowledge, changed, all);
  return { targets, upstream: rescoredUpstreamAppliances(knowledge, targets, all) };
}

function withReached(
  knowledge: Knowledge,
  changed: readonly ScoredAppliance[],
  all: readonly ScoredAppliance[],
): readonly ScoredAppliance[] {
  const { links } = crossTypeLinks(knowledge);
  const ids = new Set(changed.map(({ id }) => id));
  const types = new Set(changed.flatMap(({ typeId }) => [...(links.get(typeId) ?? [])]));
  return all.filter(({ id, typeId }) => ids.has(id) || types.has(typeId));
}

/** Returns the appliances of a property whose state cascades to appliances of other types in the list. */
export function rescoredUpstreamAppliances<A extends Pick<ScoredAppliance, "typeId">>(
  knowledge: Knowledge,
  reached: readonly Pick<ScoredAppliance, "typeId">[],
  all: readonly A[],
): A[] {
  const { links } = crossTypeLinks(knowledge);
  const types = new Set(reached.map(({ typeId }) => typeId));
  return all.filter(({ typeId }) => !types.isDisjointFrom(links.get(typeId) ?? new Set()));
}
