import { jsonWebhookEventNameOfTier } from "../../api-schemas/webhook-payload-schema.ts";
import type { Appliance } from "../../domain/appliance.ts";
import { type Component, type ComponentToScore, tierOfHundredths } from "../../domain/component.ts";
import type { PricedProperty } from "../../domain/costs/appliance-size.ts";
import type { PlannedPlace } from "../../domain/costs/cost-context.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import { hasSameLife } from "../../domain/planning/due-decision-validity.ts";
import type { StoredDue } from "../../domain/planning/planned-appliance.ts";
import type { Property } from "../../domain/property.ts";
import { meetsTierAnnouncementRule, type ScoreCause } from "../../domain/rules/tier-announcement-rule.ts";
import { extentOfScoreChange } from "../../domain/scoring/extent-of-score-change.ts";
import { type NoteReading, scoringFindingsOfNote } from "../../domain/scoring/note-findings.ts";
import type { Score } from "../../domain/scoring/scoring-types.ts";
import type { ServiceEvent } from "../../domain/service-event.ts";
import type { Day } from "../../domain/time.ts";
import type { AuditAction } from "../../domain/wording/audit-action-wording.ts";
import type { NumberedList, PartnerRows, Tx, WriteOptions } from "../../store/store.ts";
import { TierAnnouncements } from "../announcements/announce-tiers.ts";
import { AnnouncementOutbox } from "../announcements/announcement-outbox.ts";
import { loadedNoteKeyOf } from "../history/load-note-findings.ts";
import type { RescoreLimit } from "../rescoring/rescore-limit.ts";
import { portfolioWriterAuditDetail } from "./portfolio-writer-audit-detail.ts";
import type { ListDirection } from "./portfolio-writer-counter-changes.ts";
import { PortfolioWriterDueCostChanges } from "./portfolio-writer-due-cost-changes.ts";
import { PortfolioWriterMoneyChanges, type SummedAppliance } from "./portfolio-writer-money-changes.ts";
import { PortfolioWriterSumChanges } from "./portfolio-writer-sum-changes.ts";

/** The maker of a change in the audit log: a partner's or administrator's id, or `cli:<user>(<user id>)`. */
type Actor = string;

/** The fields of an appliance that scoring and announcements read. */
export type ApplianceRef = SummedAppliance &
  Pick<Appliance, "brandTier" | "installYearBasis" | "flags" | "deficiencies" | keyof StoredDue>;

/** The fields of an appliance that counts of its flags need. */
type FlaggedRef = Pick<Appliance, "id" | "propertyId" | "flags">;

/** The store's `write`, or a function that adds more to the same transaction. */
type Write<T> = (run: (tx: Tx) => Promise<T>, options: WriteOptions) => Promise<T>;

/**
 * Writes to one partner's portfolio in a transaction, with all sums that are derived from it.
 * @example
 * const property = await writePortfolio(store.write, knowledge, partner, (writer) =>
 *   createPropertyAndQueueWebhook(writer, input, { source: "api" }),
 * );
 */
export function writePortfolio<T>(
  write: Write<T>,
  knowledge: Knowledge,
  partner: Partner,
  run: (writer: PortfolioWriter) => Promise<T>,
  actor: Actor = partner.id,
): Promise<T> {
  return write(
    async (tx) => {
      const writer = await PortfolioWriter.open(tx, knowledge, partner, actor);
      const result = await run(writer);
      await writer.flush();
      return result;
    },
    { partnerId: partner.id },
  );
}

/**
 * Writes to one partner's portfolio within a transaction and maintains everything derived from it: the numbers of
 * the lists, the sums per property and partner, the counters by score, the event stream and the outbox. The sums
 * are collected in memory and written once, by `flush`.
 */
export class PortfolioWriter {
  readonly outbox: AnnouncementOutbox;
  /** Set where the changes of the transaction can concern any number of properties. */
  rescoreLimit: RescoreLimit | undefined;
  /** Notes that were read ahead of the transaction. */
  readNotes: ReadonlyMap<string, NoteReading> | undefined;
  announced = 0;
  /** Deliveries that the announcements have queued. */
  queued = 0;
  /** Tier changes by a new model that are not announced. */
  suppressed = 0;
  readonly #sums: PortfolioWriterSumChanges;
  #propertyNames = new Map<string, string>();
  #unscored = new Map<string, Map<string, Component>>();
  readonly #money: PortfolioWriterMoneyChanges;
  readonly due: PortfolioWriterDueCostChanges;
  readonly #tierChanges = new TierAnnouncements();
  /** The flags that this write has stored, by appliance. */
  #savedFlags = new Map<string, string>();
  readonly #savedDeficiencies = new Map<string, number>();

  private constructor(
    readonly tx: Tx,
    readonly knowledge: Knowledge,
    readonly partner: Partner,
    readonly rows: PartnerRows,
    readonly actor: Actor,
  ) {
    this.outbox = new AnnouncementOutbox(tx, partner, rows);
    this.#sums = new PortfolioWriterSumChanges(knowledge);
    this.#money = new PortfolioWriterMoneyChanges(tx, knowledge, partner.id);
    this.due = new PortfolioWriterDueCostChanges(tx, knowledge, this.#money, (propertyId, cents) => {
      this.#sums.ofProperty(propertyId).dueCents += cents;
    });
  }

  /**
   * Opens a writer for code that writes for several partners at once; it opens them in the order of their ids and
   * flushes each. Other code calls `writePortfolio`.
   */
  static async open(
    tx: Tx,
    knowledge: Knowledge,
    partner: Partner,
    actor: Actor = partner.id,
  ): Promise<PortfolioWriter> {
    return new PortfolioWriter(tx, knowledge, partner, await tx.forPartner(partner.id), actor);
  }

  /**
   * Adds a correction of a record to the audit log: the fields that differ, before and after, by the names of the API.
   * Adds nothing if none differs. The values are deleted when the partner is purged.
   */
  async auditCorrection(action: AuditAction, subject: string, before: object, after: object): Promise<void> {
    const detail = portfolioWriterAuditDetail(before, after);
    if (!detail) return;
    const entry = { at: this.tx.now, actor: this.actor, action, subject };
    const kept = { fields: Object.keys(detail.after) };
    await this.tx.audit.recordOfPartner({ ...entry, partnerId: this.partner.id, kept, values: detail });
  }

  /** Returns the number of a new row of a list, and counts the row. */
  nextSeq(list: NumberedList): number {
    this.#sums.countListed(list);
    return this.rows.nextSeq(list);
  }

  async insertProperty(property: Property): Promise<void> {
    await this.tx.properties.insert(property);
    await this.tx.totals.start(property.id, this.partner.id);
    await this.tx.plans.start(property.id, this.partner.id);
    await this.#logEvent("property", property.id, property.createdAt);
    this.#propertyNames.set(property.id, property.name);
    this.seePlace(property);
  }

  async insertAppliance(appliance: Appliance): Promise<void> {
    await this.tx.appliances.insert(appliance);
    await this.#logEvent("appliance", appliance.id, appliance.createdAt);
    this.#sums.countAppliance(appliance.propertyId);
    this.#money.create(appliance);
    this.#sums.flags.count(appliance, 1);
  }

  /** Stores the flags of an appliance if they changed, and counts the difference. */
  async saveFlags(appliance: FlaggedRef, flags: string): Promise<void> {
    const before = this.flagsOf(appliance);
    if (before === flags) return;
    this.#sums.flags.count({ ...appliance, flags: before }, -1);
    this.#sums.flags.count({ ...appliance, flags }, 1);
    await this.tx.appliances.saveFlags(appliance.id, flags);
    this.#savedFlags.set(appliance.id, flags);
    this.markPlanStale(appliance.propertyId);
  }

  /** Stores the number of an appliance's inspections with an open deficiency if it changed. */
  async saveDeficiencies(appliance: ApplianceRef, deficiencies: number): Promise<void> {
    if (deficiencies === this.deficienciesOf(appliance)) return;
    await this.tx.appliances.saveDeficiencies(appliance.id, deficiencies);
    this.#savedDeficiencies.set(appliance.id, deficiencies);
    this.markPlanStale(appliance.propertyId);
  }

  /** Returns the number of an appliance's inspections with an open deficiency after this write. */
  deficienciesOf({ id, deficiencies }: Pick<ApplianceRef, "id" | "deficiencies">): number {
    return this.#savedDeficiencies.get(id) ?? deficiencies;
  }

  /** Returns the flags of an appliance after this write. */
  flagsOf({ id, flags }: FlaggedRef): string {
    return this.#savedFlags.get(id) ?? flags;
  }

  /** Adds a new component. It is inserted with its first score, by the scoring that follows or by `flush`. */
  addComponent(component: Component): void {
    const unscored = this.#unscored.get(component.applianceId);
    if (unscored) unscored.set(component.id, component);
    else this.#unscored.set(component.applianceId, new Map([[component.id, component]]));
  }

  /** Returns an appliance's added components that are not inserted yet. */
  unscoredOf(applianceId: string): Iterable<Component> {
    return this.#unscored.get(applianceId)?.values() ?? [];
  }

  /** Inserts the added components of appliances without waiting for their scores. */
  async insertUnscored(applianceIds: readonly string[]): Promise<void> {
    for (const id of applianceIds) {
      for (const component of this.unscoredOf(id)) await this.#insertComponent(component);
      this.#unscored.delete(id);
    }
  }

  /** Takes a property's own row out of the list of properties, or puts it back, and its events out of the sums. */
  async switchProperty(property: Property, direction: ListDirection): Promise<void> {
    await this.tx.properties.negateNumber(property.id);
    this.#sums.retireProperty(property, direction);
  }

  /** Takes appliances with components out of all lists, counters and sums, or puts them back. */
  async switchAppliances(
    appliances: readonly Appliance[],
    components: readonly Component[],
    direction: ListDirection,
  ): Promise<void> {
    await this.tx.appliances.negateNumbers(appliances.map(({ id }) => id));
    for (const appliance of appliances) {
      this.#sums.flags.count({ ...appliance, flags: this.flagsOf(appliance) }, direction === "out" ? -1 : 1);
      this.#sums.retireAppliance(appliance, direction);
    }
    await this.switchComponents(components, direction);
  }

  /** Does the same for components whose appliance stays. */
  async switchComponents(components: readonly Component[], direction: ListDirection): Promise<void> {
    await this.tx.components.negateNumbers(components.map(({ id }) => id));
    for (const component of components) this.#sums.retireComponent(component, direction);
  }

  /** Moves an appliance's share of the sums from its property to another, or to the same with another type. */
  moveSums(appliance: FlaggedRef, to: string): void {
    this.#money.forget(appliance.id);
    this.due.forget(appliance.id);
    const flags = this.flagsOf(appliance);
    this.#sums.flags.count({ ...appliance, flags }, -1);
    this.#sums.flags.count({ propertyId: to, flags }, 1);
    this.recount(appliance.propertyId);
    this.recount(to);
  }

  /** Counts the sums of a property again when the writer is flushed, and marks its plan as stale. */
  recount(propertyId: string): void {
    this.#sums.recount(propertyId);
  }

  async #insertComponent(component: Component): Promise<void> {
    const def = this.knowledge.component(component.defId);
    await this.tx.components.insert(component, def.system);
    this.#sums.countComponent(component);
    this.#money.addNew(component);
  }

  /** Returns the partner's prices, as they are in this transaction. */
  prices(): Promise<PriceList> {
    return this.#money.prices();
  }

  /** Notes a property as it is now, so that it is not read again for its prices. */
  seePlace(property: PlannedPlace & { id: string }): void {
    this.#money.see(property);
  }

  /**
   * Must be called before the write changes what the costs of an appliance depend on: itself, the property that it is in, or
   * the own numbers of a component. The sums of money follow at the end of the write.
   */
  priceChanges(appliance: SummedAppliance, property: PricedProperty, component?: Component): void {
    this.#money.reprice(appliance, property, component);
    this.markPlanStale(appliance.propertyId);
  }

  async insertServiceEvent(event: ServiceEvent): Promise<void> {
    const { notes } = event;
    const reading = notes === null ? undefined : this.readNotes?.get(notes);
    await this.tx.serviceEvents.insert(
      event,
      reading ?? scoringFindingsOfNote(this.knowledge, notes, loadedNoteKeyOf),
    );
    await this.#logEvent("service_event", event.id, event.createdAt);
    this.#sums.countServiceEvent(event, 1);
  }

  /** Writes a changed or voided service event, and counts it where it now belongs. */
  async updateServiceEvent(before: ServiceEvent, after: ServiceEvent): Promise<void> {
    await this.tx.serviceEvents.update(
      after,
      scoringFindingsOfNote(this.knowledge, after.notes, loadedNoteKeyOf),
    );
    for (const [event, change] of [
      [before, -1],
      [after, 1],
    ] as const) {
      if (event.voidedAt === null) this.#sums.countServiceEvent(event, change);
    }
  }

  /**
   * Stores a component's new score and announces the change if the cause requires it. If the day `hasPoint` in the
   * trend already, that point stays. Returns the component as stored.
   */
  async saveScore(
    before: ComponentToScore,
    appliance: ApplianceRef,
    score: Score,
    asOf: Day,
    cause: ScoreCause,
    hasPoint = false,
  ): Promise<Component> {
    const riskScore = Math.round(score.riskScore * 100);
    const isSnapshot = cause === "snapshot" || cause === "change of model" || cause === "late snapshot";
    // A component scored after the latest snapshot began is dated by its own instant in the event stream.
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
    // Most of these values need no wait, and an await for each takes longer than they do.
    const cost = this.#money.expectedCost(after, appliance);
    after.expectedCostCents = typeof cost === "number" ? cost : await cost;
    if (cause === "change of model" && after.riskTier !== after.announcedTier) {
      this.suppressed++;
      after.announcedTier = after.riskTier;
    }
    if (meetsTierAnnouncementRule(cause, before, after)) {
      await this.#announce(before, after);
      after.announcedTier = after.riskTier;
    }
    const due = this.due.scored(before, after, appliance, this.flagsOf(appliance));
    if (due) await due;
    if (this.#unscored.get(before.applianceId)?.delete(before.id)) {
      await this.#insertComponent(after);
      return after;
    }
    const extent = extentOfScoreChange(before, after);
    const hasNewCost = after.expectedCostCents !== before.expectedCostCents;
    const saved = this.tx.components.saveScore(after, extent, hasNewCost);
    if (saved) await saved;
    // Plans that change only by age are renewed by the clock (`renewAgedPlans`), but not those of this day: other lives change them.
    if (!isSnapshot || !hasSameLife(before, after)) this.markPlanStale(after.propertyId);
    this.#sums.moveScore(before, after);
    if (before.riskTier !== after.riskTier) {
      if (!this.#money.addNew(after))
        this.#money.rescore(appliance, await this.#money.placeOf(appliance.propertyId), before);
      this.#sums.moveTier(before, after);
    }
    return after;
  }

  /** Adds the collected differences to the stored sums. The writer must not be used afterwards. */
  async flush(): Promise<void> {
    for (const components of this.#unscored.values())
      for (const component of components.values()) await this.#insertComponent(component);
    await this.#tierChanges.flush(this.tx, () => this.#money.prices(), this.outbox);
    await this.#sums.store(this.tx, this.partner.id, this.#money, this.due);
  }

  /** Marks the property's plan as stale. */
  markPlanStale(propertyId: string): void {
    this.#sums.markPlanStale(propertyId);
  }

  async propertyName(propertyId: string): Promise<string> {
    let name = this.#propertyNames.get(propertyId);
    if (name === undefined) {
      name = (await this.tx.properties.find(this.partner.id, propertyId))!.name;
      this.#propertyNames.set(propertyId, name);
    }
    return name;
  }

  async #announce(before: ComponentToScore, after: Component): Promise<void> {
    this.announced++;
    if (!(await this.outbox.isSubscribed(jsonWebhookEventNameOfTier(after.riskTier)))) return;
    this.#tierChanges.add(after, before.announcedTier);
    this.queued++;
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
