import { useState } from "preact/hooks";
import type { ApplianceJson, ApplianceTypeJson } from "../../api-schemas/appliance-schema.ts";
import type { PropertyRowJson, UnitJson, UnitPageJson } from "../../api-schemas/property-schema.ts";
import { unitLabel } from "../../domain/wording/currency-and-unit-wording.ts";
import { formatPageCount, formatPageWholeNumber } from "../page/page-format.ts";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import {
  type EditField,
  EditRecordDialog,
  messageOfFailedEdit,
  pageEditConflictMessage,
} from "./edit-record.tsx";
import { type PartnerOwned, type RecordsApi, recordPath, useRecordsApi } from "./page-records-context.ts";
import { PICKED_PROPERTY_FIELD, RecordPropertyPicker } from "./record-property-picker.tsx";
import { RetirementRecordActions } from "./retirement-actions.tsx";

type Props = {
  appliance: ApplianceJson & PartnerOwned;
  type: ApplianceTypeJson;
  types: readonly ApplianceTypeJson[];
  onChanged: () => void;
};

/** The buttons that correct, flag, move and retire an appliance. */
export function ApplianceRecordActions({ appliance, type, types, onChanged }: Props) {
  const records = useRecordsApi();
  const path = recordPath("appliances", appliance.id);
  const put = async (change: object) => {
    await records.write("PUT", path, change);
    records.onChanged();
    onChanged();
  };
  return (
    <div class="record-actions screen">
      {!appliance.is_retired && (
        <>
          <EditRecordDialog
            title={`Edit ${type.name}`}
            about="Scores, plans and costs are updated immediately."
            record={appliance}
            fieldsOf={(record) => fieldsOf(record, type)}
            path={path}
            onSave={put}
          />
          {type.hazards.length > 0 && (
            <FlagsDialog appliance={appliance} type={type} path={path} onSave={put} />
          )}
          <MoveDialog appliance={appliance} type={type} types={types} path={path} onSave={put} />
        </>
      )}
      <RetirementRecordActions
        kind="appliance"
        name={type.name}
        record={appliance}
        isRetiredWithProperty={appliance.is_retired}
        onChanged={onChanged}
      />
    </div>
  );
}

type DialogProps = Omit<Props, "types" | "onChanged"> & {
  path: string;
  onSave: (change: object) => Promise<void>;
};

const SET = "set";
const CLEARED = "cleared";

/** Sets and clears the known hazards of the appliance's type. */
function FlagsDialog({ appliance, type, path, onSave }: DialogProps) {
  const records = useRecordsApi();
  const labels = { flags_set: "Known hazards", flags_cleared: "Known hazards" };
  const save = (form: FormData) => {
    const chosen = (state: string) =>
      type.hazards.filter(({ code }) => form.get(code) === state).map(({ code }) => code);
    const change = { flags_set: chosen(SET), flags_cleared: chosen(CLEARED) };
    const readNow = () => records.readNow<ApplianceJson>(path);
    return messageOfFailedEdit(
      async () =>
        (await pageEditConflictMessage(readNow, appliance, labels, change)) ?? (await onSave(change)),
    );
  };
  return (
    <ConfirmDialog
      name="Hazards"
      confirmName="Save"
      title={`Known hazards of ${type.name}`}
      isSmall
      onConfirm={save}
    >
      <p class="small muted">
        Hazards follow from the brand, model, notes and years on record. State what you found, or rule a
        hazard out.
      </p>
      <div class="edit one">
        {type.hazards.map(({ code, label }) => {
          const flag = appliance.flags.find((one) => one.code === code);
          const isStated = flag !== undefined && flag.basis !== "stated";
          return (
            <label key={code}>
              {label}
              <select name={code}>
                <option value="">As recorded{isStated ? ": yes" : ""}</option>
                <option value={SET} selected={appliance.flags_set.includes(code)}>
                  Found
                </option>
                <option value={CLEARED} selected={appliance.flags_cleared.includes(code)}>
                  Ruled out
                </option>
              </select>
            </label>
          );
        })}
      </div>
    </ConfirmDialog>
  );
}

const PLACE_LABELS = { property_id: "Property", unit_id: "Unit", type_id: "Type" };

/** Moves the appliance to another property, unit or type. */
function MoveDialog({ appliance, type, types, path, onSave }: DialogProps & Pick<Props, "types">) {
  const records = useRecordsApi();
  const save = async (form: FormData) => {
    const picked = form.get(PICKED_PROPERTY_FIELD);
    const typeId = String(form.get("type_id"));
    const unit = String(form.get("unit") ?? "");
    if (picked === null && typeId === appliance.type_id && unit === "")
      return "Choose another property, unit or type.";
    const propertyId = picked === null ? appliance.property_id : String(picked);
    return await messageOfFailedEdit(async () => {
      const place = unit === "" ? undefined : await unitOf(records, propertyId, Number(unit));
      if (typeof place === "string") return place;
      const change = {
        ...(picked !== null && { property_id: propertyId, unit_id: null }),
        ...(place && { unit_id: place.id }),
        ...(typeId !== appliance.type_id && { type_id: typeId }),
      };
      const readNow = () => records.readNow<ApplianceJson>(path);
      const changed = await pageEditConflictMessage(readNow, appliance, PLACE_LABELS, change);
      if (changed !== undefined) return changed;
      await onSave(change);
    });
  };
  return (
    <ConfirmDialog name="Move" title={`Move ${type.name}`} isSmall onConfirm={save}>
      <p>
        Its service history and photos move with it. With another type, it loses its size and the components
        that only the former type has.
      </p>
      <label>
        Type
        <select name="type_id">
          {types.map((one) => (
            <option value={one.type_id} selected={one.type_id === appliance.type_id}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      <PlaceFields appliance={appliance} />
    </ConfirmDialog>
  );
}

/** Selects the property and the unit, which is given by its number: a property may have thousands. */
function PlaceFields({ appliance }: Pick<Props, "appliance">) {
  const [target, setTarget] = useState<PropertyRowJson>();
  const most = target?.unit_count;
  return (
    <>
      <RecordPropertyPicker
        legend="Another property"
        owner={appliance}
        except={appliance.property_id}
        onPick={setTarget}
      />
      {most === 0 ? (
        <p class="small muted">This property has no units.</p>
      ) : (
        <label>
          {most === undefined
            ? "Another unit here (number); empty keeps it"
            : `Unit there (1 to ${formatPageWholeNumber(most)}); empty for the whole property`}
          <input key={target?.id ?? ""} name="unit" type="number" min={1} max={most} inputMode="numeric" />
        </label>
      )}
    </>
  );
}

/** Returns a unit by its number: units are numbered without gaps, in their order. Returns the reason if there is none. */
async function unitOf(records: RecordsApi, propertyId: string, number: number): Promise<UnitJson | string> {
  const path = `${recordPath("property", propertyId)}/units?limit=1&offset=${number - 1}`;
  const { units, total } = await records.read<UnitPageJson>(path);
  return (
    units[0] ??
    `No unit ${formatPageWholeNumber(number)}: the property has ${formatPageCount(total, "unit")}.`
  );
}

const fieldsOf = (appliance: ApplianceJson, type: ApplianceTypeJson): readonly EditField[] => [
  { name: "brand", label: "Brand", kind: "text", value: appliance.brand },
  { name: "model", label: "Model", kind: "text", value: appliance.model },
  { name: "serial", label: "Serial number", kind: "text", value: appliance.serial },
  {
    name: "brand_tier",
    label: "Brand tier",
    kind: "choice",
    value: appliance.brand_tier,
    options: ["premium", "standard", "budget"],
  },
  {
    name: "install_year",
    label: "Installed in (year); empty for the building’s",
    kind: "number",
    value: appliance.install_year_basis === "given" ? appliance.install_year : null,
  },
  {
    name: "usage_intensity",
    label: "Usage, 0.5 (light) to 2 (heavy)",
    kind: "number",
    value: appliance.usage_intensity,
  },
  ...(type.size === null
    ? []
    : [
        {
          name: "size",
          label: `Size (${unitLabel(type.size.unit)})`,
          kind: "number",
          value: appliance.size,
        } as const,
      ]),
  { name: "warranty_expiry", label: "Warranty until", kind: "day", value: appliance.warranty_expiry },
];
