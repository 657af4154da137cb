import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import { currencyCode } from "../../domain/wording/currency-and-unit-wording.ts";
import { type EditField, EditRecordDialog } from "./edit-record.tsx";
import { recordPath, useRecordsApi } from "./page-records-context.ts";

/** The button that corrects a component. */
export function EditComponentRecord(props: { component: Corrected; onChanged: () => void }) {
  const { component, onChanged } = props;
  const records = useRecordsApi();
  const path = recordPath("components", component.component_id);
  return (
    <EditRecordDialog
      title={`Edit ${component.component_name}`}
      about="Scores, plans and sums are updated immediately. The audit log has the values before and after."
      record={component}
      fieldsOf={fieldsOf}
      path={path}
      onSave={async (change) => {
        await records.write("PUT", path, change);
        records.onChanged();
        onChanged();
      }}
    />
  );
}

type Corrected = Pick<
  ComponentJson,
  | "component_id"
  | "component_name"
  | "install_year"
  | "override_lifespan"
  | "proactive_cost"
  | "reactive_cost"
  | "past"
  | "original"
>;

const fieldsOf = (component: Corrected): readonly EditField[] => [
  {
    name: "install_year",
    label: "Installed in (year); empty for the appliance’s",
    kind: "number",
    value: component.install_year,
  },
  {
    name: "override_lifespan",
    label: "Median life (years), if not the usual one",
    kind: "number",
    value: component.override_lifespan,
  },
  {
    name: "proactive_cost",
    label: `Own planned cost (${currencyCode()}); empty for the price list`,
    kind: "number",
    value: component.proactive_cost,
  },
  {
    name: "reactive_cost",
    label: `Own cost of failure (${currencyCode()}); empty for the price list`,
    kind: "number",
    value: component.reactive_cost,
  },
  {
    name: "past",
    label: "History before the records, if uncertain",
    kind: "choice",
    value: component.past,
    options: ["unknown"],
  },
  { name: "original", label: "Original part, never replaced", kind: "flag", value: component.original },
];
