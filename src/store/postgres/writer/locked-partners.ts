import { notFound } from "../../../domain/errors.ts";
import { newDeliveryId } from "../../../domain/ids.ts";
import type { Instant } from "../../../domain/time.ts";
import type { NumberedList, PartnerRows } from "../../store.ts";
import type { Runner } from "../engine.ts";

/*
 * A partner's row of `partner_totals` is locked from before its first write until the commit, so that its rows are
 * numbered without gaps, and dated strictly rising whichever server writes and whatever that one's clock says.
 */

const LOCK =
  "SELECT partner_id, properties, appliances, components, events, last_delivery, " +
  // What was brought here from SQLite was dated by the one clock of that.
  "greatest(last_instant, (SELECT last_instant FROM clock)) AS last_instant " +
  "FROM partner_totals WHERE partner_id = any($1) ORDER BY partner_id FOR UPDATE";
const LOCK_FREE = `${LOCK} SKIP LOCKED`;
const SAVE =
  "UPDATE partner_totals SET last_instant = moved.instant, last_delivery = moved.delivery " +
  "FROM unnest($1::text[], $2::bigint[], $3::text[]) AS moved (partner_id, instant, delivery) " +
  "WHERE partner_totals.partner_id = moved.partner_id";

type Row = { partner_id: string; last_instant: string; last_delivery: string } & Record<NumberedList, string>;
type Locked = {
  partnerId: string;
  numbers: Record<NumberedList, number>;
  last: Instant;
  hasMoved: boolean;
  lastDelivery: string;
};

/** The partners whose rows a transaction may write. */
export class LockedPartners {
  #locked = new Map<string, Locked>();
  /** How those stood before the job that runs now; undefined for what it has locked itself. */
  #before = new Map<string, Locked | undefined>();
  #now = 0;

  constructor(
    private readonly runner: Runner,
    private readonly names: boolean,
    private readonly nextDelivery: () => number,
  ) {}

  /**
   * Begins a transaction that needs these, in the order of their ids, in which every other locks them too; those alone
   * that nobody holds, where only `free` ones are asked for.
   */
  async begin(now: Instant, partnerIds: readonly string[], which: "all" | "free"): Promise<void> {
    this.#now = now;
    this.#locked = new Map();
    if (partnerIds.length > 0) await this.#lock(partnerIds, which);
  }

  has(partnerId: string): boolean {
    return this.#locked.has(partnerId);
  }

  /** Begins a job; what is returned takes back what the job has done here. */
  beginJob(): () => void {
    this.#before = new Map();
    return () => {
      for (const [partnerId, locked] of this.#before)
        if (locked) this.#locked.set(partnerId, locked);
        else this.#locked.delete(partnerId);
    };
  }

  /** The latest moment that anything of the transaction has. */
  get latest(): Instant {
    let latest = this.#now;
    for (const { last } of this.#locked.values()) latest = Math.max(latest, last);
    return latest;
  }

  /** Throws not_found. */
  async open(partnerId: string): Promise<PartnerRows> {
    const known = this.#locked.get(partnerId);
    if (!known) await this.#lock([partnerId]);
    const locked = this.#locked.get(partnerId);
    if (!locked) throw notFound("Partner not found");
    if (!this.#before.has(partnerId))
      this.#before.set(partnerId, known && { ...known, numbers: { ...known.numbers } });
    const move = (instant: Instant) => {
      locked.hasMoved ||= instant > locked.last;
      locked.last = Math.max(locked.last, instant);
      return locked.last;
    };
    const newDelivery = () => {
      // Whoever makes the next one must know how far this one went, whatever its own clock says.
      let id = newDeliveryId(move(this.#now), this.nextDelivery());
      // Another server's, of the same moment: their sequences say nothing to each other.
      if (id <= locked.lastDelivery) id = newDeliveryId(nextInstant(), this.nextDelivery());
      locked.lastDelivery = id;
      locked.hasMoved = true;
      return id;
    };
    const nextInstant = () => move(Math.max(this.#now, locked.last + 1));
    return {
      nextSeq: (list) => ++locked.numbers[list],
      latestSeq: (list) => locked.numbers[list],
      nextInstant,
      latestInstant: () => move(this.#now),
      newDeliveryId: newDelivery,
    };
  }

  /** Stores what has moved. */
  async save(): Promise<void> {
    const moved = [...this.#locked.values()].filter(({ hasMoved }) => hasMoved);
    if (moved.length === 0) return;
    const values = [
      moved.map(({ partnerId }) => partnerId),
      moved.map(({ last }) => last),
      moved.map(({ lastDelivery }) => lastDelivery),
    ];
    await this.runner.write({ ...this.#named("save"), text: SAVE, values });
  }

  async #lock(partnerIds: readonly string[], which: "all" | "free" = "all"): Promise<void> {
    const lock = which === "all" ? { ...this.#named("lock"), text: LOCK } : { text: LOCK_FREE };
    const { rows } = await this.runner.read({ ...lock, values: [partnerIds] });
    for (const row of rows as Row[])
      this.#locked.set(row.partner_id, {
        partnerId: row.partner_id,
        numbers: {
          properties: Number(row.properties),
          appliances: Number(row.appliances),
          components: Number(row.components),
          events: Number(row.events),
        },
        last: Number(row.last_instant),
        hasMoved: false,
        lastDelivery: row.last_delivery,
      });
  }

  #named(name: string) {
    return this.names && { name: `mainstay_${name}_partners` };
  }
}
