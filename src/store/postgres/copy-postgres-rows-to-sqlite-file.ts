import type { Instant } from "../../domain/time.ts";
import { copyStoredPortfolioRows } from "../database-transfer.ts";
import { openSqliteStoreForTransfer } from "../sqlite/sqlite-transfer-endpoint.ts";
import { parsePostgresUrl } from "./connection/postgres-address.ts";
import { PostgresConnections } from "./connection/postgres-connections.ts";
import { openPostgresReadSnapshot } from "./connection/postgres-read-snapshot.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { explainPostgresError } from "./postgres-errors.ts";
import { TYPE_PARSERS } from "./postgres-type-parsers.ts";

/**
 * Copies a partner's portfolio, as of one read snapshot, to a database file, to try an import there. Writers do not wait
 * for it.
 */
export async function copyPostgresRowsToSqliteFile(
  file: string,
  url: string,
  partnerId: string,
  now: Instant,
): Promise<void> {
  const address = parsePostgresUrl(url);
  const connections = new PostgresConnections(address);
  try {
    const snapshot = await openPostgresReadSnapshot(connections);
    const to = openSqliteStoreForTransfer(file, now);
    try {
      const lastInstant = async () => {
        const { rows } = await snapshot.runner.read({
          text: LAST_INSTANT,
          values: [partnerId],
          types: TYPE_PARSERS,
        });
        return (rows[0] as { last: Instant }).last;
      };
      const engine = postgresEngine(snapshot.runner, address.preparesStatements);
      await copyStoredPortfolioRows({ engine, lastInstant }, to, partnerId);
    } finally {
      to.close();
      await snapshot.close();
    }
  } catch (error) {
    throw explainPostgresError(error, address);
  } finally {
    await connections.close();
  }
}

const LAST_INSTANT = `SELECT greatest((SELECT max(last_instant) FROM clock),
  (SELECT last_instant FROM partner_totals WHERE partner_id = $1)) AS last`;
