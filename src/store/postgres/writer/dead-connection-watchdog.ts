import type pg from "pg";
import type { Connections } from "../connection/connections.ts";
import { begin, IDLE_IN_TRANSACTION_MS, LOCK_WRITER } from "./transaction-statements.ts";

/** By then PostgreSQL has ended a transaction whose next statement it has not heard. */
const SILENT_MS = IDLE_IN_TRANSACTION_MS + 1_000;
const LISTENED_MS = 250;
const HELD_MS = 100;
const ASKED_MS = 2_000;

type Writer = { connections: Connections; writer: string };

/**
 * Listens to whichever connection a writer has, until it is called off. One on which nothing comes is dropped once
 * PostgreSQL does nothing for it, as where its packets alone are lost and nobody closes it: what waits on it is lost
 * then, which is settled as after any lost connection. What takes its time is waited for, be it a statement, a row or
 * a standby: a transaction holds the row of its writer until it is over.
 */
export function watchConnection(
  { connections, writer }: Writer,
  current: () => pg.Client | undefined,
): () => void {
  let client: pg.Client | undefined;
  let heard = 0;
  let rounds = 0;
  const giveUp = async (silent: pg.Client) => {
    if (await isUnderWay({ connections, writer })) return;
    if (silent === current() && connections.bytesReceived(silent) === heard) connections.drop(silent);
  };
  // In rounds, so that a pause of this whole process does not pass for silence.
  const timer = setInterval(() => {
    const now = current();
    const isSilent = now !== undefined && now === client && connections.bytesReceived(now) === heard;
    client = now;
    heard = now ? connections.bytesReceived(now) : 0;
    rounds = isSilent ? rounds + 1 : 0;
    // And again after as long, if it is still silent then.
    if (isSilent && rounds % (SILENT_MS / LISTENED_MS) === 0) void giveUp(now);
  }, LISTENED_MS);
  return () => clearInterval(timer);
}

/** Whether the database has a transaction of the writer, as far as is known. Leaves nothing behind. */
async function isUnderWay({ connections, writer }: Writer): Promise<boolean> {
  let client: pg.Client | undefined;
  try {
    client = await connections.open();
    const ask = (text: string, values: string[] = []) =>
      client!.query({ text, values, query_timeout: ASKED_MS } as pg.QueryConfig);
    await Promise.all([ask(begin(false, HELD_MS)), ask(LOCK_WRITER, [writer]), ask("ROLLBACK")]);
    return false;
  } catch {
    // The row is held, or nobody can tell.
    return true;
  } finally {
    if (client) await connections.end(client);
  }
}
