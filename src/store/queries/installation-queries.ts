import { sql } from "drizzle-orm";
import type { Engine } from "../store-engine.ts";

const ONLY = 1;

/** The state that all servers on a database share. */
export function installationStore(engine: Engine) {
  const { db } = engine;
  const { installation } = engine.tables;
  return {
    /** Returns the check value of the first server's key; stores this one's if it is the first. */
    async keyCheck(own: string): Promise<string> {
      await db.insert(installation).values({ id: ONLY, keyCheck: own }).onConflictDoNothing();
      return (await db.select().from(installation))[0]!.keyCheck;
    },
    /** Returns the first recorded migration after `known`. */
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
