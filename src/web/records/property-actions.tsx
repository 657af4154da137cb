import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PropertyJson } from "../../api-schemas/property-schema.ts";
import { UNIT_LABELS } from "../../domain/property.ts";
import { areaUnitWording, currencyCode } from "../../domain/wording/currency-and-unit-wording.ts";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { RecordChangeWarnings } from "./change-warnings.tsx";
import { type EditField, EditRecordDialog, messageOfFailedEdit } from "./edit-record.tsx";
import { type PartnerOwned, recordPath, useRecordsApi } from "./page-records-context.ts";
import { PICKED_PROPERTY_FIELD, RecordPropertyPicker } from "./record-property-picker.tsx";
import { RetirementRecordActions } from "./retirement-actions.tsx";

type Written = { warnings: readonly string[] };

/** The buttons that correct, merge and retire a property, and the warnings about the last change. */
export function PropertyRecordActions(props: {
  property: PropertyJson & PartnerOwned;
  onChanged: () => void;
  /** Other buttons for a property in service. */
  children?: ComponentChildren;
}) {
  const { property, onChanged, children } = props;
  const records = useRecordsApi();
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const send = async (method: "POST" | "PUT", path: string, body: object) => {
    const written = await records.write<Written>(method, path, body);
    setWarnings(written.warnings);
    records.onChanged();
    onChanged();
  };
  const path = recordPath("properties", property.id);
  const { name } = property;
  const retirement = (
    <RetirementRecordActions kind="property" name={name} record={property} onChanged={onChanged} />
  );
  if (property.retired_at !== null) return retirement;
  return (
    <>
      <div class="record-actions screen">
        {children}
        <EditRecordDialog
          title={`Edit ${name}`}
          about="Scores, plans and costs are updated immediately."
          record={property}
          fieldsOf={fieldsOf}
          path={path}
          onSave={(change) => send("PUT", path, change)}
        />
        {!property.is_demo && (
          <ConfirmDialog
            name="Merge"
            title={`Merge a duplicate into ${name}`}
            isSmall
            onConfirm={(form) =>
              messageOfFailedEdit(() =>
                send("POST", `${path}/merge`, { from: String(form.get(PICKED_PROPERTY_FIELD)) }),
              )
            }
          >
            <p>
              The duplicate’s appliances, with their history and photos, and its claims and embeds move here.
              The duplicate is retired. This cannot be undone.
            </p>
            <RecordPropertyPicker
              legend="Duplicate"
              owner={property}
              except={property.id}
              words={startOf(property.address)}
              isRequired
            />
          </ConfirmDialog>
        )}
        {retirement}
      </div>
      <RecordChangeWarnings warnings={warnings} />
    </>
  );
}

/** Returns the first two words of an address: what follows is written in many ways. */
const startOf = (address: string) => address.split(/\s+/).slice(0, 2).join(" ").slice(0, 100);

const fieldsOf = (property: PropertyJson): readonly EditField[] => [
  { name: "name", label: "Name", kind: "text", value: property.name, isRequired: true },
  { name: "address", label: "Address", kind: "text", value: property.address, isRequired: true },
  { name: "city", label: "City", kind: "text", value: property.city },
  { name: "state", label: "State or region", kind: "text", value: property.state, isRequired: true },
  { name: "zip", label: "ZIP or postal code", kind: "text", value: property.zip },
  {
    name: "country",
    label: "Country (two letters)",
    kind: "text",
    value: property.country,
    isRequired: true,
  },
  { name: "unit_count", label: "Units", kind: "number", value: property.unit_count, isRequired: true },
  {
    name: "unit_label",
    label: "Kind of unit",
    kind: "choice",
    value: property.unit_label,
    options: UNIT_LABELS,
  },
  { name: "year_built", label: "Year built", kind: "number", value: property.year_built },
  {
    name: "gross_area_sqft",
    label: `Gross area (${areaUnitWording()})`,
    kind: "number",
    value: property.gross_area_sqft,
  },
  { name: "stories", label: "Stories", kind: "number", value: property.stories },
  {
    name: "replacement_value",
    label: `Rebuilding cost (${currencyCode()})`,
    kind: "number",
    value: property.replacement_value,
  },
  {
    name: "estimated_value",
    label: `Market value (${currencyCode()})`,
    kind: "number",
    value: property.estimated_value,
  },
  { name: "records_since", label: "Records complete since", kind: "day", value: property.records_since },
  {
    name: "partner_property_id",
    label: "Own reference",
    kind: "text",
    value: property.partner_property_id,
  },
  { name: "notes", label: "Notes", kind: "long", value: property.notes },
];
