import type { Day } from "../../domain/time.ts";
import type { BudgetReservation, BudgetReservations } from "../store.ts";
import type { PostgresConnections } from "./connection/postgres-connections.ts";
import { REVISION_OF } from "./connection/postgres-server-runs.ts";
import { isPostgresConnectionLost } from "./postgres-errors.ts";
import { TYPE_PARSERS } from "./postgres-type-parsers.ts";

/*
 * Calls of a partner's day are reserved by the statement that reads the partner's revision, in a transaction of its own.
 * The statement waits for no row: when the row is locked, or too few calls are left, the caller reserves them with an
 * ordinary write. Each reservation in progress has a writer's row of its own: after a lost connection that row shows
 * whether the reservation was committed, and prevents a later commit.
 */

const REGISTER_WRITER =
  "INSERT INTO write_groups (writer, number, written_at) VALUES ($1, 0, now()) ON CONFLICT (writer) DO NOTHING";
const REVISION = `${REVISION_OF} p.revision AS revision`;
const RESERVE = `
  WITH own AS MATERIALIZED (SELECT writer FROM write_groups WHERE writer = $1 AND number >= 0 FOR UPDATE),
  free AS MATERIALIZED (
    SELECT b.partner_id, b.day FROM daily_budgets b, own
    WHERE b.partner_id = $3 AND b.day = $4 AND b.calls + $5 <= $6 FOR UPDATE OF b SKIP LOCKED
  ),
  granted AS (
    UPDATE daily_budgets b SET calls = b.calls + $5 FROM free
    WHERE b.partner_id = free.partner_id AND b.day = free.day AND b.calls + $5 <= $6 RETURNING b.calls
  ),
  marked AS (UPDATE write_groups SET number = $2, written_at = now() FROM granted WHERE writer = $1)
  SELECT ${REVISION}, (SELECT calls FROM granted) AS taken, EXISTS (SELECT FROM own) AS registered
  FROM partners p WHERE p.id = $3`;
/**
 * Waits for the writer's reservation, returns its number if it was committed, and prevents a later commit otherwise.
 */
const SETTLE = `
  INSERT INTO write_groups (writer, number, written_at) VALUES ($1, -1, now()) ON CONFLICT (writer) DO UPDATE
  SET number = CASE WHEN write_groups.number = $2 THEN write_groups.number ELSE -1 END, written_at = now()
  RETURNING number`;
const READ_RESERVATION = `
  SELECT ${REVISION}, b.calls AS taken FROM partners p JOIN daily_budgets b ON b.partner_id = p.id AND b.day = $2
  WHERE p.id = $1`;

type Writer = { name: string; number: number };
type Row = { revision: string; taken: number | null; registered: boolean };

/** `process` is the name of this process, unique among all processes on the database. */
export function createPostgresDailyCallReservations(
  connections: PostgresConnections,
  process: string,
): BudgetReservations {
  const { pool, preparesStatements: prepares } = connections.address;
  const prepared = (name: string) => ({ ...(prepares && { name: `mainstay_${name}` }), types: TYPE_PARSERS });
  const { reader } = connections;
  const free: Writer[] = [];
  let pending = 0;
  let registered = 0;

  /** Registers a writer that no other reservation uses. */
  const register = async (): Promise<Writer> => {
    const writer = { name: `${process}-calls-${registered++}`, number: 0 };
    await reader.read({ ...prepared("enter"), text: REGISTER_WRITER, values: [writer.name] });
    return writer;
  };
  const settled = async (
    { name, number }: Writer,
    partnerId: string,
    day: Day,
  ): Promise<BudgetReservation | undefined> => {
    const { rows } = await reader.read({ ...prepared("settle"), text: SETTLE, values: [name, number] });
    if ((rows[0] as { number: number }).number !== number) return undefined;
    return (await reader.read({ ...prepared("look"), text: READ_RESERVATION, values: [partnerId, day] }))
      .rows[0] as BudgetReservation | undefined;
  };
  const reserve: BudgetReservations["reserve"] = async (partnerId, day, calls, budget) => {
    pending++;
    try {
      const writer = free.pop() ?? (await register());
      writer.number++;
      const values = [writer.name, writer.number, partnerId, day, calls, budget];
      let row: Row | undefined;
      try {
        row = (await connections.sendOnce({ ...prepared("call_block"), text: RESERVE, values }))
          .rows[0] as Row;
      } catch (error) {
        if (isPostgresConnectionLost(error)) return await settled(writer, partnerId, day);
        free.push(writer);
        throw error;
      }
      // Writers without a write for a day are deleted, mostly all of them together.
      if (row?.registered === false) free.length = 0;
      else free.push(writer);
      return row && { revision: row.revision, taken: row.taken ?? undefined };
    } finally {
      pending--;
    }
  };
  return {
    async reserve(...request) {
      // Then an ordinary write reserves them: it serves many callers at once, and leaves the pool to reads.
      if (pending >= pool / 2) return undefined;
      let timer: ReturnType<typeof setTimeout>;
      // Calls that are reserved after that are lost.
      const timeout = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), connections.reconnectMs);
      });
      return await Promise.race([reserve(...request), timeout]).finally(() => clearTimeout(timer));
    },
  };
}
