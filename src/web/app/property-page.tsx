import type { ApiClient } from "../browser/api-client.ts";
import { useLoaded } from "../browser/loaded.ts";
import { addressOf } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { type PropertyFigures, PropertyHeading, PropertySections } from "../embed/property-page.tsx";
import type { ComponentForm, InspectionForm, PropertyPlanForm, UnitForm } from "../forms.ts";
import { SpendingSlider } from "../sections/spending.tsx";
import { readAll, readTypes, useApp, useTitle } from "./app-context.ts";
import { ClaimsOfProperty } from "./claims-section.tsx";
import { Equipment } from "./equipment-section.tsx";
import { Trail } from "./trail.tsx";

const TABS = [
  { part: "", name: "Condition" },
  { part: "equipment", name: "Units and appliances" },
  { part: "claims", name: "Claims" },
] as const;

/** A property: how it stands, what is in it, and what it has claimed. */
export function PropertyPage({ id, part = "" }: { id: string; part?: string | undefined }) {
  const { api } = useApp();
  const figures = useLoaded(id, () => readFigures(api, id));
  useTitle(figures.value?.property.name ?? "Property");
  return (
    <>
      <Trail links={[["Properties", addressOf(["properties"])]]} />
      <Showing loaded={figures} what="the property" isPage>
        {(value) => (
          <div class="property">
            <PropertyHeading figures={value} />
            <nav class="tabs" aria-label="About this property">
              {TABS.map((tab) => (
                <a
                  href={addressOf(["properties", id, ...(tab.part === "" ? [] : [tab.part])])}
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
              <PropertySections figures={value} spending={(given) => <SpendingSlider {...given} />} />
            )}
          </div>
        )}
      </Showing>
    </>
  );
}

/** What the sections show, of the operations that any partner calls. */
async function readFigures(api: ApiClient, id: string): Promise<PropertyFigures> {
  const [record, of] = [`/v1/properties/${encodeURIComponent(id)}`, `/v1/property/${encodeURIComponent(id)}`];
  // The first says whether there is such a property, before others are asked about it.
  const property = await api.read<PropertyFigures["property"]>(record);
  const [types, components, condition, plan, forecast, reserve, compliance] = await Promise.all([
    readTypes(api),
    readAll<"components", ComponentForm>(
      api,
      `/v1/components?property_id=${encodeURIComponent(id)}`,
      "components",
    ),
    api.read<PropertyFigures["condition"] & { assessed_at: string }>(`${of}/condition-score`),
    api.read<PropertyPlanForm>(`${of}/plan`),
    api.read<PropertyFigures["forecast"]>(`${of}/forecast`),
    api.read<PropertyFigures["reserve"]>(`${of}/reserve`),
    api.read<{ compliance_items: InspectionForm[] }>(`${of}/compliance`),
  ]);
  const isAnyInUnit = components.some(({ unit }) => unit !== null);
  const units = isAnyInUnit ? await readAll<"units", UnitForm>(api, `${of}/units`, "units") : [];
  return {
    property,
    condition,
    plan,
    forecast,
    reserve,
    inspections: compliance.compliance_items,
    components,
    types,
    units,
    // A part's page shows how its score has moved.
    trend: undefined,
    assessedAt: condition.assessed_at,
  };
}
