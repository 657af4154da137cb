import { eq, lt } from "drizzle-orm";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";

/** The sessions of the console. The CSRF token is useless without the cookie's. */
type KeptSession = { tokenHash: string; keyHash: string; csrfToken: string; expiresAt: Instant };

/** Reads and writes the sessions of the console. */
export function consoleSessionStore(engine: Engine) {
  const { db } = engine;
  const { consoleSessions: sessions } = engine.tables;
  return {
    async find(tokenHash: string): Promise<KeptSession | undefined> {
      return (await db.select().from(sessions).where(eq(sessions.tokenHash, tokenHash)))[0];
    },
    /** Inserts a session, and deletes those that have expired. */
    async begin(session: KeptSession, now: Instant): Promise<void> {
      await db.delete(sessions).where(lt(sessions.expiresAt, now));
      await db.insert(sessions).values(session);
    },
    async end(tokenHash: string): Promise<void> {
      await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
    },
  };
}
