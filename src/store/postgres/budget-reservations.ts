import type { Day } from "../../domain/time.ts";
import type { BudgetReservation, BudgetReservations } from "../store.ts";
import type { Connections } from "./connection/connections.ts";
import { isConnectionLost } from "./errors.ts";
import { TYPE_PARSERS } from "./type-parsers.ts";

/*
 * A block of a partner's calls is set aside by the statement that reads the partner's revision, which is a transaction
 * by itself. It waits for no row: whoever finds one held, or the budget near its end, goes the way of every write. Each
 * has a writer's row of its own while it is under way, so that after a lost connection it is seen whether it was
 * committed, and one that was not will never be.
 */

const ENTER =
  "INSERT INTO write_groups (writer, number, written_at) VALUES ($1, 0, now()) ON CONFLICT (writer) DO NOTHING";
const SET_ASIDE = `
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
  SELECT p.revision, (SELECT calls FROM granted) AS taken, EXISTS (SELECT FROM own) AS entered
  FROM partners p WHERE p.id = $3`;
/** Waits for what is under way still. From then on nothing more is set aside in the writer's name. */
const SETTLE = `
  INSERT INTO write_groups (writer, number, written_at) VALUES ($1, -1, now()) ON CONFLICT (writer) DO UPDATE
  SET number = CASE WHEN write_groups.number = $2 THEN write_groups.number ELSE -1 END, written_at = now()
  RETURNING number`;
const LOOK = `
  SELECT p.revision, b.calls AS taken FROM partners p JOIN daily_budgets b ON b.partner_id = p.id AND b.day = $2
  WHERE p.id = $1`;

type Writer = { name: string; number: number };
type Row = { revision: number; taken: number | null; entered: boolean };

/** `process` tells this one from all others. */
export function budgetReservations(connections: Connections, process: string): BudgetReservations {
  const { pool, preparesStatements: prepares } = connections.address;
  const named = (name: string) => ({ ...(prepares && { name: `mainstay_${name}` }), types: TYPE_PARSERS });
  const { reader } = connections;
  const free: Writer[] = [];
  let underWay = 0;
  let entered = 0;

  /** One that nobody else uses. */
  const enter = async (): Promise<Writer> => {
    const writer = { name: `${process}-calls-${entered++}`, number: 0 };
    await reader.read({ ...named("enter"), text: ENTER, values: [writer.name] });
    return writer;
  };
  const settled = async (
    { name, number }: Writer,
    partnerId: string,
    day: Day,
  ): Promise<BudgetReservation | undefined> => {
    const { rows } = await reader.read({ ...named("settle"), text: SETTLE, values: [name, number] });
    if ((rows[0] as { number: number }).number !== number) return undefined;
    return (await reader.read({ ...named("look"), text: LOOK, values: [partnerId, day] })).rows[0] as
      | BudgetReservation
      | undefined;
  };
  const setAside: BudgetReservations["reserve"] = async (partnerId, day, calls, budget) => {
    underWay++;
    try {
      const writer = free.pop() ?? (await enter());
      writer.number++;
      const values = [writer.name, writer.number, partnerId, day, calls, budget];
      let row: Row | undefined;
      try {
        row = (await connections.sendOnce({ ...named("call_block"), text: SET_ASIDE, values }))
          .rows[0] as Row;
      } catch (error) {
        if (isConnectionLost(error)) return await settled(writer, partnerId, day);
        free.push(writer);
        throw error;
      }
      // Those that write nothing for a day are forgotten, mostly all of them.
      if (row?.entered === false) free.length = 0;
      else free.push(writer);
      return row && { revision: row.revision, taken: row.taken ?? undefined };
    } finally {
      underWay--;
    }
  };
  return {
    async reserve(...asked) {
      // A write takes many at once; and none of them keeps reads from their connections.
      if (underWay >= pool / 2) return undefined;
      let late: ReturnType<typeof setTimeout>;
      // What is granted after that is forfeited.
      const isLate = new Promise<undefined>((resolve) => {
        late = setTimeout(() => resolve(undefined), connections.reconnectMs);
      });
      return await Promise.race([setAside(...asked), isLate]).finally(() => clearTimeout(late));
    },
  };
}
