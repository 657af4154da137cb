import type { Appliance } from "../../domain/appliance.ts";
import { type Component, isComponentOfType } from "../../domain/component.ts";
import type { Property } from "../../domain/property.ts";
import { isServicingEventType } from "../../domain/service-event.ts";
import type { Day } from "../../domain/time.ts";
import { loadNewestServiceEventDays } from "../history/load-newest-service-event-days.ts";
import { rederiveServiceRecordStarts } from "../history/move-service-record-starts.ts";
import { rescoreProperty } from "../rescoring/rescore.ts";
import { createComponentForPortfolioWriter } from "./create-component.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";

/** Events that one statement moves. */
const EVENTS_A_STEP = 500;

type Move = { before: Appliance; after: Appliance; from: Property; to: Property };

/**
 * Moves what belongs to an appliance to its other property or type, which are stored already. Components of a type that both
 * have stay as they are; the others are taken out of all lists with their history, and are brought back if the appliance
 * returns to their type. Scores the properties concerned, and returns the components that were scored in the new one.
 */
export async function moveAppliance(writer: PortfolioWriter, move: Move): Promise<Component[]> {
  const { before, after, from, to } = move;
  const { tx } = writer;
  await writer.insertUnscored([after.id]);
  await writer.auditCorrection("appliance.move", after.id, placeFields(before), placeFields(after));
  writer.moveSums(before, to.id);
  if (from.id !== to.id) {
    await moveApplianceToProperty(writer, before, to);
    for (const renewed of await rederiveServiceRecordStarts(writer, [from, to]))
      Object.assign(renewed.id === to.id ? to : from, renewed);
  }
  if (before.typeId !== after.typeId) await exchangeComponents(writer, after);
  if (from.id !== to.id) await rescoreProperty(writer, from, "all", "history");
  await tx.yieldToEventLoop();
  return await rescoreProperty(writer, to, "all", "history");
}

/** Moves an appliance's components and events to a property. Scores nothing. */
export async function moveApplianceToProperty(
  { tx }: PortfolioWriter,
  { id }: Pick<Appliance, "id">,
  to: Pick<Property, "id" | "state">,
): Promise<void> {
  await tx.components.followAppliances([id], to);
  // Components that are out of the lists keep their marks for when they are brought back.
  const components = [
    ...(await tx.components.ofAppliance(id)),
    ...(await tx.components.retiredOfAppliances([id])),
  ];
  await tx.work.follow([id, ...components.map((component) => component.id)], to.id);
  for (let after = { date: "", id: "" }; ; await tx.yieldToEventLoop()) {
    const last = await tx.serviceEvents.moveAfter(id, after, to.id, EVENTS_A_STEP);
    if (!last) return;
    after = last;
  }
}

async function exchangeComponents(writer: PortfolioWriter, appliance: Appliance): Promise<void> {
  const { tx, knowledge } = writer;
  const isKept = (component: Component) => isComponentOfType(knowledge, component, appliance.typeId);
  const present = await tx.components.ofAppliance(appliance.id);
  await writer.switchComponents(
    present.filter((component) => !isKept(component)),
    "out",
  );
  const former = (await tx.components.retiredOfAppliances([appliance.id])).filter(isKept);
  await writer.switchComponents(former, "back");
  const known = new Set([...present, ...former].map(({ defId }) => defId));
  const datesOf = await serviceDates(writer, appliance.id);
  for (const { id } of former) await tx.components.saveDates(id, datesOf(id));
  const createdAt = writer.rows.nextInstant();
  for (const { id: defId } of knowledge.type(appliance.typeId).components) {
    if (known.has(defId)) continue;
    const component = createComponentForPortfolioWriter(writer, { ...appliance, createdAt }, defId);
    writer.addComponent({ ...component, ...datesOf(component.id) });
  }
}

/** Returns when each component of an appliance was last replaced and serviced, by the events on record. */
async function serviceDates({ tx }: PortfolioWriter, applianceId: string) {
  const newest = await loadNewestServiceEventDays(tx, applianceId);
  return (componentId: string) => {
    const own = newest.filter((event) => event.componentId === null || event.componentId === componentId);
    const latest = (some: typeof own) =>
      some.reduce<Day | null>((day, { date }) => (day === null || date > day ? date : day), null);
    return {
      lastReplaced: latest(own.filter(({ eventType }) => eventType === "Replacement")),
      lastServiced: latest(own.filter(({ eventType }) => isServicingEventType(eventType))),
    };
  };
}

/** Returns the fields that a move changes, by their names in the API. */
const placeFields = ({ propertyId, unitId, typeId, size, installYear }: Appliance) => ({
  property_id: propertyId,
  unit_id: unitId,
  type_id: typeId,
  size,
  install_year: installYear,
});
