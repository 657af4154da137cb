import type { Appliance } from "../domain/appliance.ts";
import type {
  ComplianceItem,
  ComplianceStatus,
  InspectionResult,
} from "../domain/figures/inspection-compliance.ts";
import type { InspectionBasis } from "../domain/figures/inspection-record.ts";
import type { Property } from "../domain/property.ts";
import { INSPECTION_NOTICE } from "../domain/wording/inspection-law-wording.ts";
import { applianceTypeId } from "./component-name-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  daySchema,
  enumSchema,
  flagSchema,
  idSchema,
  integerSchema,
  listSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { serializeSubject, subject } from "./figures-schema.ts";
import { schemaWithPartner } from "./paging-schema.ts";

export const item = objectSchema({
  appliance_id: idSchema("A", "The appliance"),
  appliance_type: applianceTypeId,
  brand: textSchema("Manufacturer", "Rheem").orNull(),
  unit: idSchema("U", "The unit that the appliance serves").orNull(),
  inspection_type: textSchema("The inspection or test", "sprinkler_annual_inspection"),
  authority: textSchema("The code or authority that requires the inspection", "NFPA 25"),
  mandatory: flagSchema("Whether the code makes it mandatory; local law may differ"),
  interval_months: wholeNumberSchema("Months between two inspections", 12),
  last_inspection: daySchema("Date of the latest visit for this inspection, whatever it found").orNull(),
  result: enumSchema<InspectionResult>(
    ["passed", "failed"],
    "Result of that visit: failed if it left the condition poor, or without a stated condition if its notes say so. A failed visit leaves a mandatory inspection due",
    "passed",
  ).orNull(),
  deficiency_open: flagSchema(
    "True after a visit that left the condition poor, until a later Repair or Replacement of the appliance, or until the same inspection passes. A failed inspection of one component counts as one until that component passes",
    false,
  ),
  basis: enumSchema<InspectionBasis>(
    ["named", "notes", "assumed", "none"],
    "Why the visit counts: the event names the inspection; its notes do; or neither names any that its type can be, and it is " +
      "the one with the shortest interval of those that it can be, for an event of a component of those about that component; or " +
      "an inspection of a component failed. none: no visit is on record",
    "named",
  ),
  last_event_id: idSchema("SE", "The service event of that visit").orNull(),
  due_date: daySchema(
    "Due date of the inspection: an interval after the last visit, or, without one, after 1 July of the install year. A " +
      "mandatory one that failed is due since the first failed visit, or since the interval of the one before it ended",
    "2027-03-01",
  ),
  days_until_due: integerSchema("Days until the due date; negative if overdue", 120),
  status: enumSchema<ComplianceStatus>(
    ["OVERDUE", "DUE_SOON", "UPCOMING", "OK"],
    "OVERDUE is past due, DUE_SOON within 30 days, UPCOMING within 90",
    "OK",
  ),
});
export type InspectionJson = JsonOf<typeof item>;

export const serializeComplianceItem = item.serializer(
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
    result: item.result,
    deficiency_open: item.deficiencyOpen,
    basis: item.basis,
    last_event_id: item.lastEventId,
    due_date: item.dueDate,
    days_until_due: item.daysUntilDue,
    status: item.status,
  }),
);

const compliance = objectSchema({
  ...subject,
  compliance_items: listSchema("One item per appliance and inspection", item),
  overdue: wholeNumberSchema("Items past their due date", 1),
  overdue_mandatory: wholeNumberSchema("Items past their due date that a code makes mandatory", 1),
  notice: textSchema("Limits of this list", INSPECTION_NOTICE),
});

export const serializeCompliance = compliance.serializer(
  (property: Property, items: readonly ComplianceItem<Appliance>[]) => ({
    ...serializeSubject(property),
    compliance_items: items.map(serializeComplianceItem),
    overdue: items.filter(({ status }) => status === "OVERDUE").length,
    overdue_mandatory: items.filter(({ status, regime }) => status === "OVERDUE" && regime.mandatory).length,
    notice: INSPECTION_NOTICE,
  }),
);
export const complianceReply = schemaWithPartner(compliance);
