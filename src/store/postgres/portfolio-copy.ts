import type { Instant } from "../../domain/time.ts";
import { sqliteEndpoint } from "../sqlite/transfer-endpoint.ts";
import { copyPortfolio } from "../transfer.ts";
import { parseAddress } from "./connection/address.ts";
import { Connections } from "./connection/connections.ts";
import { openReadSnapshot } from "./connection/read-snapshot.ts";
import { postgresEngine } from "./engine.ts";
import { explainError } from "./errors.ts";
import { TYPE_PARSERS } from "./type-parsers.ts";

/**
 * Makes a database file of a partner's portfolio as it is at one moment, for a trial of what would become of it. Nobody
 * who writes waits for it.
 */
export async function copyPortfolioTo(
  file: string,
  url: string,
  partnerId: string,
  now: Instant,
): Promise<void> {
  const address = parseAddress(url);
  const connections = new Connections(address);
  try {
    const moment = await openReadSnapshot(connections);
    const to = sqliteEndpoint(file, now);
    try {
      const lastInstant = async () => {
        const { rows } = await moment.runner.read({
          text: LAST_INSTANT,
          values: [partnerId],
          types: TYPE_PARSERS,
        });
        return (rows[0] as { last: Instant }).last;
      };
      const engine = postgresEngine(moment.runner, address.preparesStatements);
      await copyPortfolio({ engine, lastInstant }, to, partnerId);
    } finally {
      to.close();
      await moment.close();
    }
  } catch (error) {
    throw explainError(error, address);
  } finally {
    await connections.close();
  }
}

const LAST_INSTANT = `SELECT greatest((SELECT max(last_instant) FROM clock),
  (SELECT last_instant FROM partner_totals WHERE partner_id = $1)) AS last`;
