import type pg from "pg";
import { isPostgresConnectionLost } from "../postgres-errors.ts";
import type { StatementRunner } from "../postgres-statement.ts";
import type { PostgresConnections } from "./postgres-connections.ts";

const BEGIN = [
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  "SET LOCAL statement_timeout = '60s'",
  // An open snapshot keeps VACUUM from removing dead rows.
  "SET LOCAL idle_in_transaction_session_timeout = '60s'",
].join("; ");

/** Opens a transaction that sees what was committed at its first read, until it is closed. */
export async function openPostgresReadSnapshot(
  connections: PostgresConnections,
): Promise<{ runner: StatementRunner; close(): Promise<void> }> {
  const { client, giveBack } = await connections.checkOut(BEGIN);
  let isLost = false;
  return {
    runner: {
      read: (statement) =>
        client.query(statement as pg.QueryConfig).catch((error) => {
          isLost ||= isPostgresConnectionLost(error);
          throw error;
        }),
      write: () => {
        throw new Error("a reader was asked to write");
      },
    },
    async close() {
      // A pooler closes a connection that is given back within a transaction.
      const isEnded =
        !isLost &&
        (await client.query("COMMIT").then(
          () => true,
          () => false,
        ));
      giveBack(!isEnded);
    },
  };
}
