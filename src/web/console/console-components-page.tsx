import { useId, useState } from "preact/hooks";
import type { PartnerComponentJson, PartnerComponentPageJson } from "../../api-schemas/component-schema.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { TIER_LABELS, TIERS } from "../page/page-code-labels.ts";
import { sortPageRowsByExpectedLoss } from "../page/page-expected-loss.ts";
import { SelectFilter } from "../widgets/filters.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { consoleComponentColumns } from "./console-component-columns.tsx";
import { useAdminRead, useConsoleTitle } from "./console-context.ts";
import { ConsolePagedTable } from "./console-paged-table.tsx";
import { ConsoleHeading } from "./console-shell.tsx";

/** Finds components by their own ID or by the ID of their appliance, property or partner. */
export function ConsoleComponentsPage({ route }: { route: Route }) {
  const of = route.query.get("of") ?? "";
  useConsoleTitle("Components");
  return (
    <>
      <ConsoleHeading title="Components" about="Find a component and see how its score is calculated." />
      <div class="filters">
        <ComponentSearch key={of} of={of} />
        {of !== "" && <TierChoice of={of} route={route} />}
      </div>
      {of === "" ? (
        <EmptyState title="Search by ID">
          <p>
            Enter a component ID to see its score breakdown, or an appliance, property or{" "}
            <a href={hrefTo(["partners"])}>partner</a> ID to list its components (highest expected loss
            first).
          </p>
        </EmptyState>
      ) : (
        <ComponentList of={of} route={route} />
      )}
    </>
  );
}

const OWNERS: readonly (readonly [prefix: string, parameter: string])[] = [
  ["PARTNER_", "partner_id"],
  ["P_", "property_id"],
  ["A_", "appliance_id"],
];
const parameterOf = (id: string) => OWNERS.find(([prefix]) => id.startsWith(prefix))?.[1];

function ComponentSearch({ of }: { of: string }) {
  const [error, setError] = useState<string>();
  const id = useId();
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const searched = String(new FormData(event.currentTarget as HTMLFormElement).get("id")).trim();
    const isKnown = searched.startsWith("C_") || parameterOf(searched) !== undefined;
    setError(
      isKnown
        ? undefined
        : "Enter an ID that starts with C_ (component), A_ (appliance), P_ (property) or PARTNER_ (partner).",
    );
    if (searched.startsWith("C_")) location.hash = hrefTo(["components", searched]);
    else if (isKnown) location.hash = hrefTo(["components"], { of: searched });
  };
  return (
    <form class="filters look-up" onSubmit={search}>
      <span class="filter search">
        <label for={id}>Component, appliance, property or partner ID</label>
        <input
          id={id}
          name="id"
          required
          defaultValue={of}
          autoComplete="off"
          spellcheck={false}
          {...(error !== undefined && { "aria-invalid": true, "aria-describedby": `${id}-error` })}
        />
      </span>
      <button type="submit">Search</button>
      {error && (
        <p id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </form>
  );
}

function TierChoice({ of, route }: { of: string; route: Route }) {
  return (
    <SelectFilter
      label="Tier"
      value={route.query.get("tier") ?? ""}
      all={parameterOf(of) === "appliance_id" ? "All" : "Critical and warning"}
      choices={TIERS.map((tier) => [tier, TIER_LABELS[tier].name])}
      onChange={(to) => replaceBrowserUrlQuery(route, { tier: to, offset: "" })}
    />
  );
}

function ComponentList({ of, route }: { of: string; route: Route }) {
  const parameter = parameterOf(of) ?? "property_id";
  const tier = route.query.get("tier") ?? "";
  const offset = route.query.get("offset") ?? "0";
  const query = new URLSearchParams({ [parameter]: of, offset, sort: "cost", ...(tier && { tier }) });
  // A page of them sorted alone would look like a page of a sorted list.
  const isInOrderOfCreation = tier === "GOOD" && parameter !== "appliance_id";
  const loaded = useAdminRead<PartnerComponentPageJson>(`/admin/components?${query}`);
  return (
    <LoadedContent loaded={loaded} what="the components">
      {(page) =>
        page.total === 0 ? (
          <EmptyState
            title={
              tier === ""
                ? "No critical or warning components"
                : `No ${TIER_LABELS[tier as "GOOD"]?.name.toLowerCase() ?? tier} components`
            }
          >
            <p>Select another tier to see more components.</p>
          </EmptyState>
        ) : (
          <ConsolePagedTable
            caption="Components"
            page={page}
            rows={isInOrderOfCreation ? page.components : sortPageRowsByExpectedLoss(page.components)}
            rowKey={({ component_id }) => component_id}
            columns={COLUMNS}
            one="component"
            route={route}
          >
            {isInOrderOfCreation && <p class="about">In the order of their creation.</p>}
          </ConsolePagedTable>
        )
      }
    </LoadedContent>
  );
}

const COLUMNS = consoleComponentColumns<PartnerComponentJson>(({ property_name }) => (
  <bdi>{property_name}</bdi>
));
