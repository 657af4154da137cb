import type pg from "pg";
import type { Runner } from "../engine.ts";
import { isConnectionLost } from "../errors.ts";
import type { Connections } from "./connections.ts";

const BEGIN = [
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  "SET LOCAL statement_timeout = '60s'",
  // It holds up what cleans the tables.
  "SET LOCAL idle_in_transaction_session_timeout = '60s'",
].join("; ");

/** A connection that sees what is committed when it first reads, until it is closed. */
export async function openReadSnapshot(
  connections: Connections,
): Promise<{ runner: Runner; close(): Promise<void> }> {
  const { client, giveBack } = await connections.checkOut(BEGIN);
  let hasLost = false;
  return {
    runner: {
      read: (statement) =>
        client.query(statement as pg.QueryConfig).catch((error) => {
          hasLost ||= isConnectionLost(error);
          throw error;
        }),
      write: () => {
        throw new Error("a read was to write");
      },
    },
    async close() {
      // A pooler would give the connection up that has a transaction open.
      const isEnded =
        !hasLost &&
        (await client.query("COMMIT").then(
          () => true,
          () => false,
        ));
      giveBack(!isEnded);
    },
  };
}
