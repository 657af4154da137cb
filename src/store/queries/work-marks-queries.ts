import { and, asc, desc, eq, gt, gte, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import type { ServiceEvent } from "../../domain/service-event.ts";
import { type Day, dayOf, type Instant } from "../../domain/time.ts";
import type { Work } from "../../domain/work-mark.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** The values of an event that a request states; null for one that it does not, and for a whole appliance's component. */
type StatedEvent = Pick<
  ServiceEvent,
  | "applianceId"
  | "componentId"
  | "eventType"
  | "date"
  | "technician"
  | "notes"
  | "totalCostCents"
  | "conditionAfter"
>;

/** Events of an appliance on a day, which may be tens of thousands, that are compared with what a request states. */
const EVENTS_COMPARED = 2000;

type Place = { partnerId: string; propertyId: string };

/** Reads and writes the marks on work that is ordered or deferred, and finds the service events that did it. */
export function workMarkStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { serviceEvents, workStates: t } = engine.tables;
  const columns = aliasedSqlColumns({
    subjectId: t.subjectId,
    applianceId: t.applianceId,
    componentId: t.componentId,
    state: t.state,
    until: t.until,
    by: t.by,
    reason: t.reason,
    markedAt: t.markedAt,
  });
  const holds = isNull(t.endedBy);
  const find = engine.read<Work>(() =>
    db
      .select(columns)
      .from(t)
      .where(and(eq(t.subjectId, placeholder("subjectId")), holds)),
  );
  const ofProperty = engine.read<Work>(() =>
    db
      .select(columns)
      .from(t)
      .where(and(eq(t.propertyId, placeholder("propertyId")), gt(t.subjectId, placeholder("after")), holds))
      .orderBy(asc(t.subjectId))
      .limit(placeholder("limit")),
  );
  const isOfSubjects = isAmong(t.subjectId, "subjectIds");
  const among = engine.read<Work>(() => db.select(columns).from(t).where(and(isOfSubjects, holds)));
  const endedBy = engine.read<Work>(() =>
    db
      .select(columns)
      .from(t)
      .where(eq(t.endedBy, placeholder("eventId"))),
  );
  const marked = {
    state: sql`${placeholder("state")}`,
    until: sql`${placeholder("until")}`,
    by: sql`${placeholder("by")}`,
    reason: sql`${placeholder("reason")}`,
    markedAt: sql`${placeholder("markedAt")}`,
  };
  const save = engine.write(() =>
    db
      .insert(t)
      .values({
        ...marked,
        subjectId: sql`${placeholder("subjectId")}`,
        partnerId: sql`${placeholder("partnerId")}`,
        propertyId: sql`${placeholder("propertyId")}`,
        applianceId: sql`${placeholder("applianceId")}`,
        componentId: sql`${placeholder("componentId")}`,
      })
      .onConflictDoUpdate({ target: t.subjectId, set: { ...marked, endedBy: null } }),
  );
  const end = engine.write(() =>
    db
      .update(t)
      .set({ endedBy: sql`${placeholder("eventId")}` })
      .where(and(isOfSubjects, lt(t.markedAt, placeholder("before")), holds)),
  );
  const setEnd = engine.setRow(t, "subjectId", ["endedBy"]);
  const remove = engine.write(() => db.delete(t).where(eq(t.subjectId, placeholder("subjectId"))));
  const isOfComponent = sql`(${serviceEvents.componentId} is null or ${serviceEvents.componentId} = ${placeholder("componentId")})`;
  const isOfDay = and(
    eq(serviceEvents.applianceId, placeholder("applianceId")),
    eq(serviceEvents.date, placeholder("date")),
  );
  const replacementsOnDay = engine.read<{ componentId: string | null; id: string }>(() =>
    db
      .select({
        ...aliasedSqlColumns({ componentId: serviceEvents.componentId }),
        id: sql<string>`max(${serviceEvents.id})`.as("id"),
      })
      .from(serviceEvents)
      .where(and(isOfDay, eq(serviceEvents.eventType, sql`'Replacement'`), isNull(serviceEvents.voidedAt)))
      .groupBy(serviceEvents.componentId),
  );
  const newestOfDay = db
    .select({
      id: serviceEvents.id,
      componentId: serviceEvents.componentId,
      eventType: serviceEvents.eventType,
      technician: serviceEvents.technician,
      notes: serviceEvents.notes,
      conditionAfter: serviceEvents.conditionAfter,
      totalCostCents: serviceEvents.totalCostCents,
      voidedAt: serviceEvents.voidedAt,
    })
    .from(serviceEvents)
    .where(isOfDay)
    .orderBy(desc(serviceEvents.id))
    .limit(EVENTS_COMPARED)
    .as("newest_of_day");
  /** The condition that a value is as stated, or that none was stated. */
  const isAsStated = (name: "notes" | "conditionAfter" | "totalCostCents", none: SQL) =>
    sql`coalesce(${newestOfDay[name]}, ${none}) = coalesce(${placeholder(name)}, ${newestOfDay[name]}, ${none})`;
  const sameOnDay = engine.read<{ id: string }>(() =>
    db
      .select(aliasedSqlColumns({ id: newestOfDay.id }))
      .from(newestOfDay)
      .where(
        and(
          eq(newestOfDay.eventType, placeholder("eventType")),
          sql`coalesce(${newestOfDay.componentId}, '') = ${placeholder("componentId")}`,
          eq(newestOfDay.technician, placeholder("technician")),
          isAsStated("notes", sql`''`),
          isAsStated("conditionAfter", sql`''`),
          isAsStated("totalCostCents", sql`-1`),
          isNull(newestOfDay.voidedAt),
        ),
      )
      .orderBy(desc(newestOfDay.id))
      .limit(1),
  );
  const replacementAfter = engine.read<{ id: string }>(() =>
    db
      .select(aliasedSqlColumns({ id: serviceEvents.id }))
      .from(serviceEvents)
      .where(
        and(
          eq(serviceEvents.applianceId, placeholder("applianceId")),
          gte(serviceEvents.date, placeholder("date")),
          eq(serviceEvents.eventType, sql`'Replacement'`),
          isOfComponent,
          gte(serviceEvents.createdAt, placeholder("markedAt")),
          ne(serviceEvents.id, placeholder("without")),
          isNull(serviceEvents.voidedAt),
        ),
      )
      .orderBy(asc(serviceEvents.date), asc(serviceEvents.id))
      .limit(1),
  );
  const follow = engine.write(() =>
    db
      .update(t)
      .set({ propertyId: sql`${placeholder("to")}` })
      .where(isOfSubjects),
  );

  return {
    async find(subjectId: string): Promise<Work | undefined> {
      return (await find({ subjectId }))[0];
    },
    /** Returns the marks that a service event ended. */
    async endedBy(eventId: string): Promise<Work[]> {
      return await endedBy({ eventId });
    },
    /** Returns the marked work of a property after a subject, by the IDs of the subjects. */
    async ofProperty(propertyId: string, after: string, limit: number): Promise<Work[]> {
      return await ofProperty({ propertyId, after, limit });
    },
    async ofSubjects(subjectIds: readonly string[]): Promise<Work[]> {
      return await among({ subjectIds: engine.list(subjectIds) });
    },
    /** Marks work, whatever it was marked as. */
    async save(work: Work, place: Place): Promise<void> {
      return save({ ...work, ...place });
    },
    /** Ends the marks of subjects that were made before an instant: the event did the work. */
    async end(subjectIds: readonly string[], before: Instant, eventId: string): Promise<void> {
      return end({ subjectIds: engine.list(subjectIds), before, eventId });
    },
    /** Changes the event that ended a mark; null lets it hold again. */
    async setEnd(subjectId: string, endedBy: string | null): Promise<void> {
      return setEnd({ subjectId, endedBy });
    },
    async remove(subjectId: string): Promise<void> {
      return remove({ subjectId });
    },
    /** Returns the latest Replacement that counts on a day of each component, and of the whole appliance. */
    async replacementsOnDay(
      applianceId: string,
      date: Day,
    ): Promise<{ componentId: string | null; id: string }[]> {
      return await replacementsOnDay({ applianceId, date });
    },
    /**
     * Returns the latest event that counts with the same type, day, subject and technician, and with all else that is stated,
     * among the newest of the day.
     */
    async sameEvent({ componentId, ...stated }: StatedEvent): Promise<string | undefined> {
      return (await sameOnDay({ ...stated, componentId: componentId ?? "" }))[0]?.id;
    },
    /** Returns a Replacement other than `without` that did the work of a mark: by its day, and logged after it. */
    async replacementAfter(
      { applianceId, componentId, markedAt }: Pick<Work, "applianceId" | "componentId" | "markedAt">,
      without: string,
    ): Promise<string | undefined> {
      const subject = { applianceId, componentId: componentId ?? "" };
      const found = await replacementAfter({ ...subject, markedAt, date: dayOf(markedAt), without });
      return found[0]?.id;
    },
    /** Moves the marks of subjects to a property. */
    async follow(subjectIds: readonly string[], to: string): Promise<void> {
      return follow({ subjectIds: engine.list(subjectIds), to });
    },
  };
}
