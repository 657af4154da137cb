export type Tier = "GOOD" | "WARNING" | "CRITICAL";

/** A write that was sent under one idempotency key until it was acknowledged. */
export type Write = {
  partnerId: string;
  kind: "property" | "appliance" | "event" | "reading";
  key: string;
  /** Every id in the answers to this key: one, unless the write creates several records. */
  ids: Set<string>;
};

/** One webhook request as the receiver has seen it. */
export type ReceivedWebhook = {
  deliveryId: string;
  event: string;
  /** `data` of the body. */
  data: { id?: string; component_id?: string; property_id?: string; risk_tier?: Tier; previous_tier?: Tier };
  status: number;
};

/** The observations of clients, receiver and faults during a round. */
export class Observations {
  readonly writes = new Map<string, Write>();
  /** The tiers of a component after each acknowledged reading, in order. */
  readonly tiers = new Map<string, Tier[]>();
  /** The number of acknowledged service events of a component. */
  readonly events = new Map<string, number>();
  readonly arrivals: ReceivedWebhook[] = [];
  /** The ids read from the event stream, by partner. */
  readonly streamed = new Map<string, Set<string>>();
  /** The calls of the partner with a small budget; refused are those for which the database was away. */
  readonly metered = { budget: 0, accepted: 0, unanswered: 0, refused: 0 };
  /** The number of kills of all servers. */
  kills = 0;
  /** The number of completed rounds of `bun run crash`. */
  crashes = 0;
  /** Violations that were seen at once, a sentence each. */
  readonly seen: string[] = [];
  /** The number of answers by status. */
  readonly answers = new Map<string, number>();
  /** The slowest answer of each status, in milliseconds, of servers without a fault meanwhile. */
  readonly slowest = new Map<string, number>();

  acknowledge(write: Omit<Write, "ids">, id: string): void {
    const known = this.writes.get(write.key);
    if (known) known.ids.add(id);
    else this.writes.set(write.key, { ...write, ids: new Set([id]) });
  }

  /** Returns the acknowledged writes of a kind of a partner's clients. */
  written(partnerId: string, kind: Write["kind"]): Write[] {
    return [...this.writes.values()].filter((write) => write.partnerId === partnerId && write.kind === kind);
  }

  wrong(what: string): void {
    // A fault that repeats itself adds nothing after the hundredth time.
    if (this.seen.length < 50 && !this.seen.includes(what)) this.seen.push(what);
  }

  count(answer: string, tookMs: number, undisturbed: boolean): void {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    if (undisturbed) this.slowest.set(answer, Math.max(this.slowest.get(answer) ?? 0, tookMs));
  }
}
