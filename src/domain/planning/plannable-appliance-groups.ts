import type { Knowledge } from "../domain-knowledge.ts";

/**
 * Collects components by appliance, for plans that read them one by one. An appliance's components are created together, so
 * that few appliances are incomplete at a time.
 */
export class PlannableApplianceGroups<C extends { applianceId: string; typeId: string }> {
  readonly #open = new Map<string, C[]>();

  constructor(private readonly knowledge: Pick<Knowledge, "type">) {}

  /** Adds a component; returns the components of its appliance once it has all of its type. */
  add(component: C): C[] | undefined {
    const { applianceId, typeId } = component;
    const group = this.#open.get(applianceId) ?? [];
    group.push(component);
    if (group.length < this.knowledge.type(typeId).components.length) {
      this.#open.set(applianceId, group);
      return undefined;
    }
    this.#open.delete(applianceId);
    return group;
  }

  /** Returns the appliances that have fewer components than their type has today. */
  rest(): Iterable<C[]> {
    return this.#open.values();
  }
}
