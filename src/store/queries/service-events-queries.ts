import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, or, type SQLWrapper, sql } from "drizzle-orm";
import type { BilledEvent } from "../../domain/costs/cost-history.ts";
import type { NoteReading } from "../../domain/scoring/note-findings.ts";
import type { DayRange } from "../../domain/scoring/service-record-start.ts";
import type { Condition, EventType, ServiceEvent } from "../../domain/service-event.ts";
import type { Day } from "../../domain/time.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { Engine } from "../store-engine.ts";
import type { Tables } from "../store-schema.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** The columns of an event that scoring reads. */
export type EventEvidenceRow = {
  applianceId: string;
  componentId: string | null;
  eventType: EventType;
  date: Day;
  conditionAfter: Condition | null;
} & Pick<NoteReading, "noteKey" | "findings" | "hazards"> &
  Unread;

type Unread = {
  id: string;
  /** The note, if it was not analyzed with the requested rules yet. */
  unread: string | null;
};

/** The columns of an event that inspections read. */
export type InspectionRow = Pick<ServiceEvent, "applianceId" | "eventType" | "date" | "conditionAfter"> &
  Unread & {
    isRated: boolean | 0 | 1;
    /** The definition of its component; null for an event of the whole appliance. */
    componentDefId: string | null;
    /** As JSON. */
    inspectionTypes: string | null;
    notedInspections: string | null;
  };

/** An event on a day: its component (null for the whole appliance), and the instant at which it was logged. */
export type DayEvent = Pick<ServiceEvent, "id" | "componentId" | "eventType" | "createdAt">;

/** The newest day of a type of event on a component, or on its whole appliance. */
export type NewestDay = Pick<ServiceEvent, "componentId" | "eventType" | "date">;
type DatedEvent = NewestDay & Pick<ServiceEvent, "id" | "voidedAt">;

/** An event on a day: the columns that rows of an import are matched by. */
type MatchedEvent = Pick<ServiceEvent, "id" | "componentId" | "eventType" | "notes">;

/** A range of days of a property. */
type PropertyDayRange = DayRange & { propertyId: string };

/** The outcome of a component that an event records: a failure, a repair or a replacement. */
export type EventOutcome = Tables["outcomes"]["$inferSelect"];

/** Reads and writes service events, with costs in cents. */
export function serviceEventStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { appliances, components, outcomes, serviceEvents } = engine.tables;
  const evidenceColumns = {
    applianceId: serviceEvents.applianceId,
    componentId: serviceEvents.componentId,
    eventType: serviceEvents.eventType,
    date: serviceEvents.date,
    conditionAfter: serviceEvents.conditionAfter,
    id: serviceEvents.id,
    noteKey: serviceEvents.noteKey,
    findings: serviceEvents.findings,
    hazards: serviceEvents.hazards,
  };
  const insert = engine.insertRow(serviceEvents, "all");
  const saveReading = engine.setRow(serviceEvents, "id", [
    "noteKey",
    "findings",
    "notedInspections",
    "readBy",
    "hazards",
  ]);
  const ofAppliances = engine.prepared(() =>
    db
      .select()
      .from(serviceEvents)
      .where(and(isAmong(serviceEvents.applianceId, "applianceIds"), isNull(serviceEvents.voidedAt)))
      .limit(placeholder("limit")),
  );
  const unread = () =>
    sql`case when ${serviceEvents.readBy} is not distinct from ${placeholder("readBy")} then null else ${serviceEvents.notes} end`.as(
      "unread",
    );
  const evidenceRows = () =>
    db
      .select({ ...aliasedSqlColumns(evidenceColumns), unread: unread() })
      .from(serviceEvents)
      .$dynamic();
  const inspectionRows = () =>
    db
      .select({
        ...aliasedSqlColumns({
          id: serviceEvents.id,
          applianceId: serviceEvents.applianceId,
          eventType: serviceEvents.eventType,
          date: serviceEvents.date,
          conditionAfter: serviceEvents.conditionAfter,
          componentDefId: components.defId,
          inspectionTypes: serviceEvents.inspectionTypes,
          notedInspections: serviceEvents.notedInspections,
        }),
        isRated: sql<boolean | 0 | 1>`${serviceEvents.conditionScore} is not null`.as("isRated"),
        unread: unread(),
      })
      .from(serviceEvents)
      .leftJoin(components, eq(components.id, serviceEvents.componentId))
      .$dynamic();
  const counts = isNull(serviceEvents.voidedAt);
  const isOfAppliances = and(isAmong(serviceEvents.applianceId, "applianceIds"), counts);
  const evidence = engine.read<EventEvidenceRow>(() =>
    evidenceRows().where(isOfAppliances).limit(placeholder("limit")),
  );
  const inspections = engine.read<InspectionRow>(() =>
    inspectionRows().where(isOfAppliances).limit(placeholder("limit")),
  );
  const isAfter = and(
    eq(serviceEvents.applianceId, placeholder("applianceId")),
    sql`(${serviceEvents.date}, ${serviceEvents.id}) > (${placeholder("date")}, ${placeholder("id")})`,
  );
  const isOfApplianceAfter = and(isAfter, counts);
  const inOrder = [asc(serviceEvents.date), asc(serviceEvents.id)] as const;
  const evidenceAfter = engine.read<EventEvidenceRow>(() =>
    evidenceRows()
      .where(isOfApplianceAfter)
      .orderBy(...inOrder)
      .limit(placeholder("limit")),
  );
  const inspectionsAfter = engine.read<InspectionRow>(() =>
    inspectionRows()
      .where(isOfApplianceAfter)
      .orderBy(...inOrder)
      .limit(placeholder("limit")),
  );
  const earliestOfAppliances = (from: SQLWrapper, before: SQLWrapper) => {
    const first = db
      .select({ date: serviceEvents.date })
      .from(serviceEvents)
      .where(
        and(
          eq(serviceEvents.applianceId, appliances.id),
          gte(serviceEvents.date, from),
          lt(serviceEvents.date, before),
          counts,
        ),
      )
      .orderBy(...inOrder)
      .limit(1);
    return sql`min((${first}))`.as("date");
  };
  const earliestDay = engine.read<{ date: Day | null }>(() =>
    db
      .select({ date: earliestOfAppliances(sql`${placeholder("from")}`, sql`${placeholder("before")}`) })
      .from(appliances)
      .where(eq(appliances.propertyId, placeholder("propertyId"))),
  );
  const earliestDays = engine.read<{ propertyId: string; date: Day | null }>(() => {
    const ranges = sql`unnest(${placeholder("ids")}::text[], ${placeholder("froms")}::text[], ${placeholder("befores")}::text[]) as asked (id, since, before)`;
    const id = sql`asked.id`;
    return db
      .select({
        propertyId: id.as("propertyId"),
        date: earliestOfAppliances(sql`asked.since`, sql`asked.before`),
      })
      .from(ranges)
      .innerJoin(appliances, eq(appliances.propertyId, id))
      .groupBy(id);
  });
  /** Makes a read of an appliance's events of a day with an ID after another, with one more column. */
  const ofDay = <T>(more: Parameters<typeof aliasedSqlColumns>[0]) =>
    engine.read<T>(() =>
      db
        .select(
          aliasedSqlColumns({
            id: serviceEvents.id,
            componentId: serviceEvents.componentId,
            eventType: serviceEvents.eventType,
            ...more,
          }),
        )
        .from(serviceEvents)
        .where(
          and(
            eq(serviceEvents.applianceId, placeholder("applianceId")),
            eq(serviceEvents.date, placeholder("date")),
            gt(serviceEvents.id, placeholder("after")),
            counts,
          ),
        )
        .orderBy(asc(serviceEvents.id))
        .limit(placeholder("limit")),
    );
  const ofDayAfter = ofDay<DayEvent>({ createdAt: serviceEvents.createdAt });
  const matchedOfDayAfter = ofDay<MatchedEvent>({ notes: serviceEvents.notes });
  const billedAfter = engine.read<BilledEvent & { id: string }>(() =>
    db
      .select(
        aliasedSqlColumns({
          id: serviceEvents.id,
          applianceId: serviceEvents.applianceId,
          componentId: serviceEvents.componentId,
          componentDefId: components.defId,
          ownPlannedCents: components.ownPlannedCents,
          ownFailedCents: components.ownFailedCents,
          eventType: serviceEvents.eventType,
          date: serviceEvents.date,
          costCents: serviceEvents.totalCostCents,
        }),
      )
      .from(serviceEvents)
      .leftJoin(components, eq(components.id, serviceEvents.componentId))
      .where(
        and(
          isAmong(serviceEvents.applianceId, "applianceIds"),
          gte(serviceEvents.date, placeholder("from")),
          counts,
          sql`${serviceEvents.eventType} in ('Replacement', 'Emergency Repair')`,
          sql`(${serviceEvents.applianceId}, ${serviceEvents.date}, ${serviceEvents.eventType}, ${serviceEvents.id}) > (${placeholder("applianceId")}, ${placeholder("date")}, ${placeholder("eventType")}, ${placeholder("id")})`,
        ),
      )
      .orderBy(
        asc(serviceEvents.applianceId),
        asc(serviceEvents.date),
        asc(serviceEvents.eventType),
        asc(serviceEvents.id),
      )
      .limit(placeholder("limit")),
  );
  const { id, componentId, eventType, date, voidedAt } = serviceEvents;
  const daysAfter = engine.read<DatedEvent>(() =>
    db
      .select(aliasedSqlColumns({ id, componentId, eventType, date, voidedAt }))
      .from(serviceEvents)
      .where(isAfter)
      .orderBy(...inOrder)
      .limit(placeholder("limit")),
  );
  const insertOutcome = engine.insertRow(outcomes, "all", { unlessThere: true });

  return {
    async insert(event: ServiceEvent, reading: NoteReading): Promise<void> {
      const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));
      const [inspectionTypes, conditionScore] = [jsonOf(event.inspectionTypes), jsonOf(event.conditionScore)];
      return insert({ ...event, ...reading, inspectionTypes, conditionScore });
    },
    async saveReading(id: string, reading: NoteReading): Promise<void> {
      return saveReading({ id, ...reading });
    },
    /** Writes all fields of an event, and the findings of its note. */
    async update(event: ServiceEvent, reading: NoteReading): Promise<void> {
      await db
        .update(serviceEvents)
        .set({ ...event, ...reading })
        .where(eq(serviceEvents.id, event.id));
    },
    /**
     * Writes another property to at most `limit` events of an appliance after a position in the order of days; returns the
     * position of the last one, undefined if there are none.
     */
    async moveAfter(
      applianceId: string,
      after: { date: Day; id: string },
      propertyId: string,
      limit: number,
    ): Promise<{ date: Day; id: string } | undefined> {
      const some = await daysAfter({ applianceId, ...after, limit });
      if (some.length === 0) return undefined;
      const ids = some.map(({ id }) => id);
      await db.update(serviceEvents).set({ propertyId }).where(inArray(serviceEvents.id, ids));
      return some.at(-1);
    },
    /** Returns the days of an appliance's events after `last`, ordered from the oldest. They include voided events. */
    async daysAfter(
      applianceId: string,
      { date, id }: Pick<ServiceEvent, "date" | "id">,
      limit: number,
    ): Promise<DatedEvent[]> {
      return daysAfter({ applianceId, date, id, limit });
    },
    /** Deletes what was recorded of components at an event that was voided or changed. */
    async deleteOutcomes(serviceEventId: string): Promise<void> {
      await db.delete(outcomes).where(eq(outcomes.serviceEventId, serviceEventId));
    },
    /**
     * Returns the columns for scoring of at most `limit` events of the appliances, in no order, with the notes that were not
     * analyzed with the rules `readBy`.
     */
    async evidence(
      applianceIds: readonly string[],
      readBy: string,
      limit: number,
    ): Promise<EventEvidenceRow[]> {
      return evidence({ applianceIds: engine.list(applianceIds), readBy, limit });
    },
    /** Returns the columns for scoring of an appliance's events after `last`, ordered from the oldest. */
    async evidenceAfter(
      applianceId: string,
      readBy: string,
      last: Pick<EventEvidenceRow, "date" | "id"> | undefined,
      limit: number,
    ): Promise<EventEvidenceRow[]> {
      const { date, id } = last ?? { date: "", id: "" };
      return evidenceAfter({ applianceId, readBy, date, id, limit });
    },
    /** Returns the columns for inspections of at most `limit` events of the appliances, in no order. */
    async inspections(
      applianceIds: readonly string[],
      readBy: string,
      limit: number,
    ): Promise<InspectionRow[]> {
      return inspections({ applianceIds: engine.list(applianceIds), readBy, limit });
    },
    /** Returns the columns for inspections of an appliance's events after `last`, ordered from the oldest. */
    async inspectionsAfter(
      applianceId: string,
      readBy: string,
      last: Pick<InspectionRow, "date" | "id"> | undefined,
      limit: number,
    ): Promise<InspectionRow[]> {
      const { date, id } = last ?? { date: "", id: "" };
      return inspectionsAfter({ applianceId, readBy, date, id, limit });
    },
    /**
     * Returns the earliest days with an event of properties' appliances, each in a range of its own; nothing for a property
     * without one. Looks up each appliance in an index, however many events it has.
     */
    async earliestDays(ranges: readonly PropertyDayRange[], yieldNow: Yield): Promise<Map<string, Day>> {
      const found: { propertyId: string; date: Day | null }[] = [];
      // There is no round trip to save on SQLite, where one statement for all would block the event loop.
      if (engine.dialect === "sqlite")
        for (const { propertyId, from, before } of ranges) {
          for (const { date } of await earliestDay({ propertyId, from, before }))
            found.push({ propertyId, date });
          await yieldNow();
        }
      else if (ranges.length > 0)
        found.push(
          ...(await earliestDays({
            ids: engine.list(ranges.map(({ propertyId }) => propertyId)),
            froms: engine.list(ranges.map(({ from }) => from)),
            befores: engine.list(ranges.map(({ before }) => before)),
          })),
        );
      return new Map(found.flatMap(({ propertyId, date }) => (date === null ? [] : [[propertyId, date]])));
    },
    /** Returns the events of appliances that count, in no order; undefined if there are more than `most`. */
    async ofAppliances(applianceIds: readonly string[], most: number): Promise<ServiceEvent[] | undefined> {
      if (applianceIds.length === 0) return [];
      const found = await ofAppliances().execute({
        applianceIds: engine.list(applianceIds),
        limit: most + 1,
      });
      return found.length > most ? undefined : (found as ServiceEvent[]);
    },
    /**
     * Returns at most `limit` events of a component's history, ordered from the newest: its own and those of its whole appliance
     * that count. With `last`, returns those after it.
     */
    async ofComponent(
      { applianceId, id: componentId }: { applianceId: string; id: string },
      limit: number,
      last?: Pick<ServiceEvent, "date" | "id">,
    ): Promise<ServiceEvent[]> {
      const events = await db
        .select()
        .from(serviceEvents)
        .where(
          and(
            eq(serviceEvents.applianceId, applianceId),
            counts,
            or(isNull(serviceEvents.componentId), eq(serviceEvents.componentId, componentId)),
            last && sql`(${serviceEvents.date}, ${serviceEvents.id}) < (${last.date}, ${last.id})`,
          ),
        )
        .orderBy(desc(serviceEvents.date), desc(serviceEvents.id))
        .limit(limit);
      return events as ServiceEvent[];
    },
    /** Returns the events of an appliance that count, ordered from the oldest. */
    async ofAppliance(applianceId: string): Promise<ServiceEvent[]> {
      const rows = await db
        .select()
        .from(serviceEvents)
        .where(and(eq(serviceEvents.applianceId, applianceId), counts))
        .orderBy(asc(serviceEvents.date), asc(serviceEvents.id));
      return rows as ServiceEvent[];
    },
    /** Returns an appliance's events on a day with ids after `after`, in order; "" returns all. */
    async ofDayAfter(applianceId: string, date: Day, after: string, limit: number): Promise<DayEvent[]> {
      return ofDayAfter({ applianceId, date, after, limit });
    },
    /** Returns the same events with the columns that rows of an import are matched by. */
    async matchedOfDayAfter(
      applianceId: string,
      date: Day,
      after: string,
      limit: number,
    ): Promise<MatchedEvent[]> {
      return matchedOfDayAfter({ applianceId, date, after, limit });
    },
    /**
     * Returns the Replacements and Emergency Repairs of appliances from a day on, after `last`, ordered by appliance and date;
     * of a day, the Emergency Repairs come first.
     */
    async billedAfter(
      applianceIds: readonly string[],
      from: Day,
      last: (BilledEvent & { id: string }) | undefined,
      limit: number,
    ): Promise<(BilledEvent & { id: string })[]> {
      const { applianceId, date, eventType, id } = last ?? {
        applianceId: "",
        date: "",
        eventType: "",
        id: "",
      };
      const applianceIdList = engine.list(applianceIds);
      return billedAfter({ applianceIds: applianceIdList, from, applianceId, date, eventType, id, limit });
    },
    /** Inserts an outcome, unless there is one of the event and component. */
    async insertOutcome(outcome: EventOutcome): Promise<void> {
      return insertOutcome({ ...outcome });
    },
    /** Returns the partner of an event; undefined for an unknown one. */
    async ownerOf(id: string): Promise<string | undefined> {
      const rows = await db
        .select({ partnerId: serviceEvents.partnerId })
        .from(serviceEvents)
        .where(eq(serviceEvents.id, id));
      return rows[0]?.partnerId;
    },
    async outcomesOf(componentId: string): Promise<EventOutcome[]> {
      return await db.select().from(outcomes).where(eq(outcomes.componentId, componentId));
    },
    /** Returns an event of the partner, also a voided one. */
    async find(partnerId: string, id: string): Promise<ServiceEvent | undefined> {
      const rows = await db
        .select()
        .from(serviceEvents)
        .where(and(eq(serviceEvents.id, id), eq(serviceEvents.partnerId, partnerId)));
      return rows[0] as ServiceEvent | undefined;
    },
  };
}
