import type { PriceList } from "../../domain/costs/price-list.ts";
import type { PricedProperty } from "../../domain/costs/size.ts";
import type { Property } from "../../domain/property.ts";

/** The fields of a property that costs and due dates of its components depend on. */
export type PlannedPlace = PricedProperty & Pick<Property, "recordsSince">;

/** The data that the costs in a property follow from. */
export type CostContext = { prices: PriceList; place: PlannedPlace };
