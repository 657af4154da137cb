import type { HazardFlagJsonGatherer } from "../../api-schemas/hazard-flag-schema.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { postalAddressLine } from "../../domain/places/postal-address.ts";
import type { FormTerms } from "../../domain/planning/plan-terms.ts";
import {
  planReserveLinesInSteps,
  type ReserveItem,
  reserveItemsOfPlannedAppliance,
} from "../../domain/planning/planned-reserve-lines.ts";
import type { PropertyPlan } from "../../domain/planning/property-plan-summary.ts";
import type { Steps } from "../../domain/steps/computation-steps.ts";
import { forEachYielding, runYielding, type Yield } from "../../event-loop/event-loop.ts";
import { type WorkbookSheet, writeWorkbook } from "../../xlsx/write-workbook.ts";
import { preparePlanHazards } from "../planning/load-plan-lines.ts";
import type { ReserveForm } from "./reserve-form.ts";
import {
  reserveFormAssumptionsOfProperty,
  reserveFormAssumptionsSheet,
} from "./reserve-form-assumptions-sheet.ts";
import { MOST_CELLS } from "./reserve-form-cells.ts";
import { reserveFormDepositSheet } from "./reserve-form-deposit-sheet.ts";
import { reserveFormHazardsSheetInSteps } from "./reserve-form-hazards-sheet.ts";
import { ReserveLineSheets, reserveFormDueNowSheet } from "./reserve-form-line-sheets.ts";
import { reserveFormSummarySheet } from "./reserve-form-summary-sheet.ts";
import { reserveFormYearSheet } from "./reserve-form-year-sheet.ts";

/** The cells of a line beside those of its years, and the cells of each year. */
const CELLS_OF_LINE = 16;
const CELLS_OF_YEAR = 3;

/**
 * Returns the replacement reserve schedule of a property as a workbook: what is due now, the replacement reserves by line and
 * year, deposits and balances. Its totals are formulas, so that they follow when a cell is changed.
 */
export async function reserveWorkbook(
  knowledge: Knowledge,
  plan: PropertyPlan<PlacedComponent>,
  terms: FormTerms,
  yieldNow: Yield,
): Promise<Uint8Array<ArrayBuffer>> {
  const items: ReserveItem[] = [];
  await forEachYielding(
    plan.appliances,
    yieldNow,
    (appliance) => void items.push(...reserveItemsOfPlannedAppliance(knowledge, appliance)),
  );
  const { years } = plan.terms;
  const mostLines = Math.floor(MOST_CELLS / (CELLS_OF_LINE + CELLS_OF_YEAR * years));
  const threshold = { minimumCents: terms.minimumItemCents };
  const lines = await runYielding(
    planReserveLinesInSteps(knowledge, items, years, threshold, mostLines),
    yieldNow,
  );
  const hazards = await preparePlanHazards(knowledge, plan, yieldNow);
  const sheets = await runYielding(sheetsOf(knowledge, { plan, terms, lines }, hazards), yieldNow);
  return await writeWorkbook(sheets, yieldNow);
}

function* sheetsOf(
  knowledge: Knowledge,
  form: ReserveForm,
  hazards: HazardFlagJsonGatherer,
): Steps<WorkbookSheet[]> {
  const { plan } = form;
  const { name } = plan.property;
  const lines = new ReserveLineSheets(knowledge, form);
  yield;
  const [immediate, shortTerm] = [
    reserveFormDueNowSheet(knowledge, lines, "immediate"),
    reserveFormDueNowSheet(knowledge, lines, "short_term"),
  ];
  const hazardsSheet = yield* reserveFormHazardsSheetInSteps(knowledge, hazards);
  return [
    ...[reserveFormSummarySheet(plan, lines, [name, postalAddressLine(plan.property)]), immediate, shortTerm],
    ...[
      hazardsSheet,
      lines.reserves,
      lines.below,
      reserveFormYearSheet(plan, lines),
      reserveFormDepositSheet(plan, lines),
      ...lines.expected,
    ],
    reserveFormAssumptionsSheet(plan, reserveFormAssumptionsOfProperty(form)),
  ];
}
