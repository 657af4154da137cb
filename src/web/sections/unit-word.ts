import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** What a unit of the property is called, such as "key" or "suite". */
export const UnitWord = createContext("unit");
export const useUnitWord = () => useContext(UnitWord);

/** Returns what a unit of a property is called. */
export const unitWordOf = (property: { unit_label: string | null }): string => property.unit_label ?? "unit";
