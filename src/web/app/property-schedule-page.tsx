import type { PropertyPlanJson, ScheduledPlanJson } from "../../wire/plan.ts";
import type { PropertyJson } from "../../wire/property.ts";
import type { ApiClient } from "../browser/api-client.ts";
import { csvRows } from "../browser/csv-file.ts";
import { Showing } from "../browser/load-states.tsx";
import { addressOf, type Place } from "../browser/route.ts";
import { useLoaded } from "../browser/use-load.ts";
import { date } from "../format.ts";
import { Locations } from "../labels.ts";
import { truncatedName } from "../print-footer.ts";
import { reserveScheduleOf } from "../reserve-schedule.ts";
import { PropertyReserve } from "../sections/reserve-page.tsx";
import { readTypes, useApp, useTitle } from "./app-context.ts";
import { Trail } from "./breadcrumbs.tsx";
import { Save } from "./csv-download.tsx";
import { type Terms, TermsRow, termsIn, termsQuery } from "./plan-terms.tsx";
import { readProperty, readUnits } from "./property-page.tsx";
import { usePrinted } from "./use-print-footer.ts";

/** The printable replacement reserve schedule of a property. */
export function PropertySchedulePage({ id, place }: { id: string; place: Place }) {
  const { api } = useApp();
  const terms = termsIn(place);
  const loaded = useLoaded(`${id} ${terms.years} ${terms.inflationPct}`, () => readSchedule(api, id, terms));
  const { value } = loaded;
  useTitle(`Replacement reserve schedule${value ? `, ${value.property.name}` : ""}`);
  usePrinted(
    value
      ? `${truncatedName(value.property.name)} · Replacement reserve schedule, ${date(value.plan.as_of)}`
      : "Replacement reserve schedule",
    { isLandscape: true },
  );
  const back = addressOf(["properties", id]);
  return (
    <div class="property reserve-page">
      <Trail
        links={[
          ["Properties", addressOf(["properties"])],
          [value?.property.name ?? "Property", back],
        ]}
      />
      <Showing loaded={loaded} what="the schedule" isPage>
        {({ property, plan, places, file }) => (
          <PropertyReserve
            property={property}
            plan={plan}
            schedule={reserveScheduleOf(plan, places)}
            back={back}
            controls={
              <TermsRow place={place}>
                <Save file={`plan-${id}.csv`} rows={file} total={file.length} />
              </TermsRow>
            }
          />
        )}
      </Showing>
    </div>
  );
}

type Schedule = {
  property: PropertyJson;
  plan: ScheduledPlanJson;
  places: Locations;
  /** The rows of the plan's CSV. */
  file: Record<string, string>[];
};

/** Reads the plan, and its CSV for the costs of each component by year. */
async function readSchedule(api: ApiClient, id: string, terms: Terms): Promise<Schedule> {
  const query = new URLSearchParams(termsQuery(terms));
  const path = `/v1/property/${encodeURIComponent(id)}/plan`;
  const property = await readProperty(api, id);
  const [plan, table, types] = await Promise.all([
    api.read<PropertyPlanJson>(query.size === 0 ? path : `${path}?${query}`),
    api.text(`${path}?${new URLSearchParams({ ...Object.fromEntries(query), format: "csv" })}`),
    readTypes(api),
  ]);
  const file = recordsOf(table);
  const yearsOf = new Map(file.map((record) => [record.component_id, yearsIn(record, plan.years)]));
  const none = plan.schedule.map(() => 0);
  const components = plan.components.map((one) => ({
    ...one,
    yearly_costs: yearsOf.get(one.component_id) ?? none,
  }));
  const units = await readUnits(api, id, components);
  return { property, plan: { ...plan, components }, places: new Locations(types, units), file };
}

/** Parses CSV into records by column name. */
export function recordsOf(table: string): Record<string, string>[] {
  const [heading = [], ...rows] = csvRows(table);
  return rows.map((row) => Object.fromEntries(heading.map((name, at) => [name, row[at]!])));
}

/** The expected costs by year of a row of a plan's CSV, in USD. */
export const yearsIn = (record: Readonly<Record<string, string>>, years: number): number[] =>
  Array.from({ length: years }, (_, at) => Number(record[`year_${at + 1}`]));
