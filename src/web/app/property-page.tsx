import { runSteps } from "../../domain/steps.ts";
import type { InspectionJson } from "../../wire/compliance.ts";
import type { ComponentJson } from "../../wire/component.ts";
import type { PropertyPlanJson } from "../../wire/plan.ts";
import type { PropertyJson, UnitJson } from "../../wire/property.ts";
import type { ApiClient } from "../browser/api-client.ts";
import { downloadCsv } from "../browser/csv-file.ts";
import { LoadedContent } from "../browser/load-states.tsx";
import { hrefTo, type Route, replaceQuery } from "../browser/route.ts";
import { useLoad } from "../browser/use-load.ts";
import { rowsOfCsvFile } from "../csv-files.ts";
import { date } from "../format.ts";
import { truncatedName } from "../print-footer.ts";
import { BudgetSlider } from "../sections/budget-planner.tsx";
import {
  type DataLinks,
  PropertyHeading,
  type PropertyPageData,
  PropertySections,
} from "../sections/property-sections.tsx";
import { readAll, readApplianceTypes, useApp, useTitle } from "./app-context.ts";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { ClaimsOfProperty } from "./claims-section.tsx";
import { Equipment } from "./equipment-section.tsx";
import { budgetOf } from "./plan-terms.tsx";
import { usePrintFooter } from "./use-print-footer.ts";

const TABS = [
  { part: "", name: "Condition" },
  { part: "equipment", name: "Units and appliances" },
  { part: "claims", name: "Claims" },
] as const;

/** A property: its condition, its units and appliances, and its claims. */
export function PropertyPage({
  id,
  part = "",
  route,
}: {
  id: string;
  part?: string | undefined;
  route: Route;
}) {
  const { api } = useApp();
  const figures = useLoad(id, () => readFigures(api, id));
  const { value: shown } = figures;
  useTitle(shown?.property.name ?? "Property");
  usePrintFooter(
    shown
      ? `${truncatedName(shown.property.name)} · Property condition, ${date(shown.assessedAt)}`
      : "Property condition",
  );
  return (
    <>
      <Breadcrumbs links={[["Properties", hrefTo(["properties"])]]} />
      <LoadedContent loaded={figures} what="the property" isPage>
        {(value) => (
          <div class="property">
            <PropertyHeading data={value} />
            <nav class="tabs" aria-label="About this property">
              {TABS.map((tab) => (
                <a
                  href={hrefTo(["properties", id, ...(tab.part === "" ? [] : [tab.part])])}
                  aria-current={tab.part === part ? "page" : undefined}
                >
                  {tab.name}
                </a>
              ))}
            </nav>
            {part === "equipment" ? (
              <Equipment propertyId={id} figures={value} />
            ) : part === "claims" ? (
              <ClaimsOfProperty propertyId={id} />
            ) : (
              <PropertySections
                data={{ ...value, budget: budgetOf(route) }}
                links={linksOf(id, value)}
                renderBudgetPlanner={(props) => (
                  <BudgetSlider
                    {...props}
                    onSettled={(amount) => replaceQuery(route, { budget: String(amount) })}
                  />
                )}
              />
            )}
          </div>
        )}
      </LoadedContent>
    </>
  );
}

/** Links to files that are made from the loaded data, without a call. */
const linksOf = (id: string, figures: PropertyPageData): DataLinks => ({
  csv: (file) => () => {
    const { heading, rows } = runSteps(rowsOfCsvFile(file, { ...figures, plan: figures.plan! }));
    downloadCsv(`${id}-${file}.csv`, heading, rows);
  },
  schedule: hrefTo(["properties", id, "schedule"]),
});

/** Reads the units, if any component is in one. */
export const readUnits = (api: ApiClient, id: string, parts: readonly { unit: string | null }[]) =>
  parts.some(({ unit }) => unit !== null)
    ? readAll<"units", UnitJson>(api, `/v1/property/${encodeURIComponent(id)}/units`, "units")
    : Promise.resolve([]);

export const readProperty = (api: ApiClient, id: string) =>
  api.read<PropertyJson>(`/v1/properties/${encodeURIComponent(id)}`);

/** Reads the data of the sections from the public API. */
async function readFigures(api: ApiClient, id: string): Promise<PropertyPageData> {
  const of = `/v1/property/${encodeURIComponent(id)}`;
  // A call by itself first, so that an unknown property costs one call.
  const property = await readProperty(api, id);
  const [types, components, condition, plan, forecast, reserve, compliance] = await Promise.all([
    readApplianceTypes(api),
    readAll<"components", ComponentJson>(
      api,
      `/v1/components?property_id=${encodeURIComponent(id)}`,
      "components",
    ),
    api.read<PropertyPageData["condition"] & { assessed_at: string }>(`${of}/condition-score`),
    api.read<PropertyPlanJson>(`${of}/plan`),
    api.read<PropertyPageData["forecast"]>(`${of}/forecast`),
    api.read<PropertyPageData["reserve"]>(`${of}/reserve`),
    api.read<{ compliance_items: InspectionJson[] }>(`${of}/compliance`),
  ]);
  return {
    property,
    condition,
    plan,
    forecast,
    reserve,
    inspections: compliance.compliance_items,
    components,
    types,
    units: await readUnits(api, id, components),
    // Shown on the pages of components.
    trend: undefined,
    assessedAt: condition.assessed_at,
  };
}
