import { OperatorError } from "../domain/errors.ts";
import { LEASE_MS, RENEWALS } from "../domain/lease.ts";
import { toIso } from "../domain/time.ts";
import type { Store, Tx } from "../store/store.ts";

/*
 * What is done by one process at a time of all that share a database: whoever does it has its turn, under a name that
 * tells people who that is, and since when. Over a data folder commands run beside its server, and beside each other.
 */

/** What is cut short keeps the others from it no longer than this. */
const TURN_MS = LEASE_MS;
const RENEWED_MS = TURN_MS / RENEWALS;

/** What is done to all that a partner has. */
export const partnerTurn = (partnerId: string): string => `partner:${partnerId}`;
/** An import for a partner, which takes its rows for all that is added meanwhile. */
export const importTurn = (partnerId: string): string => `import:${partnerId}`;

export type Turn = {
  /** Makes sure, in the transaction of each step, that the turn is not over. Throws an OperatorError where it is. */
  keep(tx: Pick<Tx, "servers">): Promise<void>;
  end(): Promise<void>;
};
type Shared = Pick<Store, "read" | "write">;

export const NO_TURN: Turn = { keep: async () => {}, end: async () => {} };

/** Under what a turn was taken; else who has it, in words. */
export type Taken = { holder: string } | { heldBy: string };

/** Takes a turn in a transaction that does more. `by` says who does, in words. */
export async function takeIn(tx: Tx, name: string, by: string): Promise<Taken> {
  const holder = `${tx.newId("appliance")} ${by}, since ${toIso(tx.now)}`;
  const [lease] = await tx.servers.take(holder, [name], TURN_MS);
  if (lease) return { holder };
  // It may have ended in between.
  return { heldBy: inWords((await tx.servers.holderOf(name)) ?? " another process") };
}

/** Lengthens a turn that was taken until it is let go. */
export function keepTaken(
  store: Pick<Store, "write">,
  holder: string,
): Pick<Turn, "keep"> & { letGo(): void } {
  const renew = () => store.write((tx) => tx.servers.renew(holder, TURN_MS), { durability: "process" });
  // What cannot be renewed now is the next time, or in the transaction of a step.
  const timer = setInterval(() => void renew().catch(() => {}), RENEWED_MS);
  timer.unref();
  return {
    async keep(tx) {
      if ((await tx.servers.renew(holder, TURN_MS)).length === 0)
        throw new OperatorError(
          "this was held up for so long that another process may be doing the same",
          "Ask for it again once that has ended.",
        );
    },
    letGo: () => clearInterval(timer),
  };
}

/** Takes a turn, which is kept until it is ended; else who has it. `by` says who does, in words. */
export async function takeTurn(store: Shared, name: string, by: string): Promise<Turn | { heldBy: string }> {
  // Before anything is written: who has it may stand still with rows, or a whole file, that a write would wait for.
  const heldBy = await whoHas(store, name);
  if (heldBy !== undefined) return { heldBy };
  const taken = await store.write((tx) => takeIn(tx, name, by));
  if ("heldBy" in taken) return taken;
  const { holder } = taken;
  const { keep, letGo } = keepTaken(store, holder);
  return {
    keep,
    async end() {
      letGo();
      // One that cannot be ended now ends by itself.
      await store.write((tx) => tx.servers.drop(holder, name)).catch(() => {});
    },
  };
}

/** Takes a turn for as long as `run` takes. Throws an OperatorError that names who has it; `what` is what is done. */
export async function inTurn<T>(
  store: Shared,
  { name, by, what }: { name: string; by: string; what: string },
  run: (turn: Turn) => Promise<T>,
): Promise<T> {
  const turn = await takeTurn(store, name, by);
  if ("heldBy" in turn) throw othersTurn(what, turn.heldBy);
  try {
    return await run(turn);
  } finally {
    await turn.end();
  }
}

export const othersTurn = (what: string, heldBy: string): OperatorError =>
  new OperatorError(
    `${what} already, by ${heldBy}`,
    "Nothing was changed. Wait until that has ended; what was cut short is over within 15 seconds.",
  );

/** Who has a turn now, in words; undefined when nobody has. */
export async function whoHas(store: Pick<Store, "read">, name: string): Promise<string | undefined> {
  const holder = await store.read.servers.holderOf(name);
  return holder === undefined ? undefined : inWords(holder);
}

/** Who holds it: a holder begins with an id that nobody else has. */
export const inWords = (holder: string) => holder.slice(holder.indexOf(" ") + 1);
