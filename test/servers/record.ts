export type Tier = "GOOD" | "WARNING" | "CRITICAL";

/** A write that was sent under one idempotency key until it was acknowledged. */
export type Write = {
  partnerId: string;
  kind: "property" | "appliance" | "event" | "reading";
  key: string;
  /** Every id that an answer to this key has named: one, unless the key has made several things. */
  ids: Set<string>;
};

/** One request of a webhook, as the receiver has seen it. */
export type Arrival = {
  deliveryId: string;
  event: string;
  /** `data` of the body. */
  data: { id?: string; component_id?: string; property_id?: string; risk_tier?: Tier; previous_tier?: Tier };
  status: number;
};

/** Everything that clients, receiver and faults have seen in a round. */
export class Record {
  readonly writes = new Map<string, Write>();
  /** The tier of a component after each reading that was acknowledged, in their order. */
  readonly tiers = new Map<string, Tier[]>();
  /** How many service events of a component were acknowledged. */
  readonly events = new Map<string, number>();
  readonly arrivals: Arrival[] = [];
  /** Ids that walks along the event stream have come by, by partner. */
  readonly streamed = new Map<string, Set<string>>();
  /** Calls of the partner whose budget is small; refused are those for which the database was away. */
  readonly metered = { budget: 0, accepted: 0, unanswered: 0, refused: 0 };
  /** How often servers were killed, in all. */
  kills = 0;
  /** What was seen to be wrong at once, a sentence each. */
  readonly seen: string[] = [];
  /** How often each answer came. */
  readonly answers = new Map<string, number>();
  /** The slowest answer of each status, in milliseconds, of servers that nothing was done to meanwhile. */
  readonly slowest = new Map<string, number>();

  acknowledge(write: Omit<Write, "ids">, id: string): void {
    const known = this.writes.get(write.key);
    if (known) known.ids.add(id);
    else this.writes.set(write.key, { ...write, ids: new Set([id]) });
  }

  /** The writes of a kind that a partner's clients were told of. */
  written(partnerId: string, kind: Write["kind"]): Write[] {
    return [...this.writes.values()].filter((write) => write.partnerId === partnerId && write.kind === kind);
  }

  wrong(what: string): void {
    // A fault that repeats says no more the hundredth time.
    if (this.seen.length < 50 && !this.seen.includes(what)) this.seen.push(what);
  }

  count(answer: string, tookMs: number, undisturbed: boolean): void {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    if (undisturbed) this.slowest.set(answer, Math.max(this.slowest.get(answer) ?? 0, tookMs));
  }
}
