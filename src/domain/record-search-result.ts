/** A partner's record that a search has found. */
export type RecordSearchResult = {
  kind: "property" | "appliance" | "component" | "claim";
  id: string;
  title: string;
  detail: string;
  propertyId: string;
  partnerId: string;
};
