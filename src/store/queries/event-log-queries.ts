import { and, asc, eq, getTableColumns, gt, gte, sql } from "drizzle-orm";
import type { Appliance } from "../../domain/appliance.ts";
import type { Property } from "../../domain/property.ts";
import type { ServiceEvent } from "../../domain/service-event.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import type { Tables } from "../store-schema.ts";
import type { StoredRowRange } from "../stored-row-range.ts";

const { placeholder } = sql;

type LogEntry = Tables["eventLog"]["$inferSelect"];

/** An entry with the record that it refers to, by its kind. */
export type HistoryEntry = LogEntry & {
  property: Pick<Property, "id" | "name" | "address" | "city" | "state" | "source"> | null;
  appliance: Pick<Appliance, "id" | "typeId" | "propertyId"> | null;
  serviceEvent: Pick<
    ServiceEvent,
    "id" | "eventType" | "applianceId" | "totalCostCents" | "date" | "voidedAt"
  > | null;
};

/** Reads and writes the event stream, in the order of `created_at`. */
export function eventLogStore(engine: Engine) {
  const { db } = engine;
  const { appliances, eventLog, properties, serviceEvents } = engine.tables;
  const insert = engine.insertRow(eventLog, "all");
  const first = engine.prepared(() =>
    db
      .select({ seq: eventLog.seq })
      .from(eventLog)
      .where(
        and(eq(eventLog.partnerId, placeholder("partnerId")), gt(eventLog.createdAt, placeholder("since"))),
      )
      .orderBy(asc(eventLog.createdAt))
      .limit(1),
  );
  const page = engine.prepared(() =>
    db
      .select({
        ...getTableColumns(eventLog),
        property: {
          id: properties.id,
          name: properties.name,
          address: properties.address,
          city: properties.city,
          state: properties.state,
          source: properties.source,
        },
        appliance: { id: appliances.id, typeId: appliances.typeId, propertyId: appliances.propertyId },
        serviceEvent: {
          id: serviceEvents.id,
          eventType: serviceEvents.eventType,
          applianceId: serviceEvents.applianceId,
          totalCostCents: serviceEvents.totalCostCents,
          date: serviceEvents.date,
          voidedAt: serviceEvents.voidedAt,
        },
      })
      .from(eventLog)
      .leftJoin(properties, and(eq(eventLog.kind, "property"), eq(properties.id, eventLog.subjectId)))
      .leftJoin(appliances, and(eq(eventLog.kind, "appliance"), eq(appliances.id, eventLog.subjectId)))
      .leftJoin(
        serviceEvents,
        and(eq(eventLog.kind, "service_event"), eq(serviceEvents.id, eventLog.subjectId)),
      )
      .where(and(eq(eventLog.partnerId, placeholder("partnerId")), gte(eventLog.seq, placeholder("from"))))
      .orderBy(asc(eventLog.seq))
      .limit(placeholder("limit")),
  );
  return {
    async insert(entry: LogEntry): Promise<void> {
      return insert({ ...entry });
    },
    /** Returns the number of the first entry after `since`; undefined if there is none. */
    async firstSince(partnerId: string, since: Instant): Promise<number | undefined> {
      return (await first().execute({ partnerId, since }))[0]?.seq;
    },
    /** Returns entries with numbers from `from`, in order. */
    async page(partnerId: string, from: number, limit: StoredRowRange["limit"]): Promise<HistoryEntry[]> {
      return (await page().execute({ partnerId, from, limit })) as HistoryEntry[];
    },
  };
}
