import { useId, useState } from "preact/hooks";
import type { PartnerComponentJson, PartnerComponentPageJson } from "../../wire/component.ts";
import { Choice } from "../browser/filters.tsx";
import { addressOf, type Place, replaceQuery } from "../browser/place.ts";
import { Empty, Showing } from "../browser/states.tsx";
import { VirtualTable } from "../browser/virtual-table.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { odds } from "../format.ts";
import { TIER_WORDS, TIERS } from "../words.ts";
import { useRead, useTitle } from "./console-context.ts";
import { Pager } from "./pager.tsx";
import { Heading } from "./shell.tsx";

/** Looks a component up, by its own id or by what it belongs to. */
export function ComponentsPage({ place }: { place: Place }) {
  const of = place.query.get("of") ?? "";
  useTitle("Components");
  return (
    <>
      <Heading
        title="Components"
        about="Why does it stand where it stands? A score is explained number by number."
      />
      <div class="filters">
        <ComponentSearch key={of} of={of} />
        {of !== "" && <TierChoice of={of} place={place} />}
      </div>
      {of === "" ? (
        <Empty title="Whose components?">
          <p>
            Partners see ids in every list, alert and webhook. One of a component leads to its explanation;
            one of an appliance, a property or a <a href={addressOf(["partners"])}>partner</a> to its
            components, the worst first.
          </p>
        </Empty>
      ) : (
        <ComponentList of={of} place={place} />
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
  const [refusal, setRefusal] = useState<string>();
  const id = useId();
  const look = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = String(new FormData(event.currentTarget as HTMLFormElement).get("id")).trim();
    const isKnown = wanted.startsWith("C_") || parameterOf(wanted) !== undefined;
    setRefusal(
      isKnown
        ? undefined
        : "The id of a component begins with C_, of an appliance with A_, of a property with P_.",
    );
    if (wanted.startsWith("C_")) location.hash = addressOf(["components", wanted]);
    else if (isKnown) location.hash = addressOf(["components"], { of: wanted });
  };
  return (
    <form class="filters look-up" onSubmit={look}>
      <span class="filter search">
        <label for={id}>Id of a component, appliance, property or partner</label>
        <input
          {...{ id, name: "id", required: true, defaultValue: of, autoComplete: "off", spellcheck: false }}
          {...(refusal !== undefined && { "aria-invalid": true, "aria-describedby": `${id}-refusal` })}
        />
      </span>
      <button type="submit">Look it up</button>
      {refusal && (
        <p id={`${id}-refusal`} role="alert">
          {refusal}
        </p>
      )}
    </form>
  );
}

function TierChoice({ of, place }: { of: string; place: Place }) {
  return (
    <Choice
      label="Tier"
      value={place.query.get("tier") ?? ""}
      all={parameterOf(of) === "appliance_id" ? "All" : "Critical, warning"}
      choices={TIERS.map((one) => [one, TIER_WORDS[one].name])}
      onChange={(to) => replaceQuery(place, { tier: to, offset: "" })}
    />
  );
}

function ComponentList({ of, place }: { of: string; place: Place }) {
  const parameter = parameterOf(of) ?? "property_id";
  const tier = place.query.get("tier") ?? "";
  const offset = place.query.get("offset") ?? "0";
  const query = new URLSearchParams({ [parameter]: of, offset, ...(tier && { tier }) });
  const loaded = useRead<PartnerComponentPageJson>(`/admin/components?${query}`);
  return (
    <Showing loaded={loaded} what="the components">
      {(page) =>
        page.total === 0 ? (
          <Empty
            title={
              tier === ""
                ? "Nothing is elevated"
                : `Nothing is ${TIER_WORDS[tier as "GOOD"]?.name.toLowerCase() ?? tier}`
            }
          >
            <p>Choose another tier to see the others.</p>
          </Empty>
        ) : (
          <section class="card" aria-label="Components">
            <VirtualTable
              caption="Components"
              rows={page.components}
              rowKey={({ component_id }) => component_id}
              columns={[
                { key: "name", heading: "Component", cell: ComponentName },
                {
                  key: "score",
                  heading: "Score",
                  isNumber: true,
                  width: "narrow",
                  cell: ({ risk_tier, risk_score }) => (
                    <>
                      <TierMark tier={risk_tier} /> {risk_score.toFixed(2)}
                    </>
                  ),
                },
                {
                  key: "odds",
                  heading: "Fails within a year",
                  isNumber: true,
                  shownFrom: "medium",
                  cell: ({ failure_probability_12m }) => odds(failure_probability_12m),
                },
                {
                  key: "expected",
                  heading: "Expected to fail",
                  isNumber: true,
                  shownFrom: "wide",
                  cell: ({ projected_failure_year }) => projected_failure_year,
                },
              ]}
            />
            <Pager
              page={page}
              one="component"
              directions={["Before", "After"]}
              onOffset={(to) => replaceQuery(place, { offset: String(to) })}
            />
          </section>
        )
      }
    </Showing>
  );
}

function ComponentName({ component_id, component_name, property_name }: PartnerComponentJson) {
  return (
    <>
      <a class="name" href={addressOf(["components", component_id])}>
        {component_name}
      </a>
      <span class="under small mute">
        <bdi>{property_name}</bdi>
      </span>
    </>
  );
}
