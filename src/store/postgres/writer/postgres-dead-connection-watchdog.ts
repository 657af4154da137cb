import type pg from "pg";
import type { PostgresConnections } from "../connection/postgres-connections.ts";
import {
  IDLE_IN_TRANSACTION_MS,
  LOCK_WRITER,
  postgresBeginStatement,
} from "./postgres-transaction-statements.ts";

/** By then PostgreSQL has ended a transaction of which it receives no further statement. */
const SILENT_MS = IDLE_IN_TRANSACTION_MS + 1_000;
const CHECK_INTERVAL_MS = 250;
const LOCK_TIMEOUT_MS = 100;
const ANSWER_TIMEOUT_MS = 2_000;

type Writer = { connections: PostgresConnections; writer: string };

/**
 * Watches the connection that a writer uses at the time, until the function that it returns is called. Drops a
 * connection on which nothing arrives although PostgreSQL does nothing for its writer, as when a firewall drops the
 * packets of that connection alone. No timeout of PostgreSQL reaches the client then, and TCP gives up only after
 * about 15 minutes. A slow statement, a wait for a row or for a standby does not count as dead: a transaction keeps
 * the row of its writer locked until it ends. `onDead` is called when a connection is dropped.
 */
export function dropDeadPostgresConnections(
  { connections, writer }: Writer,
  current: () => pg.Client | undefined,
  onDead: () => void,
): () => void {
  let client: pg.Client | undefined;
  let received = 0;
  let silentIntervals = 0;
  const dropIfDead = async (silent: pg.Client) => {
    if (await hasTransaction({ connections, writer })) return;
    if (silent !== current() || connections.bytesReceived(silent) !== received) return;
    connections.drop(silent);
    onDead();
  };
  // Counted in intervals, so that a pause of this process doesn't count as silence.
  const timer = setInterval(() => {
    const now = current();
    const isSilent = now !== undefined && now === client && connections.bytesReceived(now) === received;
    client = now;
    received = now ? connections.bytesReceived(now) : 0;
    silentIntervals = isSilent ? silentIntervals + 1 : 0;
    // Checked again after each further period of silence.
    if (isSilent && silentIntervals % (SILENT_MS / CHECK_INTERVAL_MS) === 0) void dropIfDead(now);
  }, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Returns whether PostgreSQL has a transaction of the writer; true when that can't be determined. Stores nothing. */
async function hasTransaction({ connections, writer }: Writer): Promise<boolean> {
  let client: pg.Client | undefined;
  try {
    client = await connections.open();
    const ask = (text: string, values: string[] = []) =>
      client!.query({ text, values, query_timeout: ANSWER_TIMEOUT_MS } as pg.QueryConfig);
    await Promise.all([
      ask(postgresBeginStatement(false, LOCK_TIMEOUT_MS)),
      ask(LOCK_WRITER, [writer]),
      ask("ROLLBACK"),
    ]);
    return false;
  } catch {
    return true;
  } finally {
    if (client) await connections.end(client);
  }
}
