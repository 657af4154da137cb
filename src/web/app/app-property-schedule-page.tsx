import type { PropertyPlanJson, ScheduledPlanJson } from "../../api-schemas/plan-schema.ts";
import type { PropertyJson } from "../../api-schemas/property-schema.ts";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { parseBrowserCsvText } from "../browser/browser-csv-file.ts";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { usePrintFooter } from "../browser/use-print-footer.ts";
import { ApplianceNames } from "../page/page-appliance-names.ts";
import { formatPageDate } from "../page/page-format.ts";
import { truncatedPageName } from "../page/page-print-footer.ts";
import { pageReserveScheduleOf } from "../page/page-reserve-schedule.ts";
import { ReserveScheduleSections } from "../sections/reserve-schedule-sections.tsx";
import { Breadcrumbs } from "../widgets/breadcrumbs.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { DownloadWorkbookButton } from "../widgets/workbook-download.tsx";
import { readAppApplianceTypes, useApp, useAppTitle } from "./app-context.ts";
import { AppDownloadCsv } from "./app-csv-download.tsx";
import {
  type AddressedPlanTerms,
  AppPlanTermsControls,
  appPlanTermsInAddress,
  appPlanTermsQuery,
} from "./app-plan-terms.tsx";
import { readAppProperty, readAppUnits } from "./app-property-page.tsx";

/** The printable replacement reserve schedule of a property. */
export function AppPropertySchedulePage({ id, route }: { id: string; route: Route }) {
  const { api } = useApp();
  const terms = appPlanTermsInAddress(route);
  const loaded = useLoad(`${id} ${terms.years} ${terms.inflationPct}`, () => readSchedule(api, id, terms));
  const { value } = loaded;
  useAppTitle(`Replacement reserve schedule${value ? `, ${value.property.name}` : ""}`);
  usePrintFooter(
    value
      ? `${truncatedPageName(value.property.name)} · Replacement reserve schedule, ${formatPageDate(value.plan.as_of)}`
      : "Replacement reserve schedule",
    { isLandscape: true },
  );
  const back = hrefTo(["properties", id]);
  return (
    <div class="property reserve-page">
      <Breadcrumbs
        links={[
          ["Properties", hrefTo(["properties"])],
          [value?.property.name ?? "Property", back],
        ]}
      />
      <LoadedContent loaded={loaded} what="the schedule" isPage>
        {({ property, plan, applianceNames, file }) => (
          <ReserveScheduleSections
            property={property}
            plan={plan}
            schedule={pageReserveScheduleOf(plan, applianceNames)}
            back={back}
            controls={
              <AppPlanTermsControls route={route}>
                <DownloadWorkbookButton
                  api={api}
                  file={`reserve-schedule-${id}.xlsx`}
                  path={`/v1/property/${encodeURIComponent(id)}/plan?${new URLSearchParams({
                    years: String(plan.years),
                    inflation_pct: String(plan.inflation_pct),
                    format: "xlsx",
                  })}`}
                />
                <AppDownloadCsv file={`plan-${id}.csv`} rows={file} total={file.length} />
              </AppPlanTermsControls>
            }
          />
        )}
      </LoadedContent>
    </div>
  );
}

type Schedule = {
  property: PropertyJson;
  plan: ScheduledPlanJson;
  applianceNames: ApplianceNames;
  /** The rows of the plan's CSV. */
  file: Record<string, string>[];
};

/** Reads the plan, and its CSV for the costs of each unit and component by year. */
async function readSchedule(api: ApiClient, id: string, terms: AddressedPlanTerms): Promise<Schedule> {
  const query = new URLSearchParams(appPlanTermsQuery(terms));
  const path = `/v1/property/${encodeURIComponent(id)}/plan`;
  const property = await readAppProperty(api, id);
  const [plan, table, types] = await Promise.all([
    api.read<PropertyPlanJson>(query.size === 0 ? path : `${path}?${query}`),
    api.readText(`${path}?${new URLSearchParams({ ...Object.fromEntries(query), format: "csv" })}`),
    readAppApplianceTypes(api),
  ]);
  const file = parseAppCsvRecords(table);
  const yearsOf = new Map(
    file.map((record) => [
      record.line === "unit" ? record.appliance_id : record.component_id,
      appYearlyCostsOfCsvRow(record, plan.years),
    ]),
  );
  const none = plan.schedule.map(() => 0);
  const components = plan.components.map((component) => ({
    ...component,
    yearly_costs: yearsOf.get(component.component_id) ?? none,
  }));
  const unitLines = plan.units.map((unit) => ({
    ...unit,
    yearly_costs: yearsOf.get(unit.appliance_id) ?? none,
  }));
  const units = await readAppUnits(api, id, components);
  return {
    property,
    plan: { ...plan, units: unitLines, components },
    applianceNames: new ApplianceNames(types, units),
    file,
  };
}

/** Parses CSV into records by column name. */
export function parseAppCsvRecords(table: string): Record<string, string>[] {
  const [heading = [], ...rows] = parseBrowserCsvText(table);
  return rows.map((row) => Object.fromEntries(heading.map((name, at) => [name, row[at]!])));
}

/** The expected costs by year of a row of a plan's CSV, in USD. */
export const appYearlyCostsOfCsvRow = (record: Readonly<Record<string, string>>, years: number): number[] =>
  Array.from({ length: years }, (_, at) => Number(record[`year_${at + 1}`]));
