import type {
  PlannedComponentJson,
  PlannedUnitJson,
  PropertyPlanJson,
} from "../../api-schemas/plan-schema.ts";
import { mapInSteps, type Steps } from "../../domain/steps/computation-steps.ts";
import type { ApplianceNames } from "./page-appliance-names.ts";

/** A unit or component of a plan, as lists of both show it. */
export type PlanLine = Pick<
  PlannedUnitJson,
  | "appliance_id"
  | "appliance_type"
  | "unit"
  | "age_years"
  | "effective_age_years"
  | "expected_life_years"
  | "remaining_life_years"
  | "replace_on"
  | "cost_of_waiting_a_year"
  | "due_now"
  | "comes_first"
  | "cost_basis"
  | "size"
  | "cost_factor"
  | "action"
  | "reason"
  | "work_state"
  | "work_until"
  | "work_by"
  | "work_reason"
> & {
  /** The ID of the appliance or the component. */
  id: string;
  isUnit: boolean;
  /** The name of the appliance's type or of the component. */
  name: string;
  /** The definition of the component; empty for a unit. */
  defId: string;
  policy: PlannedComponentJson["policy"];
  /** The tier of a component; null for a unit. */
  tier: PlannedComponentJson["risk_tier"] | null;
  cost: number;
  failedCost: number;
  yearlyCosts: readonly number[];
};

type WithYears<T> = T & { yearly_costs?: readonly number[] };

type Lines = {
  units: readonly WithYears<PropertyPlanJson["units"][number]>[];
  components: readonly WithYears<PropertyPlanJson["components"][number]>[];
};

/** Returns the units of a plan, then its components. */
export function* pagePlanLines(
  { units, components }: Lines,
  applianceNames: ApplianceNames,
): Steps<PlanLine[]> {
  const ofUnits = yield* mapInSteps(units, (unit) => ({
    ...unit,
    id: unit.appliance_id,
    isUnit: true,
    name: applianceNames.typeName(unit.appliance_type),
    defId: "",
    tier: null,
    cost: unit.price,
    failedCost: unit.failed_price,
    yearlyCosts: unit.yearly_costs ?? [],
  }));
  const ofComponents = yield* mapInSteps(components, (component) => ({
    ...component,
    id: component.component_id,
    isUnit: false,
    name: component.component_name,
    defId: component.component_def_id,
    tier: component.risk_tier,
    cost: component.proactive_cost,
    failedCost: component.reactive_cost,
    yearlyCosts: component.yearly_costs ?? [],
  }));
  return [...ofUnits, ...ofComponents];
}

/** A key for identical units or components: the same definition in the same type of appliance. */
export const pagePlanLineKindKey = ({ appliance_type, defId }: Pick<PlanLine, "appliance_type" | "defId">) =>
  `${appliance_type} ${defId}`;
