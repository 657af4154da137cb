import type { Appliance } from "../domain/appliance.ts";
import type { Component } from "../domain/component.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { Property } from "../domain/property.ts";
import { scoreProperty } from "../domain/scoring/score.ts";
import { dayOf } from "../domain/time.ts";
import { loadHistories } from "./histories.ts";
import type { PortfolioWriter, ScoreCause } from "./portfolio-writer.ts";

/**
 * Scores again, as of today, the appliances of one property whose history changed, and those that a cascade rule
 * carries a change on to. Returns every component scored, as it is now.
 */
export async function rescore(
  writer: PortfolioWriter,
  property: Pick<Property, "id" | "state">,
  changed: readonly Appliance[] | "all",
  cause: ScoreCause,
): Promise<Component[]> {
  const { tx, knowledge } = writer;
  const asOf = dayOf(tx.now);
  const { context, targets } = await reach(writer, property.id, changed);
  const states = new Map([[property.id, property.state]]);
  const loaded = (await loadHistories(tx, knowledge, states, context, asOf)).get(property.id)!;
  for (const { id, components } of loaded.history.appliances)
    for (const component of writer.unscoredOf(id)) {
      components.push(component);
      loaded.components.push(component);
    }
  const scores = scoreProperty(knowledge, loaded.history, asOf, { only: targets });
  const scored: Component[] = [];
  for (const component of loaded.components) {
    const score = scores.get(component.id);
    if (!score) continue;
    const appliance = loaded.appliances.get(component.applianceId)!;
    scored.push(await writer.saveScore(component, appliance, score, asOf, cause));
  }
  return scored;
}

/**
 * The appliances whose scores a change can move, and those that must be read to score them. Most rules stay within an
 * appliance; only where a type takes part in a rule across types is the rest of the property read.
 */
async function reach(
  writer: PortfolioWriter,
  propertyId: string,
  changed: readonly Appliance[] | "all",
): Promise<{ context: readonly Appliance[]; targets: ReadonlySet<string> }> {
  const links = crossTypeLinks(writer.knowledge);
  if (
    changed !== "all" &&
    !changed.some(({ typeId }) => links.upstream.has(typeId) || links.downstream.has(typeId))
  )
    return { context: changed, targets: new Set(changed.map((appliance) => appliance.id)) };
  const all = await writer.tx.appliances.ofProperty(propertyId);
  if (changed === "all") return { context: all, targets: new Set(all.map((appliance) => appliance.id)) };
  const targets = new Set(changed.map((appliance) => appliance.id));
  const reached = new Set(changed.flatMap(({ typeId }) => [...(links.upstream.get(typeId) ?? [])]));
  for (const appliance of all) if (reached.has(appliance.typeId)) targets.add(appliance.id);
  const context = all.filter(
    (appliance) => targets.has(appliance.id) || links.upstream.has(appliance.typeId),
  );
  return { context, targets };
}

/** Whether appliances of other types carry their state on to one of this type. */
export function isReachedByOthers(knowledge: Knowledge, typeId: string): boolean {
  return crossTypeLinks(knowledge).downstream.has(typeId);
}

type Links = { upstream: ReadonlyMap<string, ReadonlySet<string>>; downstream: ReadonlySet<string> };
const linksOf = new WeakMap<Knowledge, Links>();

/** The types that cascade on to other types, with those, and all that are cascaded to. */
function crossTypeLinks(knowledge: Knowledge): Links {
  const known = linksOf.get(knowledge);
  if (known) return known;
  const upstream = new Map<string, Set<string>>();
  const downstream = new Set<string>();
  for (const def of knowledge.components.values())
    for (const rule of knowledge.cascadesTo(def.id)) {
      if (!rule.acrossTypes) continue;
      upstream.set(rule.upstreamTypeId, (upstream.get(rule.upstreamTypeId) ?? new Set()).add(def.typeId));
      downstream.add(def.typeId);
    }
  const links = { upstream, downstream };
  linksOf.set(knowledge, links);
  return links;
}
