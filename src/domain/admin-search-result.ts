/** The kinds of what a search of administrators finds. */
export const SEARCHED_KINDS = [
  "partner",
  "endpoint",
  "property",
  "appliance",
  "component",
  "claim",
  "embed",
  "delivery",
  "setting",
  "audit",
] as const;

/** A record of any partner, or a part of the installation, that a search has found. */
export type AdminSearchResult = {
  kind: (typeof SEARCHED_KINDS)[number];
  id: string;
  title: string;
  detail: string;
  /** Null for what belongs to no property. */
  propertyId: string | null;
};
