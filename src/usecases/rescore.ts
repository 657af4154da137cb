import type { Component } from "../domain/component.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { ScoredProperty } from "../domain/property.ts";
import { CascadeEffects, type ScoredAppliance as CascadingAppliance } from "../domain/scoring/cascade.ts";
import { scoringOf, scoringWithoutCascade } from "../domain/scoring/score.ts";
import type { Score } from "../domain/scoring/types.ts";
import { type Day, dayOf } from "../domain/time.ts";
import type { ScoredAppliance } from "../store/queries/appliances.ts";
import type { Tx } from "../store/store.ts";
import { type LoadedProperty, loadHistories } from "./histories.ts";
import { correctionsOf } from "./model-in-use.ts";
import type { PortfolioWriter, ScoreCause } from "./portfolio-writer.ts";
import { finishedInTurns } from "./walk.ts";

/** Appliances scored in one go, between which others have their turn. */
const STEP = 100;

/**
 * Scores again, as of today, the appliances of one property whose history changed, and those that a cascade rule
 * carries a change on to. Returns every component scored, as it is now.
 */
export async function rescore(
  writer: PortfolioWriter,
  property: ScoredProperty,
  changed: readonly ScoredAppliance[] | "all",
  cause: ScoreCause,
): Promise<Component[]> {
  const { tx, knowledge } = writer;
  const asOf = dayOf(tx.now);
  const { targets, upstream } = await reach(writer, property.id, changed);
  const scored: Component[] = [];
  const scoring = {
    tx,
    knowledge,
    asOf,
    load: (step: readonly ScoredAppliance[]) => load(writer, property, step),
  };
  await scoreInSteps(scoring, targets, upstream, async (component, appliance, score) => {
    scored.push(await writer.saveScore(component, appliance, score, asOf, cause));
  });
  return scored;
}

type Scoring = {
  tx: Tx;
  knowledge: Knowledge;
  asOf: Day;
  /** What scoring reads of some of the property's appliances. */
  load: (step: readonly ScoredAppliance[]) => Promise<LoadedProperty>;
};

/**
 * Scores appliances of one property, however many, some at a time, and gives way between: `save` is handed each
 * component with its score. `upstream` are the appliances of the property that cascade on to them from other types.
 */
export async function scoreInSteps(
  { tx, knowledge, asOf, load }: Scoring,
  targets: readonly ScoredAppliance[],
  upstream: readonly ScoredAppliance[],
  save: (component: Component, appliance: ScoredAppliance, score: Score) => Promise<void>,
): Promise<void> {
  // Those that cascade on are assessed once.
  const upstreamScores: CascadingAppliance[] = [];
  for (const step of inSteps(upstream)) {
    const { history } = await load(step);
    const corrections = await correctionsOf(tx, knowledge, history.appliances);
    const steps = scoringWithoutCascade(knowledge, history, asOf, corrections);
    upstreamScores.push(...(await finishedInTurns(steps, tx.giveWay)));
    await tx.giveWay();
  }
  const cascades = new CascadeEffects(knowledge, upstreamScores);
  for (const step of inSteps(targets)) {
    const loaded = await load(step);
    const corrections = await correctionsOf(tx, knowledge, loaded.history.appliances);
    const steps = scoringOf(knowledge, loaded.history, asOf, { corrections, cascades });
    const scores = await finishedInTurns(steps, tx.giveWay);
    for (const component of loaded.components) {
      await save(component, loaded.appliances.get(component.applianceId)!, scores.get(component.id)!);
      await tx.giveWay();
    }
  }
}

/** What scoring reads of some of a property's appliances, those inserted in this write with them. */
async function load(
  writer: PortfolioWriter,
  given: ScoredProperty,
  appliances: readonly ScoredAppliance[],
): Promise<LoadedProperty> {
  const { tx, knowledge } = writer;
  const loaded = await loadHistories(tx, knowledge, [given], appliances, dayOf(tx.now));
  const property = loaded.get(given.id)!;
  for (const history of property.history.appliances)
    for (const component of writer.unscoredOf(history.id)) {
      history.components.push(component);
      property.components.push(component);
    }
  return property;
}

/** Some appliances at a time. */
export function* inSteps<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += STEP) yield all.slice(from, from + STEP);
}

/**
 * The appliances whose scores a change can move, and those that cascade on to them from other types. Most rules stay
 * within an appliance; only where a type takes part in a rule across types is the rest of the property read.
 */
async function reach(
  { tx, knowledge }: PortfolioWriter,
  propertyId: string,
  changed: readonly ScoredAppliance[] | "all",
): Promise<{ targets: readonly ScoredAppliance[]; upstream: readonly ScoredAppliance[] }> {
  const { links } = crossTypeLinks(knowledge);
  const isLinked = ({ typeId }: ScoredAppliance) => links.has(typeId) || isReachedByOthers(knowledge, typeId);
  if (changed !== "all" && !changed.some(isLinked)) return { targets: changed, upstream: [] };
  const all = await tx.appliances.forScoring([propertyId]);
  const reached = changed === "all" ? all : withReached(knowledge, changed, all);
  return { targets: reached, upstream: upstreamOf(knowledge, reached, all) };
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

/** Those of a property's appliances whose state cascades on to appliances of other types among these. */
export function upstreamOf<A extends Pick<ScoredAppliance, "typeId">>(
  knowledge: Knowledge,
  reached: readonly Pick<ScoredAppliance, "typeId">[],
  all: readonly A[],
): A[] {
  const { links } = crossTypeLinks(knowledge);
  const types = new Set(reached.map(({ typeId }) => typeId));
  return all.filter(({ typeId }) => !types.isDisjointFrom(links.get(typeId) ?? new Set()));
}

/** Whether appliances of other types carry their state on to one of this type. */
export function isReachedByOthers(knowledge: Knowledge, typeId: string): boolean {
  return crossTypeLinks(knowledge).reached.has(typeId);
}

/** By type, the other types that it cascades on to; and all that are cascaded to. */
type Links = { links: ReadonlyMap<string, ReadonlySet<string>>; reached: ReadonlySet<string> };
const linksOf = new WeakMap<Knowledge, Links>();

function crossTypeLinks(knowledge: Knowledge): Links {
  const known = linksOf.get(knowledge);
  if (known) return known;
  const links = new Map<string, Set<string>>();
  const reached = new Set<string>();
  for (const def of knowledge.components.values())
    for (const rule of knowledge.cascadesTo(def.id)) {
      if (!rule.acrossTypes) continue;
      links.set(rule.upstreamTypeId, (links.get(rule.upstreamTypeId) ?? new Set()).add(def.typeId));
      reached.add(def.typeId);
    }
  const found = { links, reached };
  linksOf.set(knowledge, found);
  return found;
}
