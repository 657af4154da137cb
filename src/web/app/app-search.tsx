import type { SearchJson, SearchResultJson } from "../../api-schemas/search-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { SearchButton } from "../widgets/search-dialog.tsx";
import { useAppCallCost } from "./app-call-cost.ts";
import { useApp } from "./app-context.ts";

const hrefOf = ({ kind, id, property_id }: SearchResultJson) =>
  kind === "property"
    ? hrefTo(["properties", id])
    : kind === "claim"
      ? hrefTo(["properties", property_id, "claims"])
      : hrefTo([kind === "appliance" ? "appliances" : "components", id]);

/** The search over the whole portfolio. */
export function AppPortfolioSearch() {
  const { api } = useApp();
  const cost = useAppCallCost()(1);
  return (
    <SearchButton
      label="Search properties, appliances, components and claims"
      placeholder="Name, address, serial or claim number, ID"
      hint={cost && `Each search uses ${cost}.`}
      nothing="Nothing begins with this. Try the start of a name, a street, a serial or claim number."
      search={async (text) => {
        const { results } = await api.read<SearchJson>(`/v1/search?${new URLSearchParams({ q: text })}`);
        return results.map((one) => ({ ...one, href: hrefOf(one) }));
      }}
    />
  );
}
