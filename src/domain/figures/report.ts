import type { Knowledge } from "../knowledge.ts";
import type { RiskTier } from "../scoring/types.ts";
import { type AssessedComponent, type Assessment, AssessmentGatherer } from "./assessment.ts";
import { ByScore } from "./by-score.ts";

/** A property's components by kind of appliance and by tier. */
export type Report<Item> = {
  totals: Assessment;
  /** By appliance type, in the order in which the property came to have them. */
  categories: ReadonlyMap<string, Assessment>;
  /** The highest score first. */
  byTier: Record<RiskTier, Item[]>;
};

/**
 * Gathers the assessment of a property in full (docs/model/figures.md#report). Components are given in the order of their creation;
 * of each, what `itemOf` makes of it is kept.
 */
export class ReportGatherer<C extends AssessedComponent, Item> {
  readonly #totals: AssessmentGatherer;
  readonly #categories = new Map<string, AssessmentGatherer>();
  readonly #byTier = {
    CRITICAL: new ByScore<Item>(),
    WARNING: new ByScore<Item>(),
    GOOD: new ByScore<Item>(),
  } satisfies Record<RiskTier, unknown>;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly itemOf: (component: C) => Item,
  ) {
    this.#totals = new AssessmentGatherer(knowledge);
  }

  add(component: C): void {
    const { typeId, riskScore, riskTier } = component;
    let category = this.#categories.get(typeId);
    if (!category) {
      category = new AssessmentGatherer(this.knowledge);
      this.#categories.set(typeId, category);
    }
    category.add(component);
    this.#totals.add(component);
    this.#byTier[riskTier].add(riskScore, this.itemOf(component));
  }

  report(): Report<Item> {
    const { CRITICAL, WARNING, GOOD } = this.#byTier;
    return {
      totals: this.#totals.assessment,
      categories: new Map(
        Array.from(this.#categories, ([typeId, gatherer]) => [typeId, gatherer.assessment]),
      ),
      byTier: { CRITICAL: CRITICAL.list(), WARNING: WARNING.list(), GOOD: GOOD.list() },
    };
  }
}
