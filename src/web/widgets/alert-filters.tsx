import { type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { OFFERED_SYSTEMS, pageSystemLabel, TIER_LABELS } from "../page/page-code-labels.ts";
import { SelectFilter } from "./filters.tsx";

/** The filters of alerts by tier and system, as they are in the address. A change shows the first page. */
export function AlertFilters({ route }: { route: Route }) {
  const filter = (name: string) => route.query.get(name) ?? "";
  return (
    <>
      <SelectFilter
        label="Tier"
        value={filter("tier")}
        choices={[
          ["CRITICAL", TIER_LABELS.CRITICAL.name],
          ["WARNING", TIER_LABELS.WARNING.name],
        ]}
        onChange={(tier) => replaceBrowserUrlQuery(route, { tier, offset: "" })}
      />
      <SelectFilter
        label="System"
        value={filter("system")}
        choices={OFFERED_SYSTEMS.map((system) => [system, pageSystemLabel(system)])}
        onChange={(system) => replaceBrowserUrlQuery(route, { system, offset: "" })}
      />
    </>
  );
}
