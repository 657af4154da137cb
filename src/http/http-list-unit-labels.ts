import { unitLabelJson } from "../api-schemas/property-schema.ts";
import type { Unit } from "../domain/property.ts";
import { type AddedColumn, wantsCsvReply } from "./csv-replies.ts";
import type { PartnerCall } from "./http-operation.ts";

/** The column with the labels of units, beside their IDs. */
const unitLabels = (units: readonly Unit[]): AddedColumn => {
  const labels = new Map(units.map((unit) => [unit.id, unitLabelJson(unit)]));
  return {
    after: "unit",
    name: "unit_label",
    valueOf: (record) => labels.get((record as { unit: string | null }).unit ?? "") ?? null,
  };
};

/** The column as the API document shows it. */
export const EXAMPLE_UNIT_LABELS: AddedColumn = { ...unitLabels([]), valueOf: () => "1" };

/** Reads the labels of the units of listed components, if the caller wants a table of them. */
export async function httpListUnitLabelColumn(
  call: Pick<PartnerCall, "query" | "request" | "store">,
  rows: readonly { unitId: string | null }[],
): Promise<AddedColumn | undefined> {
  if (!wantsCsvReply(call)) return undefined;
  const ids = new Set(rows.flatMap(({ unitId }) => unitId ?? []));
  return unitLabels(await call.store.read.units.ofIds([...ids]));
}
