import type { Appliance } from "../../domain/appliance.ts";
import { conflict, invalid, notFound } from "../../domain/errors.ts";
import { inspectionTypesOf } from "../../domain/figures/inspection-types.ts";
import type { NewServiceEvent, ServiceEvent, ServiceEventChange } from "../../domain/service-event.ts";
import { columnsOf } from "../../wire/schema/input-columns.ts";
import { newServiceEvent, readNewServiceEvent, serviceEventView } from "../../wire/service-event.ts";
import { ServiceLog } from "../history/service-events.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { ApplianceCache, type Preloading } from "./appliance-cache.ts";
import { type Comparison, differences } from "./differences.ts";
import { EventDayCache, EventMatcher } from "./event-matcher.ts";
import { type Added, type Batch, type Cells, NOTHING_ADDED, type Outcome, type RowKind } from "./kind.ts";
import { PropertyCache, type PropertyReference, readPropertyReference, referenceText } from "./properties.ts";

type ApplianceReference = { applianceId: string } | { serial: string; property: PropertyReference };
type Entry = {
  appliance: ApplianceReference;
  /** The component by its kind, such as `elev_door_operator`, if its id is not given. */
  componentDefId: string | undefined;
  input: NewServiceEvent;
  cells: Cells;
};

/** The fields that a row can change in a stored event; the others identify it. */
const CHANGEABLE: Readonly<Record<string, keyof ServiceEventChange>> = {
  parts_cost: "partsCostCents",
  labor_cost: "laborCostCents",
  total_cost: "totalCostCents",
  technician: "technician",
  condition_after: "conditionAfter",
  inspection_types: "inspectionTypes",
};

/** Compares with the input parsed from the whole row. */
const comparisonWith = (input: NewServiceEvent): Comparison<ServiceEvent, ServiceEventChange> => ({
  fields: Object.keys(CHANGEABLE),
  read: (cells) =>
    Object.fromEntries(Object.keys(cells).map((field) => [CHANGEABLE[field]!, input[CHANGEABLE[field]!]])),
  view: serviceEventView,
});

/** The most events loaded ahead; beyond that only those of the rows' days. */
const MOST_EVENTS = 500;

/** A placeholder for the appliance's id until the transaction resolves it. */
const UNRESOLVED = "A_";

/** Rows of service events, matched by appliance, component, type, date and notes. */
export const serviceEventRows: RowKind<Entry> = {
  name: "service_events",
  fields: {
    appliance_id: "text",
    serial: "text",
    partner_property_id: "text",
    property_id: "text",
    component_id: "text",
    component_def_id: "text",
    ...columnsOf(newServiceEvent),
  },
  required: ["event_type", "date"],
  references: [["appliance_id"], ["serial", "partner_property_id"], ["serial", "property_id"]],
  read: (cells) => ({
    input: readNewServiceEvent({
      ...cells,
      appliance_id: UNRESOLVED,
      ...(cells.inspection_types !== undefined && { inspection_types: listOf(cells.inspection_types) }),
    }),
    componentDefId: cells.component_def_id?.toString(),
    appliance: readApplianceReference(cells),
    cells,
  }),
  start() {
    const [ofAppliances, ofEvents] = [{ pays: true }, { pays: true }];
    const days = new EventDayCache();
    return (writer) => new ServiceEventBatch(writer, ofAppliances, ofEvents, days);
  },
};

class ServiceEventBatch implements Batch<Entry> {
  readonly #log: ServiceLog;
  readonly #properties: PropertyCache;
  readonly #appliances: ApplianceCache;
  /** The stored events of appliances that were loaded ahead. */
  readonly #events = new Map<string, ServiceEvent[]>();
  readonly #days: EventMatcher;
  #isCaughtUp = false;

  constructor(
    private readonly writer: PortfolioWriter,
    ofAppliances: Preloading,
    private readonly reading: Preloading,
    private readonly kept: EventDayCache,
  ) {
    this.#log = new ServiceLog(writer);
    this.#properties = new PropertyCache(writer);
    this.#appliances = new ApplianceCache(writer, ofAppliances);
    this.#days = new EventMatcher(writer, kept);
  }

  async preload(entries: readonly Entry[]): Promise<void> {
    if (!this.#isCaughtUp) await this.kept.catchUp(this.writer);
    this.#isCaughtUp = true;
    const references = entries.map(({ appliance }) => appliance);
    const bySerial = references.filter((one) => "serial" in one);
    await this.#properties.preload(bySerial.map(({ property }) => property));
    await this.#appliances.preloadByIds(
      references.flatMap((one) => ("applianceId" in one ? [one.applianceId] : [])),
    );
    await this.#appliances.preloadOfProperties(
      bySerial.flatMap(({ property }) => this.#properties.find(property)?.id ?? []),
    );
    const found = new Map<string, Appliance>();
    for (const reference of references) {
      const [one] = await this.#named(reference);
      if (one) found.set(one.id, one);
    }
    await this.#log.preload([...found.values()]);
    const ids = [...found.keys()].filter((id) => !this.#events.has(id));
    if (!this.reading.pays || ids.length === 0) return;
    const events = await this.writer.tx.serviceEvents.ofAppliances(ids, MOST_EVENTS);
    this.reading.pays = events !== undefined;
    if (!events) return;
    for (const id of ids) this.#events.set(id, []);
    for (const event of events) this.#events.get(event.applianceId)!.push(event);
  }

  async apply(entry: Entry, update: boolean): Promise<Outcome> {
    const { appliance: reference, componentDefId, input: unresolved, cells } = entry;
    const appliance = await this.#find(reference);
    if (!appliance) throw notFound(`Appliance not found: ${applianceText(reference)}`);
    const { inspectionTypes: types } = unresolved;
    const inspectionTypes = inspectionTypesOf(this.writer.knowledge, appliance.typeId, types);
    const input = { ...unresolved, applianceId: appliance.id, inspectionTypes };
    if (input.componentId === null && componentDefId !== undefined)
      input.componentId = await this.#componentOf(appliance, componentDefId);
    const there = await this.#alike(input);
    if (!there) {
      const event = await this.#log.add(input);
      this.#events.get(appliance.id)?.push(event);
      this.#days.add(event);
      return "created";
    }
    if (!update) return "unchanged";
    const { change, fields } = differences(comparisonWith(input), cells, there);
    if (fields.length === 0) return "unchanged";
    await this.#log.change(there, change);
    this.#events.delete(appliance.id);
    return { updated: fields };
  }

  async finish(): Promise<Added> {
    await this.#log.finish();
    this.#days.finish();
    return NOTHING_ADDED;
  }

  committed(): void {
    this.#days.committed();
  }

  async #find(reference: ApplianceReference): Promise<Appliance | undefined> {
    if ("property" in reference && !this.#properties.find(reference.property))
      throw notFound(`Property not found: ${referenceText(reference.property)}`);
    const [found, other] = await this.#named(reference);
    if (other) throw conflict("serial belongs to several appliances of the property: use appliance_id");
    return found;
  }

  /** Returns the appliances that a row can refer to. */
  async #named(reference: ApplianceReference): Promise<readonly Appliance[]> {
    if ("applianceId" in reference) {
      const found = this.#appliances.find(reference.applianceId);
      return found ? [found] : [];
    }
    const property = this.#properties.find(reference.property);
    return property ? await this.#appliances.withSerial(property.id, reference.serial) : [];
  }

  /**
   * Returns the stored event with the row's appliance, component, type, date and notes; the first logged of
   * several.
   */
  async #alike(input: NewServiceEvent): Promise<ServiceEvent | undefined> {
    const { applianceId, componentId, date, eventType, notes } = input;
    const events = this.#events.get(applianceId);
    if (!events) {
      const id = await this.#days.firstAlike(input);
      if (id === undefined) return undefined;
      // Another writer may have voided it since the day was read.
      const { tx, partner } = this.writer;
      const found = (await tx.serviceEvents.find(partner.id, id))!;
      return found.voidedAt === null ? found : undefined;
    }
    const alike = events.filter(
      (one) =>
        one.date === date &&
        one.eventType === eventType &&
        one.notes === notes &&
        one.componentId === componentId,
    );
    // The events are unordered: without a rule, the next import would change another of them.
    return alike.reduce<ServiceEvent | undefined>(
      (first, one) => (first && first.id < one.id ? first : one),
      undefined,
    );
  }

  async #componentOf({ id, typeId }: Appliance, defId: string): Promise<string> {
    const components = this.#log.componentsOf(id) ?? (await this.writer.tx.components.ofAppliance(id));
    const found = components.find((component) => component.defId === defId);
    if (found) return found.id;
    const message = `is none of the components of a ${typeId}`;
    throw invalid(`component_def_id ${message}`, [{ field: "component_def_id", message }]);
  }
}

/** Returns the items of a cell that are separated by commas, semicolons or spaces. */
const listOf = (cell: Cells[string]) =>
  cell
    ?.toString()
    .split(/[\s,;|]+/)
    .filter(Boolean);

/** Throws a Failure if the row refers to no appliance. */
function readApplianceReference(cells: Cells): ApplianceReference {
  if (cells.appliance_id !== undefined) return { applianceId: String(cells.appliance_id) };
  if (cells.serial === undefined)
    throw invalid("serial required", [{ field: "serial", message: "or appliance_id is required" }]);
  return { serial: String(cells.serial), property: readPropertyReference(cells) };
}

function applianceText(reference: ApplianceReference): string {
  if ("applianceId" in reference) return reference.applianceId;
  return `serial ${reference.serial} in property ${referenceText(reference.property)}`;
}
