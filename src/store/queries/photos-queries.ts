import { and, asc, count, eq, inArray } from "drizzle-orm";
import type { ListedPhoto, Photo } from "../../domain/photo.ts";
import type { EventType, ServiceEvent } from "../../domain/service-event.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";

/** Reads and writes the records of photos; their bytes are elsewhere. */
export function photoStore(engine: Engine) {
  const { db } = engine;
  const { photos, serviceEvents } = engine.tables;
  /** By the appliance, whose photos have an index and a limit. */
  const isOfEvent = (applianceId: string, eventId: string) =>
    and(eq(photos.applianceId, applianceId), eq(photos.serviceEventId, eventId));
  return {
    async insert(photo: Photo): Promise<void> {
      await db.insert(photos).values(photo);
    },
    /** Returns some of an appliance's photos in the order of their upload. */
    async page(applianceId: string, { limit, offset }: StoredRowRange): Promise<ListedPhoto[]> {
      // The photos before the page need no service event.
      const chosen = db
        .select({ id: photos.id })
        .from(photos)
        .where(eq(photos.applianceId, applianceId))
        .orderBy(asc(photos.uploadedAt), asc(photos.id))
        .limit(limit)
        .offset(offset);
      const rows = await db
        .select({
          photo: photos,
          eventType: serviceEvents.eventType,
          eventDate: serviceEvents.date,
          voidedAt: serviceEvents.voidedAt,
        })
        .from(photos)
        .leftJoin(serviceEvents, eq(serviceEvents.id, photos.serviceEventId))
        .where(inArray(photos.id, chosen))
        .orderBy(asc(photos.uploadedAt), asc(photos.id));
      return rows.map(({ photo, eventType, eventDate, voidedAt }) => ({
        ...photo,
        eventType: eventType as EventType | null,
        eventDate,
        isEventVoided: voidedAt !== null,
      }));
    },
    /** Returns whether any partner has a photo. */
    async any(): Promise<boolean> {
      return (await db.select({ id: photos.id }).from(photos).limit(1)).length > 0;
    },
    /** Counts an appliance's photos, whose number has a limit. */
    async count(applianceId: string): Promise<number> {
      const [row] = await db.select({ n: count() }).from(photos).where(eq(photos.applianceId, applianceId));
      return row!.n;
    },
    /** Counts the photos of an appliance's service event. */
    async countOfEvent({ id, applianceId }: Pick<ServiceEvent, "id" | "applianceId">): Promise<number> {
      const [row] = await db.select({ n: count() }).from(photos).where(isOfEvent(applianceId, id));
      return row!.n;
    },
    /** Moves the photos of an appliance's service event to the appliance that it moves to. */
    async moveOfEvent(
      { id, applianceId }: Pick<ServiceEvent, "id" | "applianceId">,
      to: string,
    ): Promise<void> {
      await db.update(photos).set({ applianceId: to }).where(isOfEvent(applianceId, id));
    },
    /** Deletes a photo of an appliance and returns it; undefined if there is none. */
    async remove(applianceId: string, id: string): Promise<Photo | undefined> {
      const [removed] = await db
        .delete(photos)
        .where(and(eq(photos.id, id), eq(photos.applianceId, applianceId)))
        .returning();
      return removed;
    },
    /** Returns the files that a photo refers to. */
    async known(filenames: readonly string[]): Promise<ReadonlySet<string>> {
      const rows = await db
        .select({ filename: photos.filename })
        .from(photos)
        .where(inArray(photos.filename, [...filenames]));
      return new Set(rows.map(({ filename }) => filename));
    },
    async findByFilename(partnerId: string, filename: string): Promise<Photo | undefined> {
      const rows = await db
        .select()
        .from(photos)
        .where(and(eq(photos.filename, filename), eq(photos.partnerId, partnerId)));
      return rows[0];
    },
  };
}
