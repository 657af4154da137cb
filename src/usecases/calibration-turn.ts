import { OperatorError } from "../domain/errors.ts";
import { LEASE_MS } from "../domain/lease.ts";
import type { Store, Tx } from "../store/store.ts";

/*
 * Fits are stored, put to use and taken back one at a time, by whichever processes on the database: a fit is stored in
 * many transactions, and two of them at once would mix.
 */

const LEASE = "calibration";

/** Whose turn it is: known by an id that nobody else has. */
export type CalibrationTurn = { holder: string };

/** Takes the turn; undefined while it is another's. To come first in its transaction: what is read after it stays so. */
export async function takeTurn(tx: Tx): Promise<CalibrationTurn | undefined> {
  const holder = tx.newId("appliance");
  const taken = await tx.servers.take(holder, [LEASE], LEASE_MS);
  return taken.length > 0 ? { holder } : undefined;
}

/** Makes sure that the turn is not over, and lengthens it. Throws an OperatorError where another has it. */
export async function keepTurn(tx: Tx, { holder }: CalibrationTurn): Promise<void> {
  if ((await tx.servers.renew(holder, LEASE_MS)).length === 0) throw othersTurn();
}

export const endTurn = (tx: Pick<Tx, "servers">, { holder }: CalibrationTurn): Promise<void> =>
  tx.servers.release(holder, [LEASE]);

/** Has the turn for as long as `run` takes, which keeps it in each of its transactions, and ends it in any case. */
export async function inTurn<T>(
  store: Pick<Store, "write">,
  run: (turn: CalibrationTurn) => Promise<T>,
): Promise<T> {
  const turn = await store.write(takeTurn);
  if (!turn) throw othersTurn();
  try {
    return await run(turn);
  } finally {
    // One that cannot be ended now ends by itself.
    await store.write((tx) => endTurn(tx, turn)).catch(() => {});
  }
}

const othersTurn = () =>
  new OperatorError(
    "another fit of the model is being stored, put to use or taken back",
    "Nothing was changed. Run the command again in a minute.",
  );
