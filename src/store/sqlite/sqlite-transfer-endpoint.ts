import type { Instant } from "../../domain/time.ts";
import type { TransferEndpoint } from "../database-transfer.ts";
import { latestInstantStore } from "../queries/latest-instant-queries.ts";
import { openSqlite } from "./open-sqlite.ts";

/** Opens a database file as an endpoint of a transfer; creates it when missing. No other process may write to it. */
export function openSqliteStoreForTransfer(file: string, now: Instant): TransferEndpoint & { close(): void } {
  const sqlite = openSqlite(file, { now });
  const { connection, writer: engine } = sqlite;
  const clock = latestInstantStore(engine);
  return {
    name: file,
    engine,
    async transaction(run) {
      connection.begin();
      try {
        const value = await run();
        connection.commit();
        return value;
      } catch (error) {
        connection.rollback();
        throw error;
      }
    },
    lastInstant: () => clock.lastInstant(),
    advancePast: async (instant) => clock.setLastInstant(Math.max(instant, await clock.lastInstant())),
    close: sqlite.close,
  };
}
