import type { HazardFlagJsonGatherer } from "../../api-schemas/hazard-flag-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { FlagBasis } from "../../domain/hazards/hazard-flags.ts";
import { forEachInSteps, type Steps } from "../../domain/steps/computation-steps.ts";
import type { WorkbookSheet } from "../../xlsx/write-workbook.ts";
import { COUNT, reserveFormCodeInWords, reserveFormTableSheet, SHEETS } from "./reserve-form-cells.ts";

const COLUMNS = [
  { name: "Hazard", width: 52 },
  { name: "Item", width: 34 },
  { name: "Appliances", width: 11, format: COUNT },
  { name: "What to do", width: 18 },
  { name: "Known from", width: 18 },
  { name: "Authority", width: 90 },
];

const KNOWN_FROM: Readonly<Record<FlagBasis, string>> = {
  stated: "Stated",
  brand: "Brand or model",
  notes: "Service notes",
  era: "Years alone",
};

type Flag = ReturnType<HazardFlagJsonGatherer["list"]>[number];

/** Returns the sheet of known and suspected hazards, also of those that are only inspected or monitored: a row for each kind. */
export function* reserveFormHazardsSheetInSteps(
  knowledge: Knowledge,
  hazards: HazardFlagJsonGatherer,
): Steps<WorkbookSheet> {
  const kinds = new Map<string, { flag: Flag; appliances: number }>();
  yield* forEachInSteps(hazards.list(), (flag) => {
    const key = [flag.code, flag.basis, flag.appliance_type].join(" ");
    const kind = kinds.get(key);
    if (kind) kind.appliances++;
    else kinds.set(key, { flag, appliances: 1 });
  });
  const rows = Array.from(kinds.values(), ({ flag, appliances }) => {
    const { label, appliance_type, action, basis, authority } = flag;
    return [
      ...[label, knowledge.type(appliance_type).name, appliances],
      ...[reserveFormCodeInWords(action), KNOWN_FROM[basis], authority],
    ];
  });
  const none = [["No hazard is known or suspected"]];
  return reserveFormTableSheet(SHEETS.hazards, COLUMNS, rows.length > 0 ? rows : none);
}
