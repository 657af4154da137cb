import type { ServiceEvent } from "../../domain/service-event.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/** Events of a day per query. */
const STEP = 500;
/** The most events retained for the following batches; a single day with more is retained as well. */
const MAX_CACHED = 100_000;
/** The most log entries of other writers that are read to find stale days. */
const MAX_FOREIGN_ENTRIES = 500;

/** The IDs of equal events, the first logged first. Those before `from` have been voided or changed. */
type EqualEvents = { ids: string[]; from: number };

/** The events of a day by the key of those that are equal. */
class DayEvents {
  readonly #byKey = new Map<string, EqualEvents>();
  count = 0;

  get(key: string): EqualEvents | undefined {
    return this.#byKey.get(key);
  }

  add(key: string, id: string): void {
    const equal = this.#byKey.get(key);
    if (equal) equal.ids.push(id);
    else this.#byKey.set(key, { ids: [id], from: 0 });
    this.count++;
  }

  addAll(others: DayEvents): void {
    for (const [key, { ids, from }] of others.#byKey) for (const id of ids.slice(from)) this.add(key, id);
  }
}

/**
 * The fields that identify an event of an appliance and day; equal events differ at most in costs, technician and
 * condition.
 */
type Matched = Pick<ServiceEvent, "applianceId" | "date" | "componentId" | "eventType" | "notes">;

/** The days of appliances that a file's committed batches have read, most recently used last. */
export class EventDayCache {
  readonly #days = new Map<string, DayEvents>();
  #kept = 0;
  /** The latest entry of the partner's log that the cached days include. */
  #upTo = 0;

  get(day: string): DayEvents | undefined {
    const events = this.#days.get(day);
    if (!events) return undefined;
    this.#days.delete(day);
    this.#days.set(day, events);
    return events;
  }

  /** Drops the days that other writers have changed. Must be called before the batch adds anything. */
  async catchUp({ tx, partner, rows }: Pick<PortfolioWriter, "tx" | "partner" | "rows">): Promise<void> {
    const latest = rows.latestSeq("events");
    if (this.#days.size === 0 || latest === this.#upTo) return;
    if (latest - this.#upTo > MAX_FOREIGN_ENTRIES) return this.#forgetAll();
    for (const { serviceEvent } of await tx.eventLog.page(partner.id, this.#upTo + 1, MAX_FOREIGN_ENTRIES))
      if (serviceEvent) this.#forget(dayKey(serviceEvent));
  }

  /** Adds what a batch has read and added, once it is committed; its log ends with `upTo`. */
  add(days: ReadonlyMap<string, DayEvents>, upTo: number): void {
    this.#upTo = upTo;
    for (const [day, read] of days) {
      const events = this.get(day) ?? new DayEvents();
      this.#kept -= events.count;
      events.addAll(read);
      this.#kept += events.count;
      this.#days.set(day, events);
    }
    for (const day of this.#days.keys()) {
      // An empty day occupies an entry too.
      if (this.#kept + this.#days.size <= MAX_CACHED || this.#days.size === 1) break;
      this.#forget(day);
    }
  }

  #forget(day: string): void {
    this.#kept -= this.#days.get(day)?.count ?? 0;
    this.#days.delete(day);
  }

  #forgetAll(): void {
    this.#days.clear();
    this.#kept = 0;
  }
}

/**
 * Finds stored events equal to rows. Each day of an appliance is read once for all batches of a file, however many
 * events it has and however many of them rows void.
 */
export class EventMatcher {
  /** The days that this batch has read, and the events that it has added. */
  readonly #own = new Map<string, DayEvents>();
  /** Where the events of the cached days that count begin, as this batch leaves them. */
  readonly #from = new Map<EqualEvents, number>();
  #upTo = 0;

  constructor(
    private readonly writer: Pick<PortfolioWriter, "tx" | "partner" | "rows">,
    private readonly kept: EventDayCache,
  ) {}

  /**
   * Returns the first of the stored events equal to this one. `findIfEqual` returns one by its ID, unless it was voided or
   * changed after its day was read.
   */
  async firstDuplicate(
    event: Matched,
    findIfEqual: (id: string) => Promise<ServiceEvent | undefined>,
  ): Promise<ServiceEvent | undefined> {
    const day = dayKey(event);
    if (!this.#own.has(day) && !this.kept.get(day)) this.#own.set(day, await this.#read(event));
    const key = eventKey(event);
    for (const equal of [this.kept.get(day)?.get(key), this.#own.get(day)?.get(key)]) {
      if (!equal) continue;
      for (let at = this.#from.get(equal) ?? equal.from; at < equal.ids.length; at++) {
        const found = await findIfEqual(equal.ids[at]!);
        if (found) return found;
        this.#from.set(equal, at + 1);
      }
    }
    return undefined;
  }

  /** Adds an event that this batch has stored, or made equal to others. */
  add(event: ServiceEvent): void {
    const day = dayKey(event);
    if (!this.#own.has(day) && this.kept.get(day)) this.#own.set(day, new DayEvents());
    this.#own.get(day)?.add(eventKey(event), event.id);
  }

  /** Must be called once the batch adds nothing more. */
  finish(): void {
    this.#upTo = this.writer.rows.latestSeq("events");
  }

  committed(): void {
    for (const [equal, from] of this.#from) equal.from = from;
    this.kept.add(this.#own, this.#upTo);
  }

  async #read({ applianceId, date }: Matched): Promise<DayEvents> {
    const { tx } = this.writer;
    const events = new DayEvents();
    for (let after = ""; ; await tx.yieldToEventLoop()) {
      const some = await tx.serviceEvents.matchedOfDayAfter(applianceId, date, after, STEP);
      for (const event of some) events.add(eventKey(event), event.id);
      if (some.length < STEP) return events;
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
