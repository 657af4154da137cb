import type { Tx } from "../../store/store.ts";

export type RecountRepair = (tx: Tx) => Promise<void>;

/** The findings of a step, and how to correct it. */
export type RecountStep<Found> = { found: Found; repairs: readonly RecountRepair[] };
