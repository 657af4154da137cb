import type { BudgetCandidate } from "./budget.ts";
import type { PlannedAppliance } from "./planned-appliance.ts";

/**
 * Returns the candidates of an appliance, in whole cents as shown: the unit, or else its parts; of a unit that stays, also
 * the minor parts that are repaired.
 */
export function budgetCandidatesOfAppliance<C extends { id: string }>({
  unit,
  components,
  applianceId,
}: PlannedAppliance<C>): BudgetCandidate[] {
  const parts = components
    .filter(({ policy }) => policy !== "with_unit")
    .map((plan) => ({
      id: plan.component.id,
      plannedCents: plan.price.plannedCents,
      waitingCents: Math.round(plan.waitingCents),
      isUrgent: plan.comesFirst,
    }));
  if (!unit) return parts;
  return [
    {
      id: applianceId,
      plannedCents: unit.price.plannedCents,
      waitingCents: Math.round(unit.waitingCents),
      isUrgent: unit.comesFirst,
    },
    ...parts,
  ];
}
