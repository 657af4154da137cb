import { apiInputCsvColumns } from "../../api-schemas/definition/api-input-csv-columns.ts";
import {
  newServiceEvent,
  parseNewServiceEventJson,
  parseServiceEventChangeJson,
  serializeServiceEvent,
} from "../../api-schemas/service-event-schema.ts";
import type { Voiding } from "../../api-schemas/voiding-schema.ts";
import type { Appliance } from "../../domain/appliance.ts";
import { conflict } from "../../domain/errors.ts";
import { checkInspectionTypesRule } from "../../domain/rules/inspection-types-rule.ts";
import type { NewServiceEvent, ServiceEvent, ServiceEventChange } from "../../domain/service-event.ts";
import { ServiceLog } from "../history/record-service-events.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import {
  APPLIANCE_REFERENCES,
  importedApplianceReference,
  importedComponentNotInServiceError,
  ReferencedAppliances,
  type RowApplianceReference,
} from "./appliance-references.ts";
import { type Comparison, compareRowWithRecord } from "./compare-import-row-with-record.ts";
import {
  CORRECTION_COLUMNS,
  correctEventOfRow,
  type EventCorrection,
  parseImportedServiceEventCells,
  readRowEventCorrection,
  voidImportedRowEvent,
} from "./event-corrections.ts";
import type { Preloading } from "./import-appliance-cache.ts";
import { EventDayCache, EventMatcher } from "./import-event-matcher.ts";
import {
  type AddedCounts,
  NOTHING_ADDED,
  type RowBatch,
  type RowCells,
  type RowKind,
  type RowOutcome,
} from "./import-row-kind.ts";
import {
  type BatchRowStatements,
  ImportRowStatements,
  importRowStatement,
  type RowContradiction,
} from "./import-row-statements.ts";
import { readImportRowVoiding } from "./import-void-columns.ts";

type LoggedEvent = {
  appliance: RowApplianceReference;
  /** The component by its kind, such as `elev_door_operator`, if its id is not given. */
  componentDefId: string | undefined;
  input: NewServiceEvent;
  /** Given for a row that voids the event, if it is on record. */
  voids: Voiding | undefined;
  cells: RowCells;
};
type Entry = LoggedEvent | EventCorrection;

/** The fields that a row can change in a stored event; the others identify it. */
const CHANGEABLE: Readonly<Record<string, keyof ServiceEventChange>> = {
  parts_cost: "partsCostCents",
  labor_cost: "laborCostCents",
  total_cost: "totalCostCents",
  technician: "technician",
  condition_after: "conditionAfter",
  condition_score: "conditionScore",
  condition_scale: "conditionScore",
  inspection_types: "inspectionTypes",
};

/** Compares with the input parsed from the whole row. */
const comparisonWith = (input: NewServiceEvent): Comparison<ServiceEvent, ServiceEventChange> => ({
  fields: Object.keys(CHANGEABLE),
  read: (cells) =>
    Object.fromEntries(Object.keys(cells).map((field) => [CHANGEABLE[field]!, input[CHANGEABLE[field]!]])),
  view: serializeServiceEvent,
});

/** The most events loaded ahead; beyond that only those of the rows' days. */
const MOST_EVENTS = 500;

/** A placeholder for the appliance's id until the transaction resolves it. */
const UNRESOLVED = "A_";

/** Rows of service events, matched by their IDs, or by appliance, component, type, date and notes. */
export const serviceEventImportRows: RowKind<Entry> = {
  name: "service_events",
  fields: {
    appliance_id: "text",
    serial: "text",
    partner_property_id: "text",
    property_id: "text",
    component_id: "text",
    component_def_id: "text",
    ...apiInputCsvColumns(newServiceEvent),
    ...CORRECTION_COLUMNS,
  },
  required: ["event_type", "date"],
  references: APPLIANCE_REFERENCES,
  identifier: "service_event_id",
  read(cells) {
    const correction = readRowEventCorrection(cells);
    if (correction) return correction;
    const given = {
      ...cells,
      appliance_id: UNRESOLVED,
      ...parseImportedServiceEventCells(cells),
    };
    return {
      input: parseNewServiceEventJson(given),
      componentDefId: cells.component_def_id?.toString(),
      appliance: importedApplianceReference(cells),
      voids: readImportRowVoiding(cells, parseServiceEventChangeJson),
      cells,
    };
  },
  start() {
    const [ofAppliances, ofEvents] = [{ pays: true }, { pays: true }];
    const days = new EventDayCache();
    const statements = new ImportRowStatements();
    return (writer) => new ServiceEventBatch(writer, ofAppliances, ofEvents, days, statements.begin());
  },
};

class ServiceEventBatch implements RowBatch<Entry> {
  readonly #log: ServiceLog;
  readonly #appliances: ReferencedAppliances;
  /** The stored events of appliances that were loaded ahead. */
  readonly #events = new Map<string, ServiceEvent[]>();
  readonly #days: EventMatcher;
  #isCaughtUp = false;

  constructor(
    private readonly writer: PortfolioWriter,
    ofAppliances: Preloading,
    private readonly reading: Preloading,
    private readonly kept: EventDayCache,
    private readonly statements: BatchRowStatements,
  ) {
    this.#log = new ServiceLog(writer, true);
    this.#appliances = new ReferencedAppliances(writer, ofAppliances);
    this.#days = new EventMatcher(writer, kept);
  }

  async preload(entries: readonly Entry[]): Promise<void> {
    if (!this.#isCaughtUp) await this.kept.catchUp(this.writer);
    this.#isCaughtUp = true;
    const found = await this.#appliances.preload(entries.flatMap(({ appliance }) => appliance ?? []));
    await this.#log.preload(found);
    const ids = found.map(({ id }) => id).filter((id) => !this.#events.has(id));
    if (!this.reading.pays || ids.length === 0) return;
    const events = await this.writer.tx.serviceEvents.ofAppliances(ids, MOST_EVENTS);
    this.reading.pays = events !== undefined;
    if (!events) return;
    for (const id of ids) this.#events.set(id, []);
    for (const event of events) this.#events.get(event.applianceId)!.push(event);
  }

  async apply(entry: Entry, update: boolean): Promise<RowOutcome> {
    if ("eventId" in entry) return await this.#correct(entry, update);
    const { appliance: reference, componentDefId, input: unresolved, voids, cells } = entry;
    const appliance = await this.#appliances.find(reference);
    const { inspectionTypes: types } = unresolved;
    const inspectionTypes = checkInspectionTypesRule(this.writer.knowledge, appliance.typeId, types);
    const input = { ...unresolved, applianceId: appliance.id, inspectionTypes };
    if (input.componentId === null && componentDefId !== undefined)
      input.componentId = await this.#componentOf(appliance, componentDefId);
    const there = await this.#duplicate(input);
    if (voids) return there && update ? await this.#void(there, voids) : "unchanged";
    if (!there) {
      const event = await this.#log.add(input);
      this.#events.get(appliance.id)?.push(event);
      this.#days.add(event);
      this.#contradictions(event, cells);
      return "created";
    }
    if (!update) {
      for (const { field, from, to } of this.#contradictions(there, cells))
        throw conflict(
          `an earlier row is the same event, and states its ${field} as ${from}, not ${to}: distinguish them by their notes`,
        );
      return "unchanged";
    }
    const { change, fields } = compareRowWithRecord(comparisonWith(input), cells, there);
    if (fields.length === 0) return "unchanged";
    await this.#log.change(there, change);
    this.#events.delete(appliance.id);
    return { updated: fields };
  }

  async #correct(entry: EventCorrection, update: boolean): Promise<RowOutcome> {
    const { appliance: reference, componentDefId } = entry;
    const appliance = reference && (await this.#appliances.find(reference));
    const componentId =
      appliance && componentDefId !== undefined
        ? await this.#componentOf(appliance, componentDefId)
        : undefined;
    const named = appliance && { appliance, componentId };
    const { before, after, outcome } = await correctEventOfRow(this.writer, this.#log, entry, named, update);
    if (outcome === "unchanged") return outcome;
    for (const { applianceId } of [before, after]) this.#events.delete(applianceId);
    if (after.voidedAt === null && !isDuplicate(before, after)) this.#days.add(after);
    return outcome;
  }

  async #void(there: ServiceEvent, voids: Voiding): Promise<RowOutcome> {
    this.#events.delete(there.applianceId);
    return (await voidImportedRowEvent(this.#log, there, voids)).outcome;
  }

  async finish(): Promise<AddedCounts> {
    await this.#log.finish();
    this.#days.finish();
    return NOTHING_ADDED;
  }

  committed(): void {
    this.#days.committed();
    this.statements.committed();
  }

  /**
   * Returns the stored event with the row's appliance, component, type, date and notes; the first logged of
   * several.
   */
  async #duplicate(input: NewServiceEvent): Promise<ServiceEvent | undefined> {
    const events = this.#events.get(input.applianceId);
    if (!events) return await this.#days.firstDuplicate(input, (id) => this.#findIfEqual(id, input));
    const duplicates = events.filter((event) => isDuplicate(event, input));
    // The events are unordered: without a rule, the next import would change another of them.
    return duplicates.reduce<ServiceEvent | undefined>(
      (first, serviceEvent) => (first && first.id < serviceEvent.id ? first : serviceEvent),
      undefined,
    );
  }

  /** Returns an event that was equal to the row when its day was read; undefined if it was voided or changed since. */
  async #findIfEqual(id: string, input: NewServiceEvent): Promise<ServiceEvent | undefined> {
    const { tx, partner } = this.writer;
    const found = (await tx.serviceEvents.find(partner.id, id))!;
    return found.voidedAt === null && isDuplicate(found, input) ? found : undefined;
  }

  /** Returns how a row contradicts the costs that earlier rows of the event state. */
  #contradictions(
    { id }: ServiceEvent,
    { parts_cost, labor_cost, total_cost }: RowCells,
  ): RowContradiction[] {
    return this.statements.contradictions(id, importRowStatement({ parts_cost, labor_cost, total_cost }));
  }

  async #componentOf(appliance: Appliance, defId: string): Promise<string> {
    const components =
      this.#log.componentsOf(appliance.id) ?? (await this.writer.tx.components.ofAppliance(appliance.id));
    const found = components.find((component) => component.defId === defId);
    if (found) return found.id;
    throw importedComponentNotInServiceError(appliance);
  }
}

const MATCHED = ["applianceId", "componentId", "eventType", "date", "notes"] as const;

type Matched = Pick<ServiceEvent, (typeof MATCHED)[number]>;

const isDuplicate = (event: Matched, other: Matched) =>
  MATCHED.every((field) => event[field] === other[field]);
