import type { ComponentToScore } from "../../domain/component.ts";
import {
  RETIRED_COUNTER,
  SETTLED_ELEVATED,
  storedCounterBlockOf,
  TIER_BUCKETS,
  WHOLE_BUCKET,
} from "../../store/queries/stored-counter-buckets.ts";
import type { Tx } from "../../store/store.ts";

/** Out of all lists, or back into them. */
export type ListDirection = "out" | "back";

/** Collects the changes of a partner's counters by bucket and block of numbers, and stores each once. */
export class PortfolioWriterCounterChanges {
  /** The changes by bucket, then by block. */
  readonly #changes = new Map<number, Map<number, number>>();

  /** Adds a component to the counters of its score (`change` 1), or takes it out of them (-1). */
  count(component: ComponentToScore, change: 1 | -1): void {
    const buckets = [component.riskScore, TIER_BUCKETS[component.riskTier]];
    if (isSettledElevated(component)) buckets.push(SETTLED_ELEVATED);
    for (const bucket of buckets) this.#add(bucket, component.seq, change);
  }

  /** Moves a component to the counters of its new score. */
  move(before: ComponentToScore, { riskScore, riskTier, rescoredAt }: ComponentToScore): void {
    const { seq } = before;
    if (before.riskScore !== riskScore) this.#move(before.riskScore, riskScore, seq);
    if (before.riskTier !== riskTier) this.#move(TIER_BUCKETS[before.riskTier], TIER_BUCKETS[riskTier], seq);
    const isSettled = isSettledElevated({ riskTier, rescoredAt });
    if (isSettledElevated(before) !== isSettled) this.#add(SETTLED_ELEVATED, seq, isSettled ? 1 : -1);
  }

  /** Counts a row that leaves a list, or comes back into it. */
  countRetired(list: keyof typeof RETIRED_COUNTER, seq: number, direction: ListDirection): void {
    this.#add(RETIRED_COUNTER[list], seq, direction === "out" ? 1 : -1);
  }

  async store(tx: Tx, partnerId: string): Promise<void> {
    for (const [bucket, blocks] of this.#changes)
      for (const [block, count] of blocks)
        if (count !== 0) await tx.totals.addToCounter(partnerId, bucket, block, count);
  }

  #move(from: number, to: number, seq: number): void {
    this.#add(from, seq, -1);
    this.#add(to, seq, 1);
  }

  #add(bucket: number, seq: number, change: 1 | -1): void {
    let blocks = this.#changes.get(bucket);
    if (!blocks) {
      blocks = new Map([[WHOLE_BUCKET, 0]]);
      this.#changes.set(bucket, blocks);
    }
    const block = storedCounterBlockOf(seq);
    blocks.set(WHOLE_BUCKET, blocks.get(WHOLE_BUCKET)! + change);
    blocks.set(block, (blocks.get(block) ?? 0) + change);
  }
}

/** Returns whether the component is one of those above GOOD that the latest snapshot scored. */
const isSettledElevated = ({ riskTier, rescoredAt }: Pick<ComponentToScore, "riskTier" | "rescoredAt">) =>
  riskTier !== "GOOD" && rescoredAt === null;
