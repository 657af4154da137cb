import type { Appliance } from "../domain/appliance.ts";
import type { ComplianceItem, ComplianceStatus } from "../domain/figures/compliance.ts";
import type { Property } from "../domain/property.ts";
import { applianceTypeId } from "./component-names.ts";
import { subject, subjectView } from "./figures.ts";
import { forPartner } from "./paging.ts";
import { day, enumOf, flag, id, integer, list, object, text, whole } from "./schema/fields.ts";
import type { WireOf } from "./schema/wire-type.ts";

const item = object({
  appliance_id: id("A", "The appliance"),
  appliance_type: applianceTypeId,
  brand: text("Manufacturer", "Rheem").orNull(),
  unit: id("U", "The unit that the appliance serves").orNull(),
  inspection_type: text("The inspection or test", "sprinkler_annual_inspection"),
  authority: text("The code or authority that requires the inspection", "NFPA 25"),
  mandatory: flag("Whether the code makes it mandatory; local law may differ"),
  interval_months: whole("Months between two inspections", 12),
  last_inspection: day("Date of the latest passed inspection").orNull(),
  due_date: day("Due date of the inspection", "2027-03-01"),
  days_until_due: integer("Days until the due date; negative if overdue", 120),
  status: enumOf<ComplianceStatus>(
    ["OVERDUE", "DUE_SOON", "UPCOMING", "OK"],
    "OVERDUE is past due, DUE_SOON within 30 days, UPCOMING within 90",
    "OK",
  ),
});
export type InspectionJson = WireOf<typeof item>;

export const complianceItemView = item.serializer(
  ({ appliance, regime, ...item }: ComplianceItem<Appliance>) => ({
    appliance_id: appliance.id,
    appliance_type: appliance.typeId,
    brand: appliance.brand,
    unit: appliance.unitId,
    inspection_type: regime.inspectionType,
    authority: regime.authority,
    mandatory: regime.mandatory,
    interval_months: regime.intervalMonths,
    last_inspection: item.lastInspection,
    due_date: item.dueDate,
    days_until_due: item.daysUntilDue,
    status: item.status,
  }),
);

const compliance = object({
  ...subject,
  compliance_items: list("One item per appliance and inspection", item),
  overdue: whole("Items past their due date", 1),
});

export const complianceView = compliance.serializer(
  (property: Property, items: readonly ComplianceItem<Appliance>[]) => ({
    ...subjectView(property),
    compliance_items: items.map(complianceItemView),
    overdue: items.filter(({ status }) => status === "OVERDUE").length,
  }),
);
export const complianceReply = forPartner(compliance);
