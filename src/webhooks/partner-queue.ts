/** What the queue needs to know of a delivery. */
export type Queueable = { id: string; orderKey: string | null };

/**
 * One partner's deliveries in memory, in creation order. It hands out each once, and never two with the same order
 * key at a time. A delivery is held from the moment it is added until it is settled, so that it isn't fetched twice.
 */
export class PartnerQueue<Delivery extends Queueable> {
  private waiting: Delivery[] = [];
  private readonly knownIds = new Set<string>();
  private readonly busyKeys = new Set<string>();
  /** Keys whose delivery went back for a retry while a page was being fetched: that page may be older than it. */
  private readonly deferredKeys = new Set<string>();

  /** Waiting, handed out, or handed out and not yet settled. */
  get ids(): ReadonlySet<string> {
    return this.knownIds;
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** To be called before a page is fetched; what is then fetched goes to `add`. */
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

  /** The oldest delivery that nothing of the same key is before. */
  take(): Delivery | undefined {
    const index = this.waiting.findIndex(({ orderKey }) => orderKey === null || !this.busyKeys.has(orderKey));
    if (index < 0) return undefined;
    const [delivery] = this.waiting.splice(index, 1);
    if (delivery!.orderKey !== null) this.busyKeys.add(delivery!.orderKey);
    return delivery;
  }

  /** A delivery that was handed out is delivered or failed, and recorded: the next of its key may go. */
  settle(delivery: Delivery): void {
    this.knownIds.delete(delivery.id);
    if (delivery.orderKey !== null) this.busyKeys.delete(delivery.orderKey);
  }

  /** A delivery that was handed out stays pending: later ones of its key go back with it, to be fetched after it. */
  release(delivery: Delivery): void {
    this.settle(delivery);
    const { orderKey } = delivery;
    if (orderKey === null) return;
    this.deferredKeys.add(orderKey);
    for (const later of this.waiting) if (later.orderKey === orderKey) this.knownIds.delete(later.id);
    this.waiting = this.waiting.filter((later) => later.orderKey !== orderKey);
  }

  /** Lets go of all that waits; what is handed out stays held. */
  clear(): void {
    for (const { id } of this.waiting) this.knownIds.delete(id);
    this.waiting = [];
  }
}
