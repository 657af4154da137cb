import type { HazardFlagJsonGatherer } from "../../api-schemas/hazard-flag-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { FlagBasis } from "../../domain/hazards/hazard-flags.ts";
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

/** Returns the sheet of known and suspected hazards, also of those that are only inspected or monitored: a row for each kind. */
export function reserveFormHazardsSheet(
  knowledge: Knowledge,
  hazards: HazardFlagJsonGatherer,
): WorkbookSheet {
  const matching = Map.groupBy(hazards.list(), ({ code, basis, appliance_type }) =>
    [code, basis, appliance_type].join(" "),
  );
  const rows = Array.from(matching.values(), (flags) => {
    const { label, appliance_type, action, basis, authority } = flags[0]!;
    return [
      ...[label, knowledge.type(appliance_type).name, flags.length],
      ...[reserveFormCodeInWords(action), KNOWN_FROM[basis], authority],
    ];
  });
  const none = [["No hazard is known or suspected"]];
  return reserveFormTableSheet(SHEETS.hazards, COLUMNS, rows.length > 0 ? rows : none);
}
