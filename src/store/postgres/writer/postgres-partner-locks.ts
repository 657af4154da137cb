import { notFound } from "../../../domain/errors.ts";
import { deliveryIdAt } from "../../../domain/ids/record-ids.ts";
import type { Instant } from "../../../domain/time.ts";
import type { NumberedList, PartnerRows } from "../../store.ts";
import type { StatementRunner } from "../postgres-statement.ts";

/*
 * A partner's row of `partner_totals` is locked before the partner's first write until the commit. Its rows are
 * therefore numbered without gaps, and dated in strictly rising order whichever server writes and whatever its clock is.
 */

const LOCK =
  "SELECT partner_id, properties, appliances, components, events, last_delivery, " +
  // Rows that were moved here from SQLite were dated by its one clock.
  "greatest(last_instant, (SELECT last_instant FROM clock)) AS last_instant " +
  "FROM partner_totals WHERE partner_id = any($1) ORDER BY partner_id FOR UPDATE";
const LOCK_UNLOCKED = `${LOCK} SKIP LOCKED`;
const SAVE =
  "UPDATE partner_totals SET last_instant = moved.instant, last_delivery = moved.delivery " +
  "FROM unnest($1::text[], $2::bigint[], $3::text[]) AS moved (partner_id, instant, delivery) " +
  "WHERE partner_totals.partner_id = moved.partner_id";
const TABLES: ReadonlySet<string> = new Set(["partner_totals", "clock"]);

type Row = { partner_id: string; last_instant: string; last_delivery: string } & Record<NumberedList, string>;
type LockedPartner = {
  partnerId: string;
  numbers: Record<NumberedList, number>;
  lastInstant: Instant;
  lastDelivery: string;
  hasChanged: boolean;
};

/** The partners whose rows a transaction has locked, with the latest numbers and instants of each. */
export class PostgresPartnerLocks {
  #locked = new Map<string, LockedPartner>();
  /** Their state before the current job; undefined for a partner that the job has locked itself. */
  #before = new Map<string, LockedPartner | undefined>();
  #now = 0;

  constructor(
    private readonly runner: StatementRunner,
    private readonly preparesStatements: boolean,
    private readonly nextDelivery: () => number,
  ) {}

  /**
   * Begins a transaction and locks these partners in the order of their ids, as every transaction does; with `unlocked`,
   * those alone that no other transaction has locked.
   */
  async begin(now: Instant, partnerIds: readonly string[], which: "all" | "unlocked"): Promise<void> {
    this.#now = now;
    this.#locked = new Map();
    if (partnerIds.length > 0) await this.#lock(partnerIds, which);
  }

  has(partnerId: string): boolean {
    return this.#locked.has(partnerId);
  }

  /** Begins a job. The function that it returns restores the state before the job. */
  beginJob(): () => void {
    this.#before = new Map();
    return () => {
      for (const [partnerId, locked] of this.#before)
        if (locked) this.#locked.set(partnerId, locked);
        else this.#locked.delete(partnerId);
    };
  }

  /** The latest instant of the transaction. */
  get latest(): Instant {
    let latest = this.#now;
    for (const { lastInstant } of this.#locked.values()) latest = Math.max(latest, lastInstant);
    return latest;
  }

  /** Locks a partner, unless the transaction has, and returns its next numbers and instants. Throws not_found. */
  async open(partnerId: string): Promise<PartnerRows> {
    const known = this.#locked.get(partnerId);
    if (!known) await this.#lock([partnerId], "all");
    const locked = this.#locked.get(partnerId);
    if (!locked) throw notFound("Partner not found");
    if (!this.#before.has(partnerId))
      this.#before.set(partnerId, known && { ...known, numbers: { ...known.numbers } });
    const advance = (instant: Instant) => {
      locked.hasChanged ||= instant > locked.lastInstant;
      locked.lastInstant = Math.max(locked.lastInstant, instant);
      return locked.lastInstant;
    };
    const nextInstant = () => advance(Math.max(this.#now, locked.lastInstant + 1));
    const nextDeliveryId = () => {
      // Stored with the partner, so that a server whose clock is behind issues only later ids.
      let id = deliveryIdAt(advance(this.#now), this.nextDelivery());
      // Another server has issued an id at the same instant, with a sequence of its own.
      if (id <= locked.lastDelivery) id = deliveryIdAt(nextInstant(), this.nextDelivery());
      locked.lastDelivery = id;
      locked.hasChanged = true;
      return id;
    };
    return {
      nextSeq: (list) => ++locked.numbers[list],
      latestSeq: (list) => locked.numbers[list],
      nextInstant,
      latestInstant: () => advance(this.#now),
      newDeliveryId: nextDeliveryId,
    };
  }

  /** Stores the partners' latest instants and deliveries. Called before the commit. */
  async save(): Promise<void> {
    const changed = [...this.#locked.values()].filter(({ hasChanged }) => hasChanged);
    if (changed.length === 0) return;
    const values = [
      changed.map(({ partnerId }) => partnerId),
      changed.map(({ lastInstant }) => lastInstant),
      changed.map(({ lastDelivery }) => lastDelivery),
    ];
    await this.runner.write({ ...this.#prepared("save"), text: SAVE, values, tables: TABLES });
  }

  async #lock(partnerIds: readonly string[], which: "all" | "unlocked"): Promise<void> {
    const lock = which === "all" ? { ...this.#prepared("lock"), text: LOCK } : { text: LOCK_UNLOCKED };
    const { rows } = await this.runner.read({ ...lock, values: [partnerIds], tables: TABLES });
    for (const row of rows as Row[])
      this.#locked.set(row.partner_id, {
        partnerId: row.partner_id,
        numbers: {
          properties: Number(row.properties),
          appliances: Number(row.appliances),
          components: Number(row.components),
          events: Number(row.events),
        },
        lastInstant: Number(row.last_instant),
        lastDelivery: row.last_delivery,
        hasChanged: false,
      });
  }

  #prepared(name: string) {
    return this.preparesStatements && { name: `mainstay_${name}_partners` };
  }
}
