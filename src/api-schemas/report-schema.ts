import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import { elevatedCostExposureOf } from "../domain/figures/elevated-cost-exposure.ts";
import { centsPerUnit } from "../domain/figures/property-assessment.ts";
import { propertyConditionOf } from "../domain/figures/property-condition.ts";
import { type ReportFigures, ReportFiguresAccumulator } from "../domain/figures/report-figures.ts";
import type { ReserveAccumulator } from "../domain/figures/reserve.ts";
import { PlanSumsAccumulator } from "../domain/planning/plan-sums.ts";
import { PlannableApplianceGroups } from "../domain/planning/plannable-appliance-groups.ts";
import { type PlanContext, planApplianceFromScores } from "../domain/planning/planned-appliance.ts";
import type { Property } from "../domain/property.ts";
import { ageYears as ageYearsOf } from "../domain/scoring/virtual-age.ts";
import type { Steps } from "../domain/steps/computation-steps.ts";
import { type Day, dayOf, type Instant, isoTextOfInstant } from "../domain/time.ts";
import { actionFields, serializeAction } from "./action-schema.ts";
import { assumptionsField } from "./assumptions-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents, roundJsonNumber } from "./definition/json-unit-conversion.ts";
import {
  listSchema,
  mapSchema,
  objectSchema,
  recordSchema,
  usdSchema,
} from "./definition/schema-field-types.ts";
import { ITEM_BYTES, itemFields, serializeFigureItem } from "./figure-item-schema.ts";
import type { FigureSchemaAccumulator } from "./figure-schema-accumulator.ts";
import {
  assessedCount,
  calculatedAt,
  conditionIndexField,
  deferredDescription,
  deferredPerDoor,
  recommendedReserve,
  recommendedReserveJsonGatherer,
  serializeRecommendedReserve,
  totalDeferred,
  totalReactive,
} from "./figures-schema.ts";
import { flaggedAppliances, HazardFlagJsonGatherer } from "./hazard-flag-schema.ts";
import { schemaWithPartner } from "./paging-schema.ts";
import { property, serializeProperty } from "./property-schema.ts";
import { figuresSchemaWithRecalculating } from "./recalculating-schema.ts";
import { ageYearsField, rating, serializeTierCounts, tierCounts } from "./score-schema.ts";

const reportItem = recordSchema("ReportItem", { ...itemFields, age_years: ageYearsField, ...actionFields });
type ReportItemJson = JsonOf<typeof reportItem>;

const report = objectSchema({
  property: property.describedAs("The property"),
  overall: objectSchema({
    rating,
    nci_equivalent: conditionIndexField,
    components_assessed: assessedCount,
  }).describedAs("Rating of the property"),
  categories: mapSchema(
    "Counts and deferred cost by appliance type",
    objectSchema({ ...tierCounts, deferred: usdSchema(deferredDescription, 1450) }),
  ),
  critical: listSchema("The CRITICAL components, highest score first", reportItem),
  warning: listSchema("The WARNING components, highest score first", reportItem),
  good: listSchema("The GOOD components, highest score first", reportItem),
  financials: objectSchema({
    total_deferred: totalDeferred,
    total_reactive_exposure: totalReactive,
    deferred_per_door: deferredPerDoor,
    estimated_savings_if_acted: usdSchema(
      "Reactive exposure minus deferred maintenance: all listed components failing at once, not what is expected",
      24_500,
    ),
    recommended_monthly_reserve_per_unit: recommendedReserve,
  }).describedAs("Costs, in USD"),
  flags: flaggedAppliances,
  assessed_at: calculatedAt,
});

/** The action is that of the plan, which is set once the appliance's other components are known. */
const serializeReportItem = reportItem.serializer((prices: PriceList, row: PlacedComponent) => ({
  ...serializeFigureItem(prices, row),
  age_years: roundJsonNumber(ageYearsOf(row, row.scoredOn), 2),
  ...UNPLANNED,
}));
const UNPLANNED: Pick<ReportItemJson, "action" | "reason"> = { action: "monitor", reason: "" };

/** Sets the actions of report items, appliance by appliance. */
class ItemActions {
  readonly #groups: PlannableApplianceGroups<PlacedComponent>;
  readonly #sums = new PlanSumsAccumulator(SHORTEST);
  /** The items of appliances that are not complete yet. */
  readonly #open = new Map<string, ReportItemJson>();

  constructor(
    private readonly planning: PlanContext<PlacedComponent>,
    private readonly asOf: Day,
  ) {
    this.#groups = new PlannableApplianceGroups(planning.knowledge);
  }

  add(component: PlacedComponent, item: ReportItemJson): void {
    this.#open.set(component.id, item);
    const group = this.#groups.add(component);
    if (group) this.#set(group);
  }

  /** Sets the actions of appliances that have fewer components than their type; returns the cost of what is due now. */
  *finish(): Steps<number> {
    for (const group of this.#groups.rest()) {
      this.#set(group);
      yield;
    }
    return this.#sums.dueCents;
  }

  #set(group: readonly PlacedComponent[]): void {
    const planned = planApplianceFromScores(this.planning, group, this.asOf, SHORTEST);
    this.#sums.add(planned);
    for (const { component, action } of planned.components) {
      Object.assign(this.#open.get(component.id)!, serializeAction(action));
      this.#open.delete(component.id);
    }
  }
}

/** Actions do not depend on the years of a schedule. */
const SHORTEST = 1;

type Reported = {
  property: Property;
  report: ReportFigures<JsonOf<typeof reportItem>>;
  reserve: ReserveAccumulator;
  flags: HazardFlagJsonGatherer;
  dueCents: number;
  centsPerSqft: number;
  now: Instant;
};

const serializeReport = report.serializer(
  ({ property, report, reserve, flags, dueCents, centsPerSqft, now }: Reported) => {
    const { totals, categories, byTier } = report;
    const { rating, score } = propertyConditionOf(property, { ...totals, dueCents }, centsPerSqft);
    const exposure = elevatedCostExposureOf(totals);
    return {
      property: serializeProperty(property),
      overall: { rating, nci_equivalent: score, components_assessed: totals.components },
      categories: Object.fromEntries(
        [...categories].map(([typeId, group]) => [
          typeId,
          {
            ...serializeTierCounts(group),
            deferred: jsonUsdFromCents(elevatedCostExposureOf(group).deferredCents),
          },
        ]),
      ),
      critical: byTier.CRITICAL,
      warning: byTier.WARNING,
      good: byTier.GOOD,
      financials: {
        total_deferred: jsonUsdFromCents(exposure.deferredCents),
        total_reactive_exposure: jsonUsdFromCents(exposure.reactiveCents),
        deferred_per_door: jsonUsdFromCents(centsPerUnit(exposure.deferredCents, property.unitCount)),
        estimated_savings_if_acted: jsonUsdFromCents(exposure.savingsCents),
        recommended_monthly_reserve_per_unit: serializeRecommendedReserve(reserve, property.unitCount),
      },
      flags: flags.list(),
      assessed_at: isoTextOfInstant(now),
    };
  },
);
export const reportReply = schemaWithPartner(figuresSchemaWithRecalculating(report.and(assumptionsField)));

/** The approximate size of a reason in memory. */
const REASON_BYTES = 200;

/** `planning`: the data that the actions of a plan need; `now` is its first day. */
export function propertyReportSchemaAccumulator(
  planning: PlanContext<PlacedComponent>,
  prices: PriceList,
  now: Instant,
): FigureSchemaAccumulator<JsonOf<typeof report>> {
  const actions = new ItemActions(planning, dayOf(now));
  const collector = new ReportFiguresAccumulator(prices, (row: PlacedComponent) => {
    const item = serializeReportItem(prices, row);
    actions.add(row, item);
    return item;
  });
  const reserve = recommendedReserveJsonGatherer(prices);
  const flags = new HazardFlagJsonGatherer(prices.knowledge);
  return {
    add(component) {
      collector.add(component);
      reserve.add(component);
      return ITEM_BYTES + REASON_BYTES + flags.add(component);
    },
    *write(property, { now: writtenAt }) {
      const dueCents = yield* actions.finish();
      const report = yield* collector.report();
      const centsPerSqft = prices.knowledge.buildingCentsPerSqft;
      return serializeReport({ property, report, reserve, flags, dueCents, centsPerSqft, now: writtenAt });
    },
  };
}
