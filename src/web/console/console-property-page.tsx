import { useState } from "preact/hooks";
import type { PartnerComponentJson } from "../../api-schemas/component-schema.ts";
import type { PropertyJson } from "../../api-schemas/property-schema.ts";
import { postalAddressLine } from "../../domain/places/postal-address.ts";
import { readWholeListInBrowser } from "../browser/browser-list-reader.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { ClaimRecords } from "../records/claims-section.tsx";
import { EquipmentRecords } from "../records/equipment-section.tsx";
import {
  pageRecordApplianceTypes,
  recordPath,
  useRecordsApi,
  useRecordTitle,
} from "../records/page-records-context.ts";
import { PropertyRecordActions } from "../records/property-actions.tsx";
import { isShownRecordRetired } from "../records/retirement-actions.tsx";
import { Breadcrumbs } from "../widgets/breadcrumbs.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { DownloadWorkbookButton } from "../widgets/workbook-download.tsx";
import { useConsole } from "./console-context.ts";
import { ConsoleHeading } from "./console-shell.tsx";

const TABS = [
  { name: "Units and appliances", to: (id: string) => ["properties", id] },
  { name: "Claims", to: (id: string) => ["properties", id, "claims"] },
  { name: "Underwriting", to: (id: string) => ["book", id] },
] as const;

/** A property of any partner: its units, appliances and claims, to see and correct. */
export function ConsolePropertyPage({ id, tab }: { id: string; tab: string | undefined }) {
  const { api } = useConsole();
  const records = useRecordsApi();
  const [version, setVersion] = useState(0);
  const loaded = useLoad(id, async () => ({
    property: await records.read<PropertyJson & { partner: string; partner_id: string }>(
      recordPath("properties", id),
    ),
    components: await readWholeListInBrowser<"components", PartnerComponentJson>(
      records,
      `/components?${new URLSearchParams({ property_id: id })}`,
      "components",
    ),
    types: await pageRecordApplianceTypes(records),
  }));
  useRecordTitle(loaded.value?.property.name ?? "Property");
  return (
    <>
      <Breadcrumbs links={[records.home]} />
      <LoadedContent loaded={loaded} what="the property" isPage>
        {({ property, ...data }) => (
          <div class="property">
            <ConsoleHeading
              title={property.name}
              about={
                <>
                  <bdi>{postalAddressLine(property)}</bdi>
                  {" · "}
                  <a href={hrefTo(["partners", property.partner_id])}>
                    <bdi>{property.partner}</bdi>
                  </a>
                </>
              }
            />
            <PropertyRecordActions
              property={property}
              onChanged={() => {
                setVersion(version + 1);
                loaded.reload();
              }}
            >
              <DownloadWorkbookButton
                api={api}
                name="Reserve schedule (XLSX)"
                file={`reserve-schedule-${id}.xlsx`}
                path={`/admin/property/${encodeURIComponent(id)}/plan?format=xlsx`}
              />
            </PropertyRecordActions>
            <ConsolePropertyTabs id={id} tab={tab === "claims" ? "Claims" : "Units and appliances"} />
            {tab === "claims" ? (
              <ClaimRecords key={version} propertyId={id} />
            ) : (
              <EquipmentRecords
                key={version}
                propertyId={id}
                data={{ ...data, lacksGood: true }}
                isRetired={isShownRecordRetired(property)}
              />
            )}
          </div>
        )}
      </LoadedContent>
    </>
  );
}

/** The pages about a property. */
export function ConsolePropertyTabs({ id, tab }: { id: string; tab: (typeof TABS)[number]["name"] }) {
  return (
    <nav class="tabs" aria-label="About this property">
      {TABS.map(({ name, to }) => (
        <a href={hrefTo(to(id))} aria-current={name === tab ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
