import type { Knowledge } from "../domain-knowledge.ts";

/** Returns whether appliances of other types cascade to this type. */
export function isScoredByCascade(knowledge: Knowledge, typeId: string): boolean {
  return crossTypeLinks(knowledge).reached.has(typeId);
}

/** For each type, the other types that it cascades to; and all types that are cascaded to. */
type Links = { links: ReadonlyMap<string, ReadonlySet<string>>; reached: ReadonlySet<string> };

const linksOf = new WeakMap<Knowledge, Links>();

/** Returns the cascades between appliance types, computed once for a knowledge base. */
export function crossTypeLinks(knowledge: Knowledge): Links {
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
