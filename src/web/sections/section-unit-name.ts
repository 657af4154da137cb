import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The name of a unit of the property, such as "key" or "suite". */
export const UnitNameContext = createContext("unit");
export const useSectionUnitName = () => useContext(UnitNameContext);

/** Returns the name of a unit of a property. */
export const pageSectionUnitNameOf = (property: { unit_label: string | null }): string =>
  property.unit_label ?? "unit";
