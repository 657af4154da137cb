import type { Appliance } from "../../domain/appliance.ts";
import { type Component, type ComponentToScore, tierOfHundredths } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Property } from "../../domain/property.ts";
import type { Score } from "../../domain/scoring/types.ts";
import type { ServiceEvent } from "../../domain/service-event.ts";
import type { Day } from "../../domain/time.ts";
import { countTier, emptyTotals, type PropertyTotals } from "../../domain/totals.ts";
import { blockOf, SETTLED_ELEVATED, TIER_BUCKETS, WHOLE_BUCKET } from "../../store/component-counters.ts";
import type { NumberedList, PartnerRows, Tx, WriteOptions } from "../../store/store.ts";
import { tierChanged, tierEvent } from "../../wire/webhooks.ts";
import { Outbox } from "../deliveries/announcements.ts";
import { readNote } from "../history/note-findings.ts";

/**
 * What made a score move, which decides what is announced: a snapshot and a smart sensor event announce every
 * difference to the tier last announced, a replacement announces a return to GOOD, other history nothing. A snapshot
 * by another model than the one before, a change of ruler, takes the tiers that it finds for announced. A late
 * snapshot is that of a component that the day's first run has not seen.
 */
export type ScoreCause =
  | "snapshot"
  | "late snapshot"
  | "change of model"
  | "sensor"
  | "replacement"
  | "history";

/** An appliance as far as scores and their announcements need it. */
export type ApplianceOf = Pick<Appliance, "id" | "typeId" | "brandTier">;

/** A transaction of the store's, or one that does something more with what it comes to. */
type Write<T> = (run: (tx: Tx) => Promise<T>, options: WriteOptions) => Promise<T>;

/** Writes one partner's portfolio in a transaction, what is counted from it with it. */
export function writePortfolio<T>(
  write: Write<T>,
  knowledge: Knowledge,
  partner: Partner,
  run: (writer: PortfolioWriter) => Promise<T>,
): Promise<T> {
  return write(
    async (tx) => {
      const writer = await PortfolioWriter.open(tx, knowledge, partner);
      const result = await run(writer);
      await writer.flush();
      return result;
    },
    { partnerId: partner.id },
  );
}

/**
 * Writes one partner's portfolio within a transaction and keeps everything that is counted from it: the numbers of
 * the lists, the sums per property and partner, the tallies of scores, the event stream and the outbox. The counts
 * are gathered and written once by `flush`, when the write ends.
 */
export class PortfolioWriter {
  readonly outbox: Outbox;
  announced = 0;
  /** Deliveries that the announcements came to. */
  queued = 0;
  /** Differences that a change of model has made and nobody is told of. */
  heldBack = 0;
  #partnerDelta = { ...emptyTotals(), properties: 0, events: 0 };
  #propertyDeltas = new Map<string, PropertyTotals>();
  #tallies = new Map<number, Map<number, number>>();
  #propertyNames = new Map<string, string>();
  #unscored = new Map<string, Map<string, Component>>();
  /** Properties whose plans what was written bears on. */
  #replanned = new Set<string>();

  private constructor(
    readonly tx: Tx,
    readonly knowledge: Knowledge,
    readonly partner: Partner,
    readonly rows: PartnerRows,
  ) {
    this.outbox = new Outbox(tx, partner, rows);
  }

  /**
   * For who writes for several partners at once, opened in the order of their ids, and flushes each writer; others go
   * through `writePortfolio`.
   */
  static async open(tx: Tx, knowledge: Knowledge, partner: Partner): Promise<PortfolioWriter> {
    return new PortfolioWriter(tx, knowledge, partner, await tx.forPartner(partner.id));
  }

  /** The number of a new row of a list, which is counted with it. */
  nextSeq(list: NumberedList): number {
    this.#partnerDelta[list]++;
    return this.rows.nextSeq(list);
  }

  async insertProperty(property: Property): Promise<void> {
    await this.tx.properties.insert(property);
    await this.tx.totals.start(property.id, this.partner.id);
    await this.tx.plans.start(property.id, this.partner.id);
    await this.#logEvent("property", property.id, property.createdAt);
    this.#propertyNames.set(property.id, property.name);
  }

  async insertAppliance(appliance: Appliance): Promise<void> {
    await this.tx.appliances.insert(appliance);
    await this.#logEvent("appliance", appliance.id, appliance.createdAt);
    const delta = this.#propertyDelta(appliance.propertyId);
    delta.appliances++;
    delta.rcvCents += this.knowledge.type(appliance.typeId).rcvCents;
  }

  /** Takes in a new component. It is inserted with its first score: by the rescoring that follows, or by `flush`. */
  addComponent(component: Component): void {
    const unscored = this.#unscored.get(component.applianceId);
    if (unscored) unscored.set(component.id, component);
    else this.#unscored.set(component.applianceId, new Map([[component.id, component]]));
  }

  /** An appliance's components that were added and are not inserted yet. */
  unscoredOf(applianceId: string): Iterable<Component> {
    return this.#unscored.get(applianceId)?.values() ?? [];
  }

  async #insertComponent(component: Component): Promise<void> {
    const def = this.knowledge.component(component.defId);
    await this.tx.components.insert(component, def.system);
    this.replan(component.propertyId);
    const delta = this.#propertyDelta(component.propertyId);
    delta.components++;
    countTier(delta, component.riskScore, def, 1);
    countTier(this.#partnerDelta, component.riskScore, def, 1);
    this.#tally(component, 1);
  }

  async insertServiceEvent(event: ServiceEvent): Promise<void> {
    await this.tx.serviceEvents.insert(event, readNote(this.knowledge.keywords, event.notes));
    await this.#logEvent("service_event", event.id, event.createdAt);
    this.#propertyDelta(event.propertyId).serviceEvents++;
    this.#partnerDelta.serviceEvents++;
  }

  /**
   * Stores a component's new score and announces the move where the cause calls for it. Where the day `hasPoint` in
   * its trend already, that stands. Returns the component as it is now.
   */
  async saveScore(
    before: ComponentToScore,
    appliance: ApplianceOf,
    score: Score,
    asOf: Day,
    cause: ScoreCause,
    hasPoint = false,
  ): Promise<Component> {
    const riskScore = Math.round(score.riskScore * 100);
    const isSnapshot = cause === "snapshot" || cause === "change of model" || cause === "late snapshot";
    // What was scored by itself since the latest snapshot began is told by its own moment.
    const isSettled = isSnapshot && cause !== "late snapshot";
    const after: Component = {
      ...before,
      riskScore,
      riskTier: tierOfHundredths(riskScore),
      confidence: score.confidence,
      lifeFactor: score.lifeFactor,
      effectiveAgeYears: score.effectiveAgeYears,
      rate: score.rate,
      hazardRatio: score.hazardRatio,
      acuteHazard: score.acuteHazard,
      scoredOn: asOf,
      rescoredAt: isSettled ? null : this.rows.latestInstant(),
      trendScore: isSnapshot && !hasPoint ? riskScore : before.trendScore,
    };
    if (cause === "change of model" && after.riskTier !== after.announcedTier) {
      this.heldBack++;
      after.announcedTier = after.riskTier;
    }
    if (announces(cause, before, after)) {
      await this.#announce(before, after, appliance);
      after.announcedTier = after.riskTier;
    }
    if (this.#unscored.get(before.applianceId)?.delete(before.id)) {
      await this.#insertComponent(after);
      return after;
    }
    const extent = isOnlyOlder(before, after)
      ? "aged"
      : before.riskScore === after.riskScore
        ? "settled"
        : "moved";
    await this.tx.components.saveScore(after, extent);
    // What only ages is planned anew by the clock (`renewAgedPlans`).
    if (!isSnapshot) this.replan(after.propertyId);
    if (before.riskScore !== after.riskScore || isSettledElevated(before) !== isSettledElevated(after)) {
      this.#tally(before, -1);
      this.#tally(after, 1);
    }
    if (before.riskTier !== after.riskTier) this.#moveTier(before, after);
    return after;
  }

  /** Adds what was counted to the stored sums. The writer is not used after it. */
  async flush(): Promise<void> {
    for (const components of this.#unscored.values())
      for (const component of components.values()) await this.#insertComponent(component);
    for (const [propertyId, delta] of this.#propertyDeltas)
      await this.tx.totals.addToProperty(propertyId, delta);
    for (const propertyId of this.#replanned) await this.tx.plans.touch(propertyId);
    await this.tx.totals.addToPartner(this.partner.id, this.#partnerDelta);
    this.tx.bumpRevision(this.partner.id);
    for (const [bucket, blocks] of this.#tallies)
      for (const [block, count] of blocks)
        if (count !== 0) await this.tx.totals.addTally(this.partner.id, bucket, block, count);
  }

  /** Says that the property's plan is to be made anew. */
  replan(propertyId: string): void {
    this.#replanned.add(propertyId);
  }

  async propertyName(propertyId: string): Promise<string> {
    let name = this.#propertyNames.get(propertyId);
    if (name === undefined) {
      name = (await this.tx.properties.find(this.partner.id, propertyId))!.name;
      this.#propertyNames.set(propertyId, name);
    }
    return name;
  }

  async #announce(before: ComponentToScore, after: Component, appliance: ApplianceOf): Promise<void> {
    this.announced++;
    if (!(await this.outbox.wants(tierEvent(after.riskTier)))) return;
    const name = await this.propertyName(after.propertyId);
    const message = tierChanged(this.knowledge, after, appliance, name, before.announcedTier);
    await this.outbox.add({ ...message, orderKey: after.id });
    this.queued++;
  }

  #moveTier(before: ComponentToScore, after: Component): void {
    const def = this.knowledge.component(after.defId);
    for (const totals of [this.#propertyDelta(after.propertyId), this.#partnerDelta]) {
      countTier(totals, before.riskScore, def, -1);
      countTier(totals, after.riskScore, def, 1);
    }
  }

  #tally(component: ComponentToScore, change: 1 | -1): void {
    const buckets = [component.riskScore, TIER_BUCKETS[component.riskTier]];
    if (isSettledElevated(component)) buckets.push(SETTLED_ELEVATED);
    for (const bucket of buckets) {
      const blocks = this.#tallies.get(bucket) ?? new Map<number, number>();
      this.#tallies.set(bucket, blocks);
      for (const block of [WHOLE_BUCKET, blockOf(component.seq)])
        blocks.set(block, (blocks.get(block) ?? 0) + change);
    }
  }

  #propertyDelta(propertyId: string): PropertyTotals {
    let delta = this.#propertyDeltas.get(propertyId);
    if (!delta) {
      delta = emptyTotals();
      this.#propertyDeltas.set(propertyId, delta);
    }
    return delta;
  }

  async #logEvent(
    kind: "property" | "appliance" | "service_event",
    subjectId: string,
    createdAt: number,
  ): Promise<void> {
    const seq = this.nextSeq("events");
    await this.tx.eventLog.insert({ partnerId: this.partner.id, seq, createdAt, kind, subjectId });
  }
}

function announces(cause: ScoreCause, before: ComponentToScore, after: Component): boolean {
  if (after.riskTier === before.announcedTier) return false;
  if (cause === "history" || cause === "change of model") return false;
  return cause !== "replacement" || after.riskTier === "GOOD";
}

/** Whether it is among the elevated that the latest snapshot scored. */
const isSettledElevated = ({ riskTier, rescoredAt }: ComponentToScore) =>
  riskTier !== "GOOD" && rescoredAt === null;

/** Whether nothing moved that an index, a tally or the trend knows of. */
function isOnlyOlder(before: ComponentToScore, after: Component): boolean {
  return (
    before.riskScore === after.riskScore &&
    before.announcedTier === after.announcedTier &&
    before.rescoredAt === after.rescoredAt &&
    before.trendScore === after.trendScore
  );
}
