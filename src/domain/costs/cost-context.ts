import type { Property } from "../property.ts";
import type { PricedProperty } from "./appliance-size.ts";
import type { PriceList } from "./price-list.ts";

/** The fields of a property that costs and due dates of its components depend on. */
export type PlannedPlace = PricedProperty & Pick<Property, "recordsSince">;

/** The data that the costs in a property follow from. */
export type CostContext = { prices: PriceList; place: PlannedPlace };
