type QueuedDelivery = { id: string; orderKey: string | null };

/**
 * The deliveries of one partner that are in memory, in creation order. `take` returns each delivery once and never two
 * with the same order key at a time. A delivery stays known from `add` to `settle`, so that it is not fetched twice.
 */
export class PartnerQueue<Delivery extends QueuedDelivery> {
  private waiting: Delivery[] = [];
  private readonly knownIds = new Set<string>();
  private readonly busyKeys = new Set<string>();
  /** Keys of deliveries that were released while a page was being fetched: that page may be older than the release. */
  private readonly deferredKeys = new Set<string>();

  /** The IDs of deliveries that are queued, or taken and not yet settled. */
  get ids(): ReadonlySet<string> {
    return this.knownIds;
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Must be called before a page is fetched for `add`. */
  beginFetch(): void {
    this.deferredKeys.clear();
  }

  add(page: readonly Delivery[]): void {
    for (const delivery of page) {
      const { id, orderKey } = delivery;
      if (this.knownIds.has(id) || (orderKey !== null && this.deferredKeys.has(orderKey))) continue;
      this.knownIds.add(id);
      this.waiting.push(delivery);
    }
  }

  /** Returns the oldest delivery that no other delivery with the same key is ahead of. */
  take(): Delivery | undefined {
    const index = this.waiting.findIndex(({ orderKey }) => orderKey === null || !this.busyKeys.has(orderKey));
    if (index < 0) return undefined;
    const [delivery] = this.waiting.splice(index, 1);
    if (delivery!.orderKey !== null) this.busyKeys.add(delivery!.orderKey);
    return delivery;
  }

  /** Removes a taken delivery whose final result is recorded. The next one with its key can be taken. */
  settle(delivery: Delivery): void {
    this.knownIds.delete(delivery.id);
    if (delivery.orderKey !== null) this.busyKeys.delete(delivery.orderKey);
  }

  /** Removes a taken delivery that stays pending, and later ones with its key, to be fetched again in order. */
  release(delivery: Delivery): void {
    this.settle(delivery);
    const { orderKey } = delivery;
    if (orderKey === null) return;
    this.deferredKeys.add(orderKey);
    for (const later of this.waiting) if (later.orderKey === orderKey) this.knownIds.delete(later.id);
    this.waiting = this.waiting.filter((later) => later.orderKey !== orderKey);
  }

  /** Removes all queued deliveries. Those that are taken stay known. */
  clear(): void {
    for (const { id } of this.waiting) this.knownIds.delete(id);
    this.waiting = [];
  }
}
