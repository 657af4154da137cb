import {
  parseServiceEventChangeJson,
  serializeServiceEvent,
} from "../../api-schemas/service-event-schema.ts";
import type { Voiding } from "../../api-schemas/voiding-schema.ts";
import type { Appliance } from "../../domain/appliance.ts";
import { notFound } from "../../domain/errors.ts";
import type { ServiceEvent, ServiceEventChange } from "../../domain/service-event.ts";
import { parseTableCellConditionScale } from "../../table-cells/table-cell-scales.ts";
import type { ServiceLog } from "../history/record-service-events.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import {
  APPLIANCE_REFERENCES,
  importedApplianceReference,
  type RowApplianceReference,
} from "./appliance-references.ts";
import type { RowCells, RowOutcome } from "./import-row-kind.ts";
import { readImportRowVoiding, VOID_COLUMNS, voidRowOutcome } from "./import-void-columns.ts";

/** The columns of a row that corrects or voids a stored event. */
export const CORRECTION_COLUMNS = { service_event_id: "text", ...VOID_COLUMNS } as const;

/** A row that names a stored event by its ID. Other cells change it, as `PUT /v1/service-events/{id}` does. */
export type EventCorrection = {
  eventId: string;
  /** The appliance that the event is to be of, if the row names one. */
  appliance: RowApplianceReference | undefined;
  componentDefId: string | undefined;
  voids: Voiding | undefined;
  cells: RowCells;
};

/** An event before and after, and the outcome of its row. */
type Corrected = { outcome: RowOutcome; before: ServiceEvent; after: ServiceEvent };

/** Returns the correction of a row with the ID of an event; undefined for any other row. Throws invalid_request. */
export function readRowEventCorrection(cells: RowCells): EventCorrection | undefined {
  if (cells.service_event_id === undefined) return undefined;
  const voids = readImportRowVoiding(cells, parseServiceEventChangeJson);
  readChange(cells);
  const namesAppliance = APPLIANCE_REFERENCES.some((columns) => columns.every((name) => name in cells));
  return {
    eventId: String(cells.service_event_id),
    appliance: namesAppliance ? importedApplianceReference(cells) : undefined,
    componentDefId: cells.component_def_id?.toString(),
    voids,
    cells,
  };
}

/** Voids an event. One that is voided stays as it is, but for a reason if it has none. */
export async function voidImportedRowEvent(
  log: ServiceLog,
  before: ServiceEvent,
  voids: Voiding,
): Promise<Corrected> {
  const after = await log.void(before, voids);
  return { outcome: voidRowOutcome(before, after), before, after };
}

/** Corrects the event that a row names. Throws not_found, and conflict for a change of a voided one. */
export async function correctEventOfRow(
  { tx, partner }: Pick<PortfolioWriter, "tx" | "partner">,
  log: ServiceLog,
  { eventId, voids, cells }: EventCorrection,
  named: { appliance: Appliance; componentId: string | undefined } | undefined,
  update: boolean,
): Promise<Corrected> {
  const before = await tx.serviceEvents.find(partner.id, eventId);
  if (!before) throw notFound(`Service event not found: ${eventId}`);
  if (!update) return { outcome: "unchanged", before, after: before };
  if (voids) return await voidImportedRowEvent(log, before, voids);
  const change = readChange(cells);
  if (named) change.applianceId = named.appliance.id;
  if (named?.componentId !== undefined) change.componentId = named.componentId;
  const after = await log.change(before, change);
  const [from, to] = [serializeServiceEvent(before), serializeServiceEvent(after)];
  const updated = CHANGEABLE.filter((field) => !Bun.deepEquals(from[field], to[field])).map((field) => ({
    field,
    from: from[field],
    to: to[field],
  }));
  return { outcome: updated.length === 0 ? "unchanged" : { updated }, before, after };
}

/** Returns the cells that have lists, as a body has them: inspection types, and a scale such as `1-5`. */
export const parseImportedServiceEventCells = ({
  inspection_types: types,
  condition_scale: scale,
}: RowCells) => ({
  ...(types !== undefined && {
    inspection_types: types
      .toString()
      .split(/[\s,;|]+/)
      .filter(Boolean),
  }),
  ...(scale !== undefined && { condition_scale: parseTableCellConditionScale(scale.toString()) }),
});

const CHANGEABLE = [
  "appliance_id",
  "component_id",
  "event_type",
  "date",
  "parts_cost",
  "labor_cost",
  "total_cost",
  "technician",
  "notes",
  "condition_after",
  "condition_score",
  "condition_scale",
  "inspection_types",
] as const;

/** Returns the change that a row's cells state. An empty cell changes nothing. Throws invalid_request. */
function readChange(cells: RowCells): ServiceEventChange {
  const given = CHANGEABLE.filter((field) => cells[field] !== undefined);
  const request = parseServiceEventChangeJson({
    ...Object.fromEntries(given.map((field) => [field, cells[field]])),
    ...parseImportedServiceEventCells(cells),
  });
  return "change" in request ? request.change : {};
}
