import { centsFromUsd } from "../../domain/costs/usd-cents.ts";
import { conflict } from "../../domain/errors.ts";
import type { Property } from "../../domain/property.ts";
import type { NewServiceEvent } from "../../domain/service-event.ts";
import { addDays, type Day, dayOf, yearOf } from "../../domain/time.ts";
import { ClaimLog } from "../claims/record-claims.ts";
import { ServiceLog } from "../history/record-service-events.ts";
import { createAppliance } from "../portfolio/create-or-change-appliance.ts";
import { createPropertyAndQueueWebhook } from "../portfolio/create-or-change-property.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { rescoreProperty } from "../rescoring/rescore.ts";
import { DEMO_PROPERTY, type DemoAppliance, type DemoVisit } from "./demo-property-content.ts";

type CreatedDemo = { property: Property; appliances: number; components: number };

export const demoPropertyExistsError = () => conflict("Demo property already exists");

/**
 * Creates a demo property for the partner, with appliances, ten years of service events and a claim, dated back
 * from today: the same for all callers on one day. Throws conflict if the partner has one already.
 */
export async function createDemoProperty(writer: PortfolioWriter): Promise<CreatedDemo> {
  const { tx, partner } = writer;
  if ((await tx.properties.demo(partner.id)).length > 0) throw demoPropertyExistsError();
  const today = dayOf(tx.now);
  const { ageYears, estimatedValue, ...described } = DEMO_PROPERTY.property;
  const property = await createPropertyAndQueueWebhook(
    writer,
    {
      ...described,
      yearBuilt: yearOf(today) - ageYears,
      estimatedValueCents: centsFromUsd(estimatedValue),
      partnerPropertyId: null,
    },
    { source: "demo", isDemo: true },
  );
  const units = await tx.units.page(property.id, { limit: property.unitCount, offset: 0 });
  let components = 0;
  const events: NewServiceEvent[] = [];
  for (const demo of DEMO_PROPERTY.appliances) {
    const unitId = demo.unit === undefined ? null : units[demo.unit - 1]!.id;
    const { appliance, components: made } = await createAppliance(
      writer,
      newAppliance(demo, property.id, unitId, today),
    );
    components += made.length;
    const idOf = new Map(made.map(({ defId, id }) => [defId, id]));
    for (const visit of demo.visits) events.push(...eventsOf(visit, appliance.id, idOf, today));
  }
  await logInOrder(writer, events);
  await recordClaim(writer, property, today);
  const recorded = (await tx.properties.find(partner.id, property.id))!;
  await rescoreProperty(writer, recorded, "all", "history");
  return { property: recorded, appliances: DEMO_PROPERTY.appliances.length, components };
}

function newAppliance(demo: DemoAppliance, propertyId: string, unitId: string | null, today: Day) {
  return {
    propertyId,
    unitId,
    typeId: demo.typeId,
    brand: demo.brand ?? null,
    model: demo.model ?? null,
    serial: demo.serial ?? null,
    brandTier: null,
    usageIntensity: demo.usageIntensity ?? null,
    installYear: yearOf(today) - demo.ageYears,
    warrantyExpiry: demo.warrantyDays === undefined ? null : addDays(today, demo.warrantyDays),
  };
}

function eventsOf(
  visit: DemoVisit,
  applianceId: string,
  idOf: ReadonlyMap<string, string>,
  today: Day,
): NewServiceEvent[] {
  const { every = 0, times = 1 } = visit;
  return Array.from({ length: times }, (_, n) => ({
    applianceId,
    componentId: visit.on === undefined ? null : idOf.get(visit.on)!,
    eventType: visit.type,
    date: addDays(today, -(visit.daysAgo + n * every)),
    technician: visit.by ?? null,
    partsCostCents: cents(visit.parts),
    laborCostCents: cents(visit.labor),
    totalCostCents: null,
    notes: visit.notes ?? null,
    conditionAfter: visit.condition ?? null,
  }));
}

/** Logs events oldest first, as the event stream orders them. */
async function logInOrder(writer: PortfolioWriter, events: readonly NewServiceEvent[]): Promise<void> {
  const log = new ServiceLog(writer);
  for (const event of events.toSorted((a, b) => a.date.localeCompare(b.date))) await log.add(event);
  await log.finish();
}

/** Records a claim; the caller scores afterwards. */
async function recordClaim(writer: PortfolioWriter, property: Property, today: Day): Promise<void> {
  const { daysAgo, amount, ...claim } = DEMO_PROPERTY.claim;
  const [dateOfLoss, amountCents] = [addDays(today, -daysAgo), centsFromUsd(amount)];
  await new ClaimLog(writer, property).add({ ...claim, dateOfLoss, amountCents });
}

const cents = (usd: number | undefined) => (usd === undefined ? null : centsFromUsd(usd));
