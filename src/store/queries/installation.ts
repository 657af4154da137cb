import { sql } from "drizzle-orm";
import type { Engine } from "../engine.ts";

const ONLY = 1;

/** What all servers on a database have in common. */
export function installationStore(engine: Engine) {
  const { db } = engine;
  const { installation } = engine.tables;
  return {
    /** The check value of the key that the first server came with, which is this one's when it is the first. */
    async keyCheck(own: string): Promise<string> {
      await db.insert(installation).values({ id: ONLY, keyCheck: own }).onConflictDoNothing();
      return (await db.select().from(installation))[0]!.keyCheck;
    },
    /** The first step of the schema on record that is newer than `known`. */
    async stepAfter(known: number): Promise<{ number: number; name: string } | undefined> {
      const [step] = await db
        .select({ number: sql<number>`number`, name: sql<string>`name` })
        .from(sql`schema_migrations`)
        .where(sql`number > ${known}`)
        .orderBy(sql`number`)
        .limit(1);
      return step;
    },
  };
}
