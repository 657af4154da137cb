import { useState } from "preact/hooks";
import type { AssumptionsJson } from "../../api-schemas/assumptions-schema.ts";
import type { InspectionJson } from "../../api-schemas/compliance-schema.ts";
import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { ConditionPointJson } from "../../api-schemas/condition-trend-schema.ts";
import type { PropertyPlanJson } from "../../api-schemas/plan-schema.ts";
import type { PropertyJson, UnitJson } from "../../api-schemas/property-schema.ts";
import { runSteps } from "../../domain/steps/computation-steps.ts";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { downloadCsv } from "../browser/browser-csv-file.ts";
import { readWholeListInBrowser } from "../browser/browser-list-reader.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { usePrintFooter } from "../browser/use-print-footer.ts";
import { pageCsvRows } from "../page/page-csv-rows.ts";
import { formatPageDate } from "../page/page-format.ts";
import { truncatedPageName } from "../page/page-print-footer.ts";
import { ClaimRecords } from "../records/claims-section.tsx";
import { EquipmentRecords } from "../records/equipment-section.tsx";
import { PropertyRecordActions } from "../records/property-actions.tsx";
import { isShownRecordRetired } from "../records/retirement-actions.tsx";
import { BudgetSectionSlider } from "../sections/budget-section.tsx";
import {
  type DataLinks,
  type PropertyPageData,
  PropertySections,
  PropertySectionsHeading,
} from "../sections/property-sections.tsx";
import { Breadcrumbs } from "../widgets/breadcrumbs.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { DownloadWorkbookButton } from "../widgets/workbook-download.tsx";
import { readAppApplianceTypes, useApp, useAppTitle } from "./app-context.ts";
import { AppMarkWork } from "./app-mark-work.tsx";
import { budgetInAddress } from "./app-plan-terms.tsx";

const TABS = [
  { tab: "", name: "Condition" },
  { tab: "equipment", name: "Units and appliances" },
  { tab: "claims", name: "Claims" },
  { tab: "underwriting", name: "Underwriting" },
] as const;

/** A property: its condition, its units and appliances, and its claims. */
export function AppPropertyPage({
  id,
  tab = "",
  route,
}: {
  id: string;
  tab?: string | undefined;
  route: Route;
}) {
  const { api } = useApp();
  const [version, setVersion] = useState(0);
  const loaded = useLoad(id, () => readPageData(api, id));
  const { value } = loaded;
  useAppTitle(value?.property.name ?? "Property");
  usePrintFooter(
    value
      ? `${truncatedPageName(value.property.name)} · Property condition, ${formatPageDate(value.assessedAt)}`
      : "Property condition",
  );
  return (
    <>
      <Breadcrumbs links={[["Properties", hrefTo(["properties"])]]} />
      <LoadedContent loaded={loaded} what="the property" isPage>
        {(value) => (
          <div class="property">
            <PropertySectionsHeading
              data={value}
              links={linksOf(id, value)}
              workbook={
                <DownloadWorkbookButton
                  api={api}
                  file={`reserve-schedule-${id}.xlsx`}
                  path={`/v1/property/${encodeURIComponent(id)}/plan?format=xlsx`}
                />
              }
            />
            <PropertyRecordActions
              property={value.property}
              onChanged={() => {
                setVersion(version + 1);
                loaded.reload();
              }}
            />
            <nav class="tabs" aria-label="About this property">
              {TABS.map((one) => (
                <a
                  href={hrefTo(["properties", id, ...(one.tab === "" ? [] : [one.tab])])}
                  aria-current={one.tab === tab ? "page" : undefined}
                >
                  {one.name}
                </a>
              ))}
            </nav>
            {tab === "equipment" ? (
              <EquipmentRecords
                key={version}
                propertyId={id}
                data={value}
                isRetired={isShownRecordRetired(value.property)}
              />
            ) : tab === "claims" ? (
              <ClaimRecords key={version} propertyId={id} />
            ) : (
              <PropertySections
                data={{ ...value, budget: budgetInAddress(route) }}
                links={linksOf(id, value)}
                renderBudgetPlanner={(props) => (
                  <BudgetSectionSlider
                    {...props}
                    onSettled={(amount) => replaceBrowserUrlQuery(route, { budget: String(amount) })}
                  />
                )}
                renderMark={(row, placeOf) => (
                  <AppMarkWork
                    name={row.lines[0]!.name}
                    items={row.lines.map((line) => ({ line, place: placeOf(line) }))}
                    onMarked={loaded.reload}
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
const linksOf = (id: string, data: PropertyPageData): DataLinks => ({
  csv: (file) => () => {
    const { heading, rows } = runSteps(pageCsvRows(file, { ...data, plan: data.plan! }));
    downloadCsv(`${id}-${file}.csv`, heading, rows);
  },
  schedule: hrefTo(["properties", id, "schedule"]),
});

/** Reads the units, if any component is in one. */
export const readAppUnits = (api: ApiClient, id: string, components: readonly { unit: string | null }[]) =>
  components.some(({ unit }) => unit !== null)
    ? readWholeListInBrowser<"units", UnitJson>(api, `/v1/property/${encodeURIComponent(id)}/units`, "units")
    : Promise.resolve([]);

export const readAppProperty = (api: ApiClient, id: string) =>
  api.read<PropertyJson>(`/v1/properties/${encodeURIComponent(id)}`);

/** Reads the data of the sections from the public API. */
async function readPageData(api: ApiClient, id: string): Promise<PropertyPageData> {
  const path = `/v1/property/${encodeURIComponent(id)}`;
  // A call by itself first, so that an unknown property costs one call.
  const property = await readAppProperty(api, id);
  const [types, components, condition, plan, forecast, reserve, compliance, trend] = await Promise.all([
    readAppApplianceTypes(api),
    readWholeListInBrowser<"components", ComponentJson>(
      api,
      `/v1/components?property_id=${encodeURIComponent(id)}`,
      "components",
    ),
    api.read<PropertyPageData["condition"] & { assessed_at: string; assumptions: AssumptionsJson }>(
      `${path}/condition-score`,
    ),
    api.read<PropertyPlanJson>(`${path}/plan`),
    api.read<PropertyPageData["forecast"]>(`${path}/forecast`),
    api.read<PropertyPageData["reserve"]>(`${path}/reserve`),
    api.read<{ compliance_items: InspectionJson[] }>(`${path}/compliance`),
    readWholeListInBrowser<"trend", ConditionPointJson>(api, `${path}/condition-trend`, "trend"),
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
    units: await readAppUnits(api, id, components),
    // Shown on the pages of components.
    trend: undefined,
    conditionTrend: trend,
    assumptions: condition.assumptions,
    assessedAt: condition.assessed_at,
  };
}
