import { and, asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { PropertyTotals, Totals } from "../../domain/totals.ts";
import type { Engine } from "../engine.ts";
import { named } from "./named.ts";

const ph = sql.placeholder;

export type PartnerTotals = Totals & { properties: number; events: number };

const SUMS = [
  "appliances",
  "components",
  "serviceEvents",
  "critical",
  "warning",
  "criticalProactiveCents",
  "warningProactiveCents",
  "criticalReactiveCents",
  "warningReactiveCents",
] as const;
const PROPERTY_SUMS = [...SUMS, "rcvCents", "vitalCritical"] as const;
const PARTNER_SUMS = [...SUMS, "properties", "events"] as const;

export function totalsStore(engine: Engine) {
  const { db } = engine;
  const { componentTallies, partnerTotals, properties, propertyTotals } = engine.tables;
  const start = engine.prepared(() =>
    db.insert(propertyTotals).values({ propertyId: ph("propertyId"), partnerId: ph("partnerId") }),
  );
  const ofProperty = engine.prepared(() =>
    db
      .select()
      .from(propertyTotals)
      .where(eq(propertyTotals.propertyId, ph("propertyId"))),
  );
  const ofPartner = engine.read<PartnerTotals>(() =>
    db
      .select(named(getTableColumns(partnerTotals)))
      .from(partnerTotals)
      .where(eq(partnerTotals.partnerId, ph("partnerId"))),
  );
  const addProperty = engine.prepared(() =>
    db
      .update(propertyTotals)
      .set({
        ...Object.fromEntries(
          PROPERTY_SUMS.map((name) => [name, sql`${propertyTotals[name]} + ${ph(name)}`]),
        ),
        hasUnseen: sql`case when ${ph("components")} > 0 then true else ${propertyTotals.hasUnseen} end`,
      })
      .where(eq(propertyTotals.propertyId, ph("propertyId"))),
  );
  const addPartner = engine.prepared(() =>
    db
      .update(partnerTotals)
      .set(Object.fromEntries(PARTNER_SUMS.map((name) => [name, sql`${partnerTotals[name]} + ${ph(name)}`])))
      .where(eq(partnerTotals.partnerId, ph("partnerId"))),
  );
  const addTally = engine.write(() =>
    db
      .insert(componentTallies)
      .values({
        partnerId: ph("partnerId"),
        bucket: ph("bucket"),
        block: ph("block"),
        count: ph("count"),
      })
      .onConflictDoUpdate({
        target: [componentTallies.partnerId, componentTallies.bucket, componentTallies.block],
        set: { count: sql`${componentTallies.count} + excluded.count` },
      }),
  );
  const demo = engine.prepared(() =>
    db
      .select({ totals: propertyTotals })
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(and(eq(properties.partnerId, ph("partnerId")), engine.isTrue(properties.isDemo)))
      .orderBy(asc(properties.seq)),
  );

  return {
    async ofProperty(propertyId: string): Promise<PropertyTotals> {
      return (await ofProperty().execute({ propertyId }))[0]!;
    },
    async ofPartner(partnerId: string): Promise<PartnerTotals> {
      return (await ofPartner({ partnerId }))[0]!;
    },
    async ofDemoProperties(partnerId: string): Promise<PropertyTotals[]> {
      return (await demo().execute({ partnerId })).map((row) => row.totals);
    },
    async start(propertyId: string, partnerId: string): Promise<void> {
      await start().execute({ propertyId, partnerId });
    },
    async addToProperty(propertyId: string, delta: PropertyTotals): Promise<void> {
      await addProperty().execute({ propertyId, ...delta });
    },
    /** Says that a snapshot has seen all components of these. */
    async seen(propertyIds: readonly string[]): Promise<void> {
      await db
        .update(propertyTotals)
        .set({ hasUnseen: false })
        .where(
          and(inArray(propertyTotals.propertyId, [...propertyIds]), engine.isTrue(propertyTotals.hasUnseen)),
        );
    },
    async addToPartner(partnerId: string, delta: Partial<PartnerTotals>): Promise<void> {
      await addPartner().execute({ ...NOTHING, ...delta, partnerId });
    },
    async addTally(partnerId: string, bucket: number, block: number, count: number): Promise<void> {
      return addTally({ partnerId, bucket, block, count });
    },
  };
}

const NOTHING = Object.fromEntries(PARTNER_SUMS.map((name) => [name, 0])) as PartnerTotals;
