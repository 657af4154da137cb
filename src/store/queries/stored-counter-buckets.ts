import { WARNING_FROM } from "../../domain/component.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";

/*
 * The buckets of `component_counters`: a score in hundredths is its own bucket, each tier has one, and so have the
 * elevated components that were last scored by a snapshot, which the event stream lists by creation. They count no retired
 * components; retired rows of each list have a bucket of their own, whose blocks count the gaps of the list.
 */
export const TIER_BUCKETS: Record<RiskTier, number> = { GOOD: 100, WARNING: 101, CRITICAL: 102 };
/** CRITICAL and WARNING components that the latest snapshot scored. */
export const SETTLED_ELEVATED = 103;
/** Retired rows of each list, by blocks of their numbers without the sign. */
export const RETIRED_COUNTER = { components: 104, appliances: 105, properties: 106 } as const;
/** The scores of WARNING and CRITICAL, in descending order. */
export const ELEVATED_SCORES: readonly number[] = Array.from(
  { length: 100 - WARNING_FROM },
  (_, below) => 99 - below,
);

/** The block that counts a whole bucket. */
export const WHOLE_BUCKET = -1;
/** The components by which counters are divided, so that a page is located without counting all rows. */
export const BLOCK_SIZE = 2048;
/** Returns the block of a component by its number. */
export const storedCounterBlockOf = (seq: number) => Math.floor(Math.abs(seq) / BLOCK_SIZE);
