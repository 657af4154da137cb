import type { AdminSearchJson, AdminSearchResultJson } from "../../api-schemas/admin-search-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { SearchButton, type SearchHit } from "../widgets/search-dialog.tsx";
import { useConsole } from "./console-context.ts";
import { AREAS } from "./console-navigation.ts";

const HREFS: Readonly<Record<AdminSearchResultJson["kind"], (one: AdminSearchResultJson) => string>> = {
  partner: ({ id }) => hrefTo(["partners", id]),
  endpoint: ({ id }) => hrefTo(["partners", id]),
  property: ({ id }) => hrefTo(["properties", id]),
  appliance: ({ id }) => hrefTo(["appliances", id]),
  component: ({ id }) => hrefTo(["components", id]),
  claim: ({ property_id }) => hrefTo(["properties", property_id!, "claims"]),
  embed: ({ property_id }) => hrefTo(["embeds"], { property_id: property_id! }),
  delivery: ({ id }) => hrefTo(["deliveries", id]),
  setting: ({ id }) => hrefTo(["settings"], { q: id }),
  audit: ({ id }) => hrefTo(["audit"], { subject: id }),
};

/** Returns the pages of the console whose names have the text. */
const pagesNamed = (text: string): SearchHit[] =>
  AREAS.flatMap(({ part, name, group }) =>
    name.toLowerCase().includes(text.toLowerCase())
      ? [{ href: hrefTo(part === "" ? [] : [part]), title: name, detail: group, kind: "page" }]
      : [],
  );

/** The search over the records of all partners and over the installation. */
export function ConsoleSearch() {
  const { api } = useConsole();
  return (
    <SearchButton
      label="Search partners, endpoints, records, deliveries, settings and pages"
      placeholder="Name, address, serial number, URL, setting, ID"
      hint={undefined}
      nothing="Nothing found. Try a part of a partner’s name, the start of an address or serial number, or an ID."
      search={async (text) => {
        const query = new URLSearchParams({ q: text });
        const { results } = await api.read<AdminSearchJson>(`/admin/search?${query}`);
        return [...pagesNamed(text), ...results.map((one) => ({ ...one, href: HREFS[one.kind](one) }))];
      }}
    />
  );
}
