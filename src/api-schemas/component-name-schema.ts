import { textSchema } from "./definition/schema-field-types.ts";

/* The names of a component, which every record of a component shares. */

export const componentName = textSchema("The component's display name", "Glass-lined tank");
export const componentDefId = textSchema("The component's definition in the knowledge base", "wh_gas_tank");
export const applianceTypeId = textSchema("The appliance's type_id", "water_heater_gas");
