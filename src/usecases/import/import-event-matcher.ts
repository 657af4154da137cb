import type { ServiceEvent } from "../../domain/service-event.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/** Events of a day per query. */
const STEP = 500;
/** The most event keys retained for the following batches; a single day with more is retained as well. */
const MAX_CACHED = 100_000;
/** The most log entries of other writers that are read to find stale days. */
const MAX_FOREIGN_ENTRIES = 500;

/** The id of the first logged event for each key of equal events. */
type Firsts = Map<string, string>;

/**
 * The fields that identify an event of an appliance and day; equal events differ at most in costs, technician and
 * condition.
 */
type Matched = Pick<ServiceEvent, "applianceId" | "date" | "componentId" | "eventType" | "notes">;

/** The days of appliances that a file's committed batches have read, most recently used last. */
export class EventDayCache {
  readonly #days = new Map<string, Firsts>();
  #kept = 0;
  /** The latest entry of the partner's log that the cached days include. */
  #upTo = 0;

  get(day: string): Firsts | undefined {
    const firsts = this.#days.get(day);
    if (!firsts) return undefined;
    this.#days.delete(day);
    this.#days.set(day, firsts);
    return firsts;
  }

  /** Drops the days that other writers have changed. Must be called before the batch adds anything. */
  async catchUp({ tx, partner, rows }: Pick<PortfolioWriter, "tx" | "partner" | "rows">): Promise<void> {
    const latest = rows.latestSeq("events");
    if (this.#days.size === 0 || latest === this.#upTo) return;
    if (latest - this.#upTo > MAX_FOREIGN_ENTRIES) return this.#forgetAll();
    for (const { serviceEvent } of await tx.eventLog.page(partner.id, this.#upTo + 1, MAX_FOREIGN_ENTRIES))
      if (serviceEvent) this.forget(dayKey(serviceEvent));
  }

  /** Adds what a batch has read and added, once it is committed; its log ends with `upTo`. */
  add(days: ReadonlyMap<string, Firsts>, upTo: number): void {
    this.#upTo = upTo;
    for (const [day, read] of days) {
      const firsts = this.get(day) ?? new Map();
      this.#kept -= firsts.size;
      for (const [likeness, id] of read) firsts.set(likeness, id);
      this.#kept += firsts.size;
      this.#days.set(day, firsts);
    }
    for (const day of this.#days.keys()) {
      // An empty day occupies an entry too.
      if (this.#kept + this.#days.size <= MAX_CACHED || this.#days.size === 1) break;
      this.forget(day);
    }
  }

  forget(day: string): void {
    this.#kept -= this.#days.get(day)?.size ?? 0;
    this.#days.delete(day);
  }

  #forgetAll(): void {
    this.#days.clear();
    this.#kept = 0;
  }
}

/**
 * Finds stored events equal to rows. Each day of an appliance is read once for all batches of a file, however many
 * events it has.
 */
export class EventMatcher {
  /** The days that this batch has read, and the events that it has added. */
  readonly #own = new Map<string, Firsts>();
  #upTo = 0;

  constructor(
    private readonly writer: Pick<PortfolioWriter, "tx" | "partner" | "rows">,
    private readonly kept: EventDayCache,
  ) {}

  /** Returns the id of the stored event equal to this one; the first logged if there are several. */
  async firstDuplicate(event: Matched): Promise<string | undefined> {
    const day = dayKey(event);
    if (!this.#own.has(day) && !this.kept.get(day)) this.#own.set(day, await this.#read(event));
    const likeness = eventKey(event);
    return this.kept.get(day)?.get(likeness) ?? this.#own.get(day)?.get(likeness);
  }

  /** Adds an event that this batch has stored; no other was equal to it. */
  add(event: ServiceEvent): void {
    const day = dayKey(event);
    const own = this.#own.get(day);
    if (own) own.set(eventKey(event), event.id);
    else if (this.kept.get(day)) this.#own.set(day, new Map([[eventKey(event), event.id]]));
  }

  /** Drops the day of an event, which is read again. */
  forget(event: Matched): void {
    const day = dayKey(event);
    this.#own.delete(day);
    this.kept.forget(day);
  }

  /** Must be called once the batch adds nothing more. */
  finish(): void {
    this.#upTo = this.writer.rows.latestSeq("events");
  }

  committed(): void {
    this.kept.add(this.#own, this.#upTo);
  }

  async #read({ applianceId, date }: Matched): Promise<Firsts> {
    const { tx } = this.writer;
    const firsts: Firsts = new Map();
    for (let after = ""; ; await tx.yieldToEventLoop()) {
      const some = await tx.serviceEvents.matchedOfDayAfter(applianceId, date, after, STEP);
      for (const event of some) {
        const likeness = eventKey(event);
        if (!firsts.has(likeness)) firsts.set(likeness, event.id);
      }
      if (some.length < STEP) return firsts;
      after = some.at(-1)!.id;
    }
  }
}

const dayKey = ({ applianceId, date }: Pick<Matched, "applianceId" | "date">) => `${applianceId} ${date}`;

/**
 * Returns a key that is equal for equal events of an appliance and day; short, whatever the length of the notes.
 */
function eventKey({ componentId, eventType, notes }: Omit<Matched, "applianceId" | "date">): string {
  const reported = JSON.stringify([componentId, eventType, notes]);
  return new Bun.CryptoHasher("sha256").update(reported).digest("base64");
}
