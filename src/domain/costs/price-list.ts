import type { ApplianceType, ComponentDef, Knowledge } from "../domain-knowledge.ts";
import { applianceSizeForPricing, type PricedAppliance, type PricedProperty } from "./appliance-size.ts";
import { type ComponentCosts, type PartCosts, type UnitCosts, zeroCentsByBasis } from "./component-costs.ts";
import type { CostAdjustment } from "./cost-adjustment.ts";
import { type CostLine, CostLines, type StatedCosts } from "./cost-line.ts";
import { CostScale, type ScaledCosts } from "./cost-scaling.ts";
import {
  applyStatedCosts,
  hasOwnCosts,
  type OwnCosts,
  ownCostsBeforeCostLines,
  statedCostsOrElse,
} from "./stated-costs.ts";

/** A component with everything that its costs depend on. */
export type PricedComponent = OwnCosts & PricedAppliance & PricedProperty & { defId: string };

/** Prices kept: about 12 MB. Beyond it they are computed again, so that a million sizes need no more memory. */
const MOST_KEPT = 5_000;

/**
 * The costs of a partner's components and units (docs/model/costs.md). What depends on type, size, state and cost lines alone
 * is computed once.
 * @example
 * const prices = new PriceList(knowledge, terms, lines);
 * const { plannedCents, failedCents, basis } = prices.ofComponent(component);
 */
export class PriceList {
  readonly #lines: CostLines;
  /** By type, state and size; size 0 is unknown. */
  readonly #kept = new Map<string, Map<string, Map<number, TypePrices>>>();
  #keptCount = 0;
  /** The latest prices that were returned: most rows of a list share their appliance with the row before. */
  #latest: TypePrices | undefined;

  constructor(
    readonly knowledge: Knowledge,
    readonly terms: CostAdjustment,
    lines: readonly CostLine[] = [],
  ) {
    this.#lines = new CostLines(lines);
  }

  /** The number of prices that are kept. */
  get kept(): number {
    return this.#keptCount;
  }

  /** Returns the prices of an appliance. Throws for an unknown type. */
  ofAppliance(appliance: PricedAppliance, property: PricedProperty): TypePrices {
    const latest = this.#latest;
    if (latest?.isOf(appliance, property)) return latest;
    const type = this.knowledge.type(appliance.typeId);
    const size = applianceSizeForPricing(type, appliance, property);
    const found =
      this.#kept
        .get(type.id)
        ?.get(property.state)
        ?.get(size ?? 0) ?? this.#keep(type, property.state, size);
    this.#latest = found;
    return found;
  }

  /**
   * Returns the costs of a component; those of its whole unit if it is the principal part of one. One of the type that its
   * appliance had before costs what it does in an appliance of that type, of unknown size. A caller that has its definition
   * passes it.
   */
  ofComponent(
    component: PricedComponent,
    { id, typeId }: Pick<ComponentDef, "id" | "typeId"> = this.knowledge.component(component.defId),
  ): ComponentCosts {
    const appliance = typeId === component.typeId ? component : { ...component, typeId, size: null };
    // The ID of the definition has its hash already, that of a row that was just read does not.
    return this.ofAppliance(appliance, component).component(id, component);
  }

  #keep(type: ApplianceType, state: string, size: number | null): TypePrices {
    if (this.#keptCount++ === MOST_KEPT) {
      this.#kept.clear();
      this.#keptCount = 1;
    }
    const prices = new TypePrices(type, state, size, this.terms, this.#lines);
    const states = this.#kept.get(type.id) ?? new Map<string, Map<number, TypePrices>>();
    this.#kept.set(type.id, states);
    const sizes = states.get(state) ?? new Map<number, TypePrices>();
    states.set(state, sizes);
    sizes.set(size ?? 0, prices);
    return prices;
  }
}

/** A part's costs in the knowledge base and by the partner, before a component's own numbers. */
type Priced<Of> = { book: ScaledCosts; stated: StatedCosts; costs: Of };

/** The prices of the appliances of a type that are of one size, in one state. */
export class TypePrices {
  readonly #components = new Map<string, Priced<ComponentCosts>>();
  readonly #unit: Priced<UnitCosts>;
  /** The costs of the principal part itself in the knowledge base, by which its own policy is found. */
  readonly #principalPart: PartCosts | null;

  constructor(
    private readonly type: ApplianceType,
    private readonly state: string,
    private readonly size: number | null,
    terms: CostAdjustment,
    lines: CostLines,
  ) {
    const scale = new CostScale(type, state, size, terms);
    const stated = (defId: string | null) =>
      lines.of(type.id, defId, { state, size, exponent: type.size?.exponent ?? 0 });
    const { principalDefId } = this;
    const principal = type.components.find(({ id }) => id === principalDefId) ?? null;
    const book = scale.unit(principal);
    // A line of the principal part prices the unit, unless the unit has one itself.
    const ofUnit = principal ? statedCostsOrElse(stated(null), stated(principal.id)) : stated(null);
    const unit = applyStatedCosts(book, ofUnit);
    this.#principalPart = principal && priceOf(scale.component(principal), NOT_STATED).costs;
    for (const def of type.components)
      this.#components.set(
        def.id,
        def === principal
          ? { book, stated: ofUnit, costs: { ...unit, isPrincipal: true } }
          : priceOf(scale.component(def), stated(def.id)),
      );
    this.#unit = { book, stated: ofUnit, costs: { ...unit, ...this.#value(unit) } };
  }

  /** Returns whether these are the prices of an appliance. */
  isOf(appliance: PricedAppliance, property: PricedProperty): boolean {
    const { type, state, size } = this;
    if (type.id !== appliance.typeId || state !== property.state) return false;
    return (applianceSizeForPricing(type, appliance, property) ?? 0) === (size ?? 0);
  }

  /** True for a type that is replaced as a whole; documented sums count such a unit once at most. */
  get isWhole(): boolean {
    return this.type.whole !== null;
  }

  /** Returns the id of the principal part; null for a type without one. */
  get principalDefId(): string | null {
    return this.type.whole?.principal?.defId ?? null;
  }

  /** Returns the costs of a component, by its own numbers if it has any. Throws for a component of another type. */
  component(defId: string, own?: OwnCosts): ComponentCosts {
    const priced = this.#components.get(defId);
    if (!priced) throw new Error(`${defId} is not a component of ${this.type.id}`);
    if (!own || !hasOwnCosts(own)) return priced.costs;
    return {
      ...applyStatedCosts(priced.book, ownCostsBeforeCostLines(own, priced.stated)),
      isPrincipal: priced.costs.isPrincipal,
    };
  }

  /** Returns the costs of a part itself: of the principal part those in the knowledge base, not its unit's. */
  part(defId: string, own?: OwnCosts): PartCosts {
    return defId === this.principalDefId ? this.#principalPart! : this.component(defId, own);
  }

  /**
   * Returns the costs of the whole unit, also for a type whose parts are replaced one by one. `own` are the own numbers of its
   * components by their kinds: those of the principal part price the unit.
   */
  unit(own?: ReadonlyMap<string, OwnCosts>): UnitCosts {
    const { book, stated, costs } = this.#unit;
    if (!own || own.size === 0) return costs;
    const ofPrincipal = this.principalDefId === null ? undefined : own.get(this.principalDefId);
    const unit = ofPrincipal ? applyStatedCosts(book, ownCostsBeforeCostLines(ofPrincipal, stated)) : costs;
    return { ...unit, ...this.#value(unit, own) };
  }

  #value(unit: PartCosts, own?: ReadonlyMap<string, OwnCosts>): Pick<UnitCosts, "rcvCents" | "rcvByBasis"> {
    const isStated = unit.basis === "own" || unit.basis === "own_history";
    const byBasis = zeroCentsByBasis();
    let sum = 0;
    if (!isStated)
      for (const defId of this.#components.keys()) {
        const { plannedCents, basis } = this.part(defId, own?.get(defId));
        byBasis[basis] += plannedCents;
        sum += plannedCents;
      }
    if (isStated || sum > unit.plannedCents)
      return {
        rcvCents: unit.plannedCents,
        rcvByBasis: { ...zeroCentsByBasis(), [unit.basis]: unit.plannedCents },
      };
    return { rcvCents: sum, rcvByBasis: byBasis };
  }
}

const NOT_STATED: StatedCosts = { planned: null, failed: null };

function priceOf(book: ScaledCosts, stated: StatedCosts): Priced<ComponentCosts> {
  return { book, stated, costs: { ...applyStatedCosts(book, stated), isPrincipal: false } };
}
