/** The action for a flag; `immediate_hazard` where the authority requires replacement at once. */
export const HAZARD_ACTIONS = ["immediate_hazard", "inspect", "monitor"] as const;
export type HazardAction = (typeof HAZARD_ACTIONS)[number];

/** The years in which a make or material was usual. */
type HazardEra = {
  /** The building's year, or the appliance's install year. */
  of: "building" | "appliance";
  /** Inclusive. */
  firstYear: number;
  lastYear: number;
  /** True if it applies only to an appliance as old as its building. */
  original: boolean;
  /** True if it applies only to an appliance without a brand, or of a maker that also made others than the hazard. */
  withoutBrand: boolean;
};

/** A make or material that is a hazard. */
export type HazardDef = {
  code: string;
  label: string;
  typeIds: readonly string[];
  /** The parts that are or contain it: replacing one of them ends what notes and years say. */
  componentIds: ReadonlySet<string>;
  /** True if it remains when the appliance is replaced, as wiring does. */
  outlivesAppliance: boolean;
  /** Null for a hazard that years say nothing about. */
  era: HazardEra | null;
  /** Codes of which a known flag leaves nothing to suspect. */
  excludedBy: readonly string[];
  /** The authority that names it, and what it requires. */
  authority: string;
  action: HazardAction;
  actionSuspected: HazardAction;
};
