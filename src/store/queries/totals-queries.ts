import { and, asc, eq, getTableColumns, gt, sql } from "drizzle-orm";
import { PROPERTY_TOTALS, type PropertyTotals, type Totals } from "../../domain/figures/property-totals.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** Finds the demo properties of a partner that are not retired, given as `partnerId`. */
export function queryDemoPropertiesOfPartner(engine: Engine) {
  const { properties } = engine.tables;
  return and(
    eq(properties.partnerId, placeholder("partnerId")),
    engine.isTrue(properties.isDemo),
    gt(properties.seq, 0),
  );
}

/** The counts of lists leave out retired rows. */
export type PartnerTotals = Totals & {
  properties: number;
  events: number;
  /** The size of all photos. */
  photoBytes: number;
};

type PropertySize = Pick<PropertyTotals, "appliances" | "components">;

export const PROPERTY_SUMS = [...PROPERTY_TOTALS, "rcvCents", "dueCents", "vitalCritical"] as const;
const RETIRED_SUMS = ["retiredProperties", "retiredAppliances", "retiredComponents"] as const;
const PARTNER_SUMS = [...PROPERTY_TOTALS, "properties", "events", "photoBytes", ...RETIRED_SUMS] as const;

/** The totals as stored: the counts of lists are the numbers of their latest rows, retired ones included. */
export type StoredTotals = PartnerTotals & Record<(typeof RETIRED_SUMS)[number], number>;

/** Returns the columns of a property's totals by name. */
export function sqlPropertyTotalsColumns({ tables: { propertyTotals } }: Pick<Engine, "tables">) {
  const columns = PROPERTY_SUMS.map((name) => [name, propertyTotals[name]] as const);
  return Object.fromEntries(columns) as Pick<typeof propertyTotals, (typeof PROPERTY_SUMS)[number]>;
}

/** Reads and writes the stored sums of properties and partners, in cents. */
export function totalsStore(engine: Engine) {
  const { db } = engine;
  const { componentCounters, partnerTotals, properties, propertyTotals } = engine.tables;
  const start = engine.insertRow(propertyTotals, ["propertyId", "partnerId"]);
  const ofProperty = engine.prepared(() =>
    db
      .select()
      .from(propertyTotals)
      .where(eq(propertyTotals.propertyId, placeholder("propertyId"))),
  );
  const { propertyId, appliances, components } = propertyTotals;
  const sizesOf = engine.read<PropertySize & { propertyId: string }>(() =>
    db
      .select(aliasedSqlColumns({ propertyId, appliances, components }))
      .from(propertyTotals)
      .where(engine.isAmong(propertyTotals.propertyId, "propertyIds")),
  );
  const ofPartner = engine.read<StoredTotals>(() =>
    db
      .select(aliasedSqlColumns(getTableColumns(partnerTotals)))
      .from(partnerTotals)
      .where(eq(partnerTotals.partnerId, placeholder("partnerId"))),
  );
  const addProperty = engine.addToRow(propertyTotals, ["propertyId"], PROPERTY_SUMS, {
    computed: {
      hasUnseen: (given) =>
        sql`case when ${given("components")} > 0 then true else ${propertyTotals.hasUnseen} end`,
    },
  });
  const addPartner = engine.addToRow(partnerTotals, ["partnerId"], PARTNER_SUMS);
  const addToCounter = engine.addToRow(componentCounters, ["partnerId", "bucket", "block"], ["count"], {
    orInsert: true,
  });
  const seen = engine.prepared(() =>
    db
      .update(propertyTotals)
      .set({ hasUnseen: false })
      .where(
        and(
          engine.isAmong(propertyTotals.propertyId, "propertyIds"),
          engine.isTrue(propertyTotals.hasUnseen),
        ),
      ),
  );
  const demo = engine.read<PropertyTotals>(() =>
    db
      .select(aliasedSqlColumns(sqlPropertyTotalsColumns(engine)))
      .from(properties)
      .innerJoin(propertyTotals, eq(propertyTotals.propertyId, properties.id))
      .where(queryDemoPropertiesOfPartner(engine))
      .orderBy(asc(properties.seq)),
  );

  return {
    async ofProperty(propertyId: string): Promise<PropertyTotals> {
      return (await ofProperty().execute({ propertyId }))[0]!;
    },
    /** Returns the counts of each property. */
    async sizesOf(propertyIds: readonly string[]): Promise<Map<string, PropertySize>> {
      const rows = await sizesOf({ propertyIds: engine.list(propertyIds) });
      return new Map(rows.map((row) => [row.propertyId, row]));
    },
    async ofPartner(partnerId: string): Promise<PartnerTotals> {
      const [stored] = await ofPartner({ partnerId });
      // Undefined for a partner that was purged.
      return stored ? withoutRetired(stored) : stored!;
    },
    /** Returns the totals with the numbers of the latest rows. */
    async stored(partnerId: string): Promise<StoredTotals> {
      return (await ofPartner({ partnerId }))[0]!;
    },
    async ofDemoProperties(partnerId: string): Promise<PropertyTotals[]> {
      return demo({ partnerId });
    },
    async start(propertyId: string, partnerId: string): Promise<void> {
      return start({ propertyId, partnerId });
    },
    async addToProperty(propertyId: string, delta: PropertyTotals): Promise<void> {
      return addProperty({ propertyId, ...delta });
    },
    /** Records that a snapshot has scored all components of these properties. */
    async seen(propertyIds: readonly string[]): Promise<void> {
      if (propertyIds.length > 0) await seen().execute({ propertyIds: engine.list(propertyIds) });
    },
    async addToPartner(partnerId: string, delta: Partial<StoredTotals>): Promise<void> {
      return addPartner({ ...NOTHING, ...delta, partnerId });
    },
    async addToCounter(partnerId: string, bucket: number, block: number, count: number): Promise<void> {
      return addToCounter({ partnerId, bucket, block, count });
    },
  };
}

const NOTHING = Object.fromEntries(PARTNER_SUMS.map((name) => [name, 0])) as StoredTotals;

function withoutRetired({
  retiredProperties,
  retiredAppliances,
  retiredComponents,
  ...stored
}: StoredTotals): PartnerTotals {
  return {
    ...stored,
    properties: stored.properties - retiredProperties,
    appliances: stored.appliances - retiredAppliances,
    components: stored.components - retiredComponents,
  };
}
