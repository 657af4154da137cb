import type { PropertyPlanJson, ScheduledPlanJson } from "../../api-schemas/plan-schema.ts";
import type { PropertyJson } from "../../api-schemas/property-schema.ts";
import type { ApiClient } from "../browser/api-client.ts";
import { parseBrowserCsvText } from "../browser/browser-csv-file.ts";
import { hrefTo, type Route } from "../browser/route.ts";
import { useLoad } from "../browser/use-load.ts";
import { usePrintFooter } from "../browser/use-print-footer.ts";
import { ApplianceNames } from "../page-appliance-names.ts";
import { date } from "../page-format.ts";
import { truncatedName } from "../page-print-footer.ts";
import { reserveScheduleOf } from "../page-reserve-schedule.ts";
import { ReserveScheduleDocument } from "../sections/reserve-page.tsx";
import { Breadcrumbs } from "../widgets/breadcrumbs.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { DownloadWorkbook } from "../widgets/workbook-download.tsx";
import { readApplianceTypes, useApp, useAppTitle } from "./app-context.ts";
import { readProperty, readUnits } from "./app-property-page.tsx";
import { DownloadCsv } from "./csv-download.tsx";
import {
  type AddressedPlanTerms,
  PlanTermsControls,
  planTermsInAddress,
  planTermsQuery,
} from "./plan-terms-controls.tsx";

/** The printable replacement reserve schedule of a property. */
export function PropertySchedulePage({ id, route }: { id: string; route: Route }) {
  const { api } = useApp();
  const terms = planTermsInAddress(route);
  const loaded = useLoad(`${id} ${terms.years} ${terms.inflationPct}`, () => readSchedule(api, id, terms));
  const { value } = loaded;
  useAppTitle(`Replacement reserve schedule${value ? `, ${value.property.name}` : ""}`);
  usePrintFooter(
    value
      ? `${truncatedName(value.property.name)} · Replacement reserve schedule, ${date(value.plan.as_of)}`
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
          <ReserveScheduleDocument
            property={property}
            plan={plan}
            schedule={reserveScheduleOf(plan, applianceNames)}
            back={back}
            controls={
              <PlanTermsControls route={route}>
                <DownloadWorkbook
                  api={api}
                  file={`reserve-schedule-${id}.xlsx`}
                  path={`/v1/property/${encodeURIComponent(id)}/plan?${new URLSearchParams({
                    years: String(plan.years),
                    inflation_pct: String(plan.inflation_pct),
                    format: "xlsx",
                  })}`}
                />
                <DownloadCsv file={`plan-${id}.csv`} rows={file} total={file.length} />
              </PlanTermsControls>
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
  const query = new URLSearchParams(planTermsQuery(terms));
  const path = `/v1/property/${encodeURIComponent(id)}/plan`;
  const property = await readProperty(api, id);
  const [plan, table, types] = await Promise.all([
    api.read<PropertyPlanJson>(query.size === 0 ? path : `${path}?${query}`),
    api.readText(`${path}?${new URLSearchParams({ ...Object.fromEntries(query), format: "csv" })}`),
    readApplianceTypes(api),
  ]);
  const file = parsePageCsvRecords(table);
  const yearsOf = new Map(
    file.map((record) => [
      record.line === "unit" ? record.appliance_id : record.component_id,
      yearlyCostsOfRecord(record, plan.years),
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
  const units = await readUnits(api, id, components);
  return {
    property,
    plan: { ...plan, units: unitLines, components },
    applianceNames: new ApplianceNames(types, units),
    file,
  };
}

/** Parses CSV into records by column name. */
export function parsePageCsvRecords(table: string): Record<string, string>[] {
  const [heading = [], ...rows] = parseBrowserCsvText(table);
  return rows.map((row) => Object.fromEntries(heading.map((name, at) => [name, row[at]!])));
}

/** The expected costs by year of a row of a plan's CSV, in USD. */
export const yearlyCostsOfRecord = (record: Readonly<Record<string, string>>, years: number): number[] =>
  Array.from({ length: years }, (_, at) => Number(record[`year_${at + 1}`]));
