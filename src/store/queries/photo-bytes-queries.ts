import { and, asc, eq, gt, inArray, lt } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";

/** The bytes of pictures, if servers do not share a folder. */
export function photoBytesStore(engine: Engine) {
  const { db } = engine;
  const { uploads } = engine.tables;
  return {
    async insert(filename: string, bytes: Uint8Array, writtenAt: Instant): Promise<void> {
      await db.insert(uploads).values({ filename, bytes: Buffer.from(bytes), writtenAt });
    },
    async find(filename: string): Promise<Uint8Array | undefined> {
      const rows = await db
        .select({ bytes: uploads.bytes })
        .from(uploads)
        .where(eq(uploads.filename, filename));
      return rows[0]?.bytes;
    },
    async remove(filenames: readonly string[]): Promise<void> {
      await db.delete(uploads).where(inArray(uploads.filename, [...filenames]));
    },
    /** Returns names after `after`, in order, of pictures that were written before the instant. */
    async names(after: string, before: Instant, limit: number): Promise<string[]> {
      const rows = await db
        .select({ filename: uploads.filename })
        .from(uploads)
        .where(and(gt(uploads.filename, after), lt(uploads.writtenAt, before)))
        .orderBy(asc(uploads.filename))
        .limit(limit);
      return rows.map(({ filename }) => filename);
    },
  };
}
