import type { ServiceEvent } from "../../domain/service-event.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/** Of a day's events, so many are read in one step. */
const STEP = 500;
/** Kinds of events that are kept for the batches that follow, in all; a day that alone has more is kept too. */
const MOST_KEPT = 100_000;
/** Of the entries that others have added to the partner's log, so many are looked at to tell which days are stale. */
const MOST_OTHERS = 500;

/** By what makes events of an appliance and a day alike, the id of the one that was logged first. */
type Firsts = Map<string, string>;

/** What makes events alike: those of one are told apart by costs, technician and condition at most. */
type Matched = Pick<ServiceEvent, "applianceId" | "date" | "componentId" | "eventType" | "notes">;

/** What the committed batches of a file have read of the days of appliances, those used last behind the others. */
export class KeptDays {
  readonly #days = new Map<string, Firsts>();
  #kept = 0;
  /** The latest entry of the partner's log that the days know of. */
  #upTo = 0;

  get(day: string): Firsts | undefined {
    const firsts = this.#days.get(day);
    if (!firsts) return undefined;
    this.#days.delete(day);
    this.#days.set(day, firsts);
    return firsts;
  }

  /** Forgets the days that others have added to since: to be called before the batch has added anything. */
  async catchUp({ tx, partner, rows }: Pick<PortfolioWriter, "tx" | "partner" | "rows">): Promise<void> {
    const latest = rows.latestSeq("events");
    if (this.#days.size === 0 || latest === this.#upTo) return;
    if (latest - this.#upTo > MOST_OTHERS) return this.#forgetAll();
    for (const { serviceEvent } of await tx.eventLog.page(partner.id, this.#upTo + 1, MOST_OTHERS))
      if (serviceEvent) this.#forget(dayKey(serviceEvent));
  }

  /** Takes in what a batch has read and added, once it is committed and its log ends with `upTo`. */
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
      // An empty day takes its place as well.
      if (this.#kept + this.#days.size <= MOST_KEPT || this.#days.size === 1) break;
      this.#forget(day);
    }
  }

  #forget(day: string): void {
    this.#kept -= this.#days.get(day)?.size ?? 0;
    this.#days.delete(day);
  }

  #forgetAll(): void {
    this.#days.clear();
    this.#kept = 0;
  }
}

/**
 * Finds the events on record that rows are alike, each day of an appliance read once for the batches of a file, however
 * many of its events they bring.
 */
export class DaysOfEvents {
  /** What this batch has read of days, and what it has added to them and to those that are kept. */
  readonly #own = new Map<string, Firsts>();
  #upTo = 0;

  constructor(
    private readonly writer: Pick<PortfolioWriter, "tx" | "partner" | "rows">,
    private readonly kept: KeptDays,
  ) {}

  /** The event's id, of several that of the one logged first. */
  async firstAlike(event: Matched): Promise<string | undefined> {
    const day = dayKey(event);
    if (!this.#own.has(day) && !this.kept.get(day)) this.#own.set(day, await this.#read(event));
    const likeness = likenessOf(event);
    return this.kept.get(day)?.get(likeness) ?? this.#own.get(day)?.get(likeness);
  }

  /** Takes in one that the batch has added: it was alike none. */
  add(event: ServiceEvent): void {
    const day = dayKey(event);
    const own = this.#own.get(day);
    if (own) own.set(likenessOf(event), event.id);
    else if (this.kept.get(day)) this.#own.set(day, new Map([[likenessOf(event), event.id]]));
  }

  /** To be called when the batch adds nothing more. */
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
        const likeness = likenessOf(event);
        if (!firsts.has(likeness)) firsts.set(likeness, event.id);
      }
      if (some.length < STEP) return firsts;
      after = some.at(-1)!.id;
    }
  }
}

const dayKey = ({ applianceId, date }: Pick<Matched, "applianceId" | "date">) => `${applianceId} ${date}`;

/** Equal for events of an appliance and a day that are alike; short, however long their notes are. */
function likenessOf({ componentId, eventType, notes }: Omit<Matched, "applianceId" | "date">): string {
  const told = JSON.stringify([componentId, eventType, notes]);
  return new Bun.CryptoHasher("sha256").update(told).digest("base64");
}
