import type { ApplianceType, ComponentDef } from "../domain-knowledge.ts";
import type { DamageCosts, Scaling } from "./component-costs.ts";
import type { CostAdjustment } from "./cost-adjustment.ts";

/** Costs of the knowledge base in a place; not rounded. */
export type ScaledCosts = {
  planned: number;
  emergency: number;
  damage: DamageCosts | null;
  scaling: Scaling;
};

/** The failure of a unit costs the share of its principal part more than planned work does, at most this much. */
const MOST_FAILED_SHARE = 1.3;
/** The most damages that a failure is expected to do, however large the building. */
const MOST_DAMAGES = 3;

/** Brings the costs of a type to a size and a state (docs/model/costs.md#scaled). */
export class CostScale {
  readonly #bySize: number;
  readonly #byPlace: number;
  readonly #byCount: number;
  readonly scaling: Scaling;

  constructor(
    private readonly type: ApplianceType,
    state: string,
    size: number | null,
    { locationFactors, priceLevel }: CostAdjustment,
  ) {
    const rule = type.size;
    const byLocation = locationFactors?.get(state) ?? 1;
    this.#byPlace = byLocation * priceLevel;
    this.#bySize = rule && size !== null ? (size / rule.reference) ** rule.exponent : 1;
    this.#byCount = rule && size !== null ? size / rule.reference : 1;
    this.scaling = {
      size,
      referenceSize: rule?.reference ?? null,
      bySize: this.#bySize,
      byLocation,
      byPriceLevel: priceLevel,
    };
  }

  component({ proactiveCents, emergencyCents, damage }: ComponentDef): ScaledCosts {
    return this.#costs(proactiveCents, emergencyCents, damage);
  }

  /** Returns U, and U_f with the damage of its principal part; without one, U_f is that of an average part. */
  unit(principal: ComponentDef | null): ScaledCosts {
    const { replacementCents, components } = this.type;
    const failing = principal ? [principal] : components;
    const planned = failing.reduce((sum, def) => sum + def.proactiveCents, 0);
    const emergency = failing.reduce((sum, def) => sum + def.emergencyCents, 0);
    const share = Math.min(MOST_FAILED_SHARE, emergency / planned);
    return this.#costs(replacementCents, replacementCents * share, principal?.damage ?? null);
  }

  #costs(planned: number, emergency: number, damage: ComponentDef["damage"]): ScaledCosts {
    const factor = this.#bySize * this.#byPlace;
    return {
      planned: planned * factor,
      emergency: emergency * factor,
      damage: damage && this.#damage(damage),
      scaling: this.scaling,
    };
  }

  /** Larger parts of a building do more damages, not costlier ones. */
  #damage({ peril, probability, cents }: NonNullable<ComponentDef["damage"]>): DamageCosts {
    const isPoisson = this.type.size !== null && this.type.size.defaultsTo !== null;
    const expected = isPoisson ? Math.min(MOST_DAMAGES, probability * this.#byCount) : probability;
    return { peril, expected, cents: cents * this.#byPlace, isPoisson };
  }
}
