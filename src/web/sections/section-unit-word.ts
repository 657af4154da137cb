import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The name of a unit of the property, such as "key" or "suite". */
export const UnitNameContext = createContext("unit");
export const useSectionUnitWord = () => useContext(UnitNameContext);

/** Returns the name of a unit of a property. */
export const pageSectionUnitWordOf = (property: { unit_label: string | null }): string =>
  property.unit_label ?? "unit";
