import type { Tx } from "../../store/store.ts";

export type Repair = (tx: Tx) => Promise<void>;

/** The findings of a step, and how to correct it. */
export type Step<Found> = { found: Found; repairs: readonly Repair[] };
