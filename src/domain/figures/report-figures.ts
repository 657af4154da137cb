import type { PriceList } from "../costs/price-list.ts";
import type { RiskTier } from "../scoring/scoring-types.ts";
import type { Steps } from "../steps/computation-steps.ts";
import { type AssessedComponent, type Assessment, AssessmentAccumulator } from "./property-assessment.ts";
import { ScoreBucketSort } from "./score-bucket-sort.ts";

/** A property's components by appliance type and by tier. */
export type ReportFigures<Item> = {
  totals: Assessment;
  /** By appliance type, in the order in which the property got them. */
  categories: ReadonlyMap<string, Assessment>;
  /** The highest score first. */
  byTier: Record<RiskTier, Item[]>;
};

/**
 * Builds the report of a property (docs/model/figures.md#report). Components are added in the order of their creation; of
 * each, the result of `itemOf` is kept.
 */
export class ReportFiguresAccumulator<C extends AssessedComponent, Item> {
  readonly #totals: AssessmentAccumulator;
  readonly #categories = new Map<string, AssessmentAccumulator>();
  readonly #byTier = {
    CRITICAL: new ScoreBucketSort<Item>(),
    WARNING: new ScoreBucketSort<Item>(),
    GOOD: new ScoreBucketSort<Item>(),
  } satisfies Record<RiskTier, unknown>;

  constructor(
    private readonly prices: PriceList,
    private readonly itemOf: (component: C) => Item,
  ) {
    this.#totals = new AssessmentAccumulator(prices);
  }

  add(component: C): void {
    const { typeId, riskScore, riskTier } = component;
    let category = this.#categories.get(typeId);
    if (!category) {
      category = new AssessmentAccumulator(this.prices);
      this.#categories.set(typeId, category);
    }
    category.add(component);
    this.#totals.add(component);
    this.#byTier[riskTier].add(riskScore, this.itemOf(component));
  }

  *report(): Steps<ReportFigures<Item>> {
    const { CRITICAL, WARNING, GOOD } = this.#byTier;
    return {
      totals: this.#totals.assessment,
      categories: new Map(
        Array.from(this.#categories, ([typeId, collector]) => [typeId, collector.assessment]),
      ),
      byTier: {
        CRITICAL: yield* CRITICAL.list(),
        WARNING: yield* WARNING.list(),
        GOOD: yield* GOOD.list(),
      },
    };
  }
}
