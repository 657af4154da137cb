import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The name of a unit of the property, such as "key" or "suite". */
export const UnitWord = createContext("unit");
export const useUnitWord = () => useContext(UnitWord);

/** Returns the name of a unit of a property. */
export const unitWordOf = (property: { unit_label: string | null }): string => property.unit_label ?? "unit";
