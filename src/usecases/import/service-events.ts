import type { Appliance } from "../../domain/appliance.ts";
import { conflict, invalid, notFound } from "../../domain/errors.ts";
import type { NewServiceEvent, ServiceEvent, ServiceEventCorrection } from "../../domain/service-event.ts";
import { columnsOf } from "../../wire/columns.ts";
import { newServiceEvent, readNewServiceEvent, serviceEventView } from "../../wire/service-event.ts";
import type { PortfolioWriter } from "../portfolio-writer.ts";
import { ServiceLog } from "../service-events.ts";
import { type Comparison, differences } from "./differences.ts";
import type { Batch, Cells, Outcome, RowKind } from "./kind.ts";
import { findProperty, type PropertyReference, readPropertyReference, referenceText } from "./properties.ts";

type ApplianceReference = { applianceId: string } | { serial: string; property: PropertyReference };
type Entry = {
  appliance: ApplianceReference;
  /** The component by its kind, such as `elev_door_operator`, when its id is not given. */
  componentDefId: string | undefined;
  input: NewServiceEvent;
  cells: Cells;
};

/** What a row may change of an event that is on record; the rest is what it was found by. */
const CHANGEABLE: Readonly<Record<string, keyof ServiceEventCorrection>> = {
  parts_cost: "partsCostCents",
  labor_cost: "laborCostCents",
  total_cost: "totalCostCents",
  technician: "technician",
  condition_after: "conditionAfter",
};

/** Compares with what was read of the row as a whole. */
const comparisonWith = (input: NewServiceEvent): Comparison<ServiceEvent, ServiceEventCorrection> => ({
  fields: Object.keys(CHANGEABLE),
  read: (cells) =>
    Object.fromEntries(Object.keys(cells).map((field) => [CHANGEABLE[field]!, input[CHANGEABLE[field]!]])),
  view: serviceEventView,
});

/** Stands for the appliance's id until the transaction that looks it up. */
const UNRESOLVED = "A_";

/** Rows of service events, matched on appliance, component, type, date and notes. */
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
    input: readNewServiceEvent({ ...cells, appliance_id: UNRESOLVED }),
    componentDefId: cells.component_def_id?.toString(),
    appliance: readApplianceReference(cells),
    cells,
  }),
  start: () => (writer) => new ServiceEventBatch(writer),
};

class ServiceEventBatch implements Batch<Entry> {
  readonly #log: ServiceLog;

  constructor(private readonly writer: PortfolioWriter) {
    this.#log = new ServiceLog(writer);
  }

  async apply(entry: Entry, update: boolean): Promise<Outcome> {
    const { appliance: reference, componentDefId, input: unresolved, cells } = entry;
    const { tx } = this.writer;
    const appliance = await this.#find(reference);
    if (!appliance) throw notFound(`Appliance not found: ${applianceText(reference)}`);
    const input = { ...unresolved, applianceId: appliance.id };
    if (input.componentId === null && componentDefId !== undefined)
      input.componentId = await this.#componentOf(appliance, componentDefId);
    const there = await tx.serviceEvents.alike(input);
    if (!there) {
      await this.#log.add(input);
      return "created";
    }
    if (!update) return "unchanged";
    const { change, fields } = differences(comparisonWith(input), cells, there);
    if (fields.length === 0) return "unchanged";
    await this.#log.correct(there, change);
    return { updated: fields };
  }

  async finish(): Promise<number> {
    await this.#log.finish();
    return 0;
  }

  async #find(reference: ApplianceReference): Promise<Appliance | undefined> {
    const { tx, partner } = this.writer;
    if ("applianceId" in reference) return await tx.appliances.find(partner.id, reference.applianceId);
    const property = await findProperty(tx, partner.id, reference.property);
    if (!property) throw notFound(`Property not found: ${referenceText(reference.property)}`);
    const [found, other] = await tx.appliances.withSerial(property.id, reference.serial);
    if (other) throw conflict("serial is that of several appliances of the property: use appliance_id");
    return found;
  }

  async #componentOf({ id, typeId }: Appliance, defId: string): Promise<string> {
    const components = await this.writer.tx.components.ofAppliance(id);
    const found = components.find((component) => component.defId === defId);
    if (found) return found.id;
    const message = `is none of the components of a ${typeId}`;
    throw invalid(`component_def_id ${message}`, [{ field: "component_def_id", message }]);
  }
}

/** Throws a Failure when the row names no appliance. */
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
