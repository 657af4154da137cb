import { useMemo, useState } from "preact/hooks";
import type { ApplianceJson } from "../../api-schemas/appliance-schema.ts";
import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { UnitJson } from "../../api-schemas/property-schema.ts";
import { readWholeListInBrowser } from "../browser/browser-list-reader.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { ApplianceNames } from "../page/page-appliance-names.ts";
import { pageSystemLabel } from "../page/page-code-labels.ts";
import { formatPageCount, formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { SectionTable } from "../sections/section.tsx";
import { FilterRow, RETIRED_CHOICES, RetiredFilter } from "../widgets/filters.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { TierCount } from "../widgets/tier-mark.tsx";
import { type TableColumn, VirtualTable } from "../widgets/virtual-table.tsx";
import { recordPath, useRecordsApi } from "./page-records-context.ts";

type PropertyData = {
  components: readonly Pick<ComponentJson, "appliance_id" | "risk_tier">[];
  /** True if `components` are only those that are critical or in warning. */
  lacksGood?: boolean;
  types: ConstructorParameters<typeof ApplianceNames>[0];
};
type ApplianceRow = { appliance: ApplianceJson; critical: number; warning: number; components: number };

/** The appliances of a property with their components by tier, and its units. */
export function EquipmentRecords(props: {
  propertyId: string;
  data: PropertyData;
  /** True if the property is retired, so that its appliances are, too. */
  isRetired: boolean;
}) {
  const { propertyId, data, isRetired } = props;
  const records = useRecordsApi();
  const [status, setStatus] = useState(isRetired ? RETIRED_CHOICES : "");
  const id = encodeURIComponent(propertyId);
  const equipment = useLoad(propertyId, async () => ({
    appliances: await readWholeListInBrowser<"appliances", ApplianceJson>(
      records,
      `/appliances?property_id=${id}`,
      "appliances",
    ),
    units: await readWholeListInBrowser<"units", UnitJson>(
      records,
      `${recordPath("property", propertyId)}/units`,
      "units",
    ),
  }));
  return (
    <LoadedContent loaded={equipment} what="the appliances">
      {({ appliances, units }) => (
        <>
          <FilterRow>
            <RetiredFilter value={status} onChange={setStatus} />
          </FilterRow>
          {status === "" ? (
            <Appliances appliances={appliances} units={units} data={data} />
          ) : (
            <RetiredAppliances propertyId={propertyId} units={units} data={data} />
          )}
          <Units appliances={appliances} units={units} />
        </>
      )}
    </LoadedContent>
  );
}

function Appliances(props: {
  appliances: readonly ApplianceJson[];
  units: readonly UnitJson[];
  data: PropertyData;
}) {
  const { appliances, units, data } = props;
  const { components, types, lacksGood = false } = data;
  const rows = useMemo(() => applianceRows(appliances, components), [appliances, components]);
  const columns = useMemo(
    () =>
      columnsOf(new ApplianceNames(types, units), units).filter(
        ({ key }) => !lacksGood || key !== "components",
      ),
    [types, units, lacksGood],
  );
  if (appliances.length === 0)
    return (
      <EmptyState title="No appliances">
        <p>Appliances added through the API appear here with the risk of their components.</p>
      </EmptyState>
    );
  return (
    <section class="card list" aria-labelledby="appliances">
      <h2 id="appliances">{formatPageCount(appliances.length, "appliance")}</h2>
      <VirtualTable
        caption="Appliances"
        columns={columns}
        rows={rows}
        rowKey={({ appliance }) => appliance.id}
      />
    </section>
  );
}

/** The retired appliances of a property, by themselves or with it. */
function RetiredAppliances(props: { propertyId: string; units: readonly UnitJson[]; data: PropertyData }) {
  const { propertyId, units, data } = props;
  const records = useRecordsApi();
  const path = `/appliances?property_id=${encodeURIComponent(propertyId)}&retired=true`;
  const retired = useLoad(path, () =>
    readWholeListInBrowser<"appliances", ApplianceJson>(records, path, "appliances"),
  );
  const columns = useMemo(() => {
    const all = columnsOf(new ApplianceNames(data.types, units), units);
    return [...all.filter(({ key }) => SHOWN_OF_RETIRED.includes(key)), RETIRED_SINCE];
  }, [data.types, units]);
  return (
    <LoadedContent loaded={retired} what="the retired appliances">
      {(appliances) =>
        appliances.length === 0 ? (
          <EmptyState title="No retired appliances">
            <p>Appliances that are retired, on their page or through the API, appear here.</p>
          </EmptyState>
        ) : (
          <section class="card list" aria-labelledby="retired">
            <h2 id="retired">{formatPageCount(appliances.length, "retired appliance")}</h2>
            <VirtualTable
              caption="Retired appliances"
              columns={columns}
              rows={applianceRows(appliances, [])}
              rowKey={({ appliance }) => appliance.id}
            />
          </section>
        )
      }
    </LoadedContent>
  );
}

const SHOWN_OF_RETIRED = ["name", "unit"];
const RETIRED_SINCE: TableColumn<ApplianceRow> = {
  key: "retired",
  heading: "Retired since",
  isNumber: true,
  cell: ({ appliance: { retired_at } }) =>
    retired_at === null ? <span class="muted">with the property</span> : formatPageDate(retired_at),
};

/** Most critical components first, then most in warning. */
function applianceRows(
  appliances: readonly ApplianceJson[],
  components: PropertyData["components"],
): ApplianceRow[] {
  const byAppliance = Map.groupBy(components, ({ appliance_id }) => appliance_id);
  const inTier = (id: string, tier: string) =>
    (byAppliance.get(id) ?? []).filter(({ risk_tier }) => risk_tier === tier).length;
  return appliances
    .map((appliance) => ({
      appliance,
      critical: inTier(appliance.id, "CRITICAL"),
      warning: inTier(appliance.id, "WARNING"),
      components: byAppliance.get(appliance.id)?.length ?? 0,
    }))
    .sort((a, b) => b.critical - a.critical || b.warning - a.warning);
}

function columnsOf(
  applianceNames: ApplianceNames,
  units: readonly UnitJson[],
): readonly TableColumn<ApplianceRow>[] {
  const labels = new Map(units.map(({ id, label }) => [id, label]));
  return [
    {
      key: "name",
      heading: "Appliance",
      cell: ({ appliance }) => (
        <>
          <a class="name" href={hrefTo(["appliances", appliance.id])}>
            {applianceNames.typeName(appliance.type_id)}
          </a>
          <span class="small muted under">
            <bdi>
              {[appliance.brand, appliance.model].filter(Boolean).join(" ") ||
                pageSystemLabel(applianceNames.systemOf(appliance.type_id))}
            </bdi>
          </span>
        </>
      ),
    },
    {
      key: "unit",
      heading: "Unit",
      shownFrom: "medium",
      cell: ({ appliance }) =>
        appliance.unit_id === null ? (
          <span class="muted">Whole property</span>
        ) : (
          <bdi>{labels.get(appliance.unit_id) ?? "–"}</bdi>
        ),
    },
    {
      key: "since",
      heading: "Installed",
      isNumber: true,
      shownFrom: "medium",
      cell: ({ appliance }) => appliance.install_year,
    },
    {
      key: "components",
      heading: "Components",
      isNumber: true,
      shownFrom: "medium",
      cell: ({ components }) => formatPageWholeNumber(components),
    },
    {
      key: "critical",
      heading: "Critical",
      isNumber: true,
      width: "narrow",
      cell: ({ critical }) => <TierCount tier="CRITICAL" of={critical} />,
    },
    {
      key: "warning",
      heading: "Warning",
      isNumber: true,
      width: "narrow",
      cell: ({ warning }) => <TierCount tier="WARNING" of={warning} />,
    },
  ];
}

function Units({ appliances, units }: { appliances: readonly ApplianceJson[]; units: readonly UnitJson[] }) {
  const byUnit = Map.groupBy(appliances, ({ unit_id }) => unit_id);
  return (
    <section class="card" aria-labelledby="units">
      <h2 id="units">{formatPageCount(units.length, "unit")}</h2>
      {units.length === 0 ? (
        <p class="empty">No units.</p>
      ) : (
        <details class="table-details">
          <summary>
            View as table<span class="visually-hidden">: units</span>
          </summary>
          <SectionTable
            caption="Units"
            rows={units}
            columns={[
              { heading: "Unit", cell: ({ label }) => <bdi>{label}</bdi> },
              {
                heading: "Appliances in unit",
                isNumber: true,
                cell: ({ id }) => formatPageWholeNumber(byUnit.get(id)?.length ?? 0),
              },
              { heading: "ID", cell: ({ id }) => <code>{id}</code> },
            ]}
          />
        </details>
      )}
    </section>
  );
}
