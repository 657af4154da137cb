import type { Steps } from "../steps/computation-steps.ts";
import type { DueComponent } from "./component-plan.ts";
import { PlannableApplianceGroups } from "./plannable-appliance-groups.ts";
import { type DueState, dueStateOfAppliance, type PlanContext } from "./planned-appliance.ts";

/** Adds up the cost of what is due now, component by component. */
export class DueCostSum<C extends DueComponent> {
  readonly #groups: PlannableApplianceGroups<C>;
  #cents = 0;

  /** `visit` receives what is due of each appliance. */
  constructor(
    private readonly context: PlanContext<C>,
    private readonly visit: (component: C, due: DueState) => void = () => {},
  ) {
    this.#groups = new PlannableApplianceGroups(context.knowledge);
  }

  add(component: C): void {
    const group = this.#groups.add(component);
    if (group) this.#addAppliance(group);
  }

  /** Returns the sum. No components may be added afterwards. */
  *finish(): Steps<number> {
    for (const group of this.#groups.rest()) {
      this.#addAppliance(group);
      yield;
    }
    return this.#cents;
  }

  #addAppliance(group: readonly C[]): void {
    const due = dueStateOfAppliance(this.context, group);
    this.#cents += due.dueCents;
    this.visit(group[0]!, due);
  }
}
