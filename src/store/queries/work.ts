import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Work } from "../../domain/work.ts";
import type { Engine } from "../engine.ts";
import { aliased } from "./sql-column-aliases.ts";

const { placeholder } = sql;

type Place = { partnerId: string; propertyId: string };

/** Reads and writes the marks on work that is ordered or deferred. */
export function workMarkStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { workStates: t } = engine.tables;
  const columns = aliased({
    subjectId: t.subjectId,
    applianceId: t.applianceId,
    componentId: t.componentId,
    state: t.state,
    until: t.until,
    by: t.by,
    reason: t.reason,
    markedAt: t.markedAt,
  });
  const find = engine.read<Work>(() =>
    db
      .select(columns)
      .from(t)
      .where(eq(t.subjectId, placeholder("subjectId"))),
  );
  const ofProperty = engine.read<Work>(() =>
    db
      .select(columns)
      .from(t)
      .where(and(eq(t.propertyId, placeholder("propertyId")), gt(t.subjectId, placeholder("after"))))
      .orderBy(asc(t.subjectId))
      .limit(placeholder("limit")),
  );
  const among = engine.read<Work>(() => db.select(columns).from(t).where(isAmong(t.subjectId, "subjectIds")));
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
      .onConflictDoUpdate({ target: t.subjectId, set: marked }),
  );
  const end = engine.write(() =>
    db.delete(t).where(and(isAmong(t.subjectId, "subjectIds"), lt(t.markedAt, placeholder("before")))),
  );
  const follow = engine.write(() =>
    db
      .update(t)
      .set({ propertyId: sql`${placeholder("to")}` })
      .where(isAmong(t.subjectId, "subjectIds")),
  );

  return {
    async find(subjectId: string): Promise<Work | undefined> {
      return (await find({ subjectId }))[0];
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
    /** Deletes the marks of subjects that were made before an instant. */
    async end(subjectIds: readonly string[], before: Instant): Promise<void> {
      return end({ subjectIds: engine.list(subjectIds), before });
    },
    /** Moves the marks of subjects to a property. */
    async follow(subjectIds: readonly string[], to: string): Promise<void> {
      return follow({ subjectIds: engine.list(subjectIds), to });
    },
  };
}
