import { type ServiceEventRequest, serializeServiceEvent } from "../../api-schemas/service-event-schema.ts";
import type { Voiding } from "../../api-schemas/voiding-schema.ts";
import { serializeServiceEventCreatedMessage } from "../../api-schemas/webhook-payload-schema.ts";
import type { Appliance } from "../../domain/appliance.ts";
import { conflict, notFound } from "../../domain/errors.ts";
import type { Property } from "../../domain/property.ts";
import { checkInspectionTypesRule } from "../../domain/rules/inspection-types-rule.ts";
import { checkPastDayRule } from "../../domain/rules/past-day-rule.ts";
import { checkNotRetiredRule } from "../../domain/rules/retirement-rule.ts";
import { serviceEventByChangeRule } from "../../domain/rules/service-event-change-rule.ts";
import { voidingByRule } from "../../domain/rules/voiding-rule.ts";
import { movesServiceRecordStartBack } from "../../domain/scoring/service-record-start.ts";
import {
  isServicingEventType,
  type NewServiceEvent,
  type ServiceEvent,
  type ServiceEventChange,
  totalCostCents,
} from "../../domain/service-event.ts";
import { type Day, dayOf } from "../../domain/time.ts";
import type { AuditAction } from "../../domain/wording/audit-action-wording.ts";
import { endOfDay, eventConcernsWork, isWorkDoneByEvent } from "../../domain/work-mark.ts";
import type { DatedComponent } from "../../store/queries/components-queries.ts";
import type { Stores } from "../../store/stores.ts";
import { snapshotIsScoredByActiveModel } from "../calibration/load-active-model.ts";
import { PredictionOutcomeLog } from "../calibration/record-prediction-outcomes.ts";
import { movePhotosOfEvent } from "../photos/record-appliance-photos.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { type RescoreInput, rescoreBatches, rescoreProperties } from "../rescoring/rescore.ts";
import { loadNewestServiceEventDays } from "./load-newest-service-event-days.ts";
import { extendServiceRecordStarts, rederiveServiceRecordStarts } from "./move-service-record-starts.ts";

type Touched = { appliance: Appliance; replaced: boolean };
/** A property and the number of its components. */
type SizedProperty = { property: Property; components: number };

/**
 * Logs service events and updates what they concern: the components' dates, the validation data, and, when `finish`
 * is called, the scores of every affected appliance.
 */
export class ServiceLog {
  #appliances = new Map<string, { appliance: Appliance; components: DatedComponent[] } | undefined>();
  /** By property: the affected appliances, and whether one of their events is a Replacement. */
  #touched = new Map<string, Map<string, Touched>>();
  #moved = new Set<DatedComponent>();
  /** The appliances whose components' dates can have moved back. */
  readonly #redated = new Set<string>();
  /** The properties whose records can have become shorter. */
  readonly #reopened = new Set<string>();
  /** The days of the events by property. */
  #days = new Map<string, Day[]>();
  /** The properties of appliances, for a transaction that limits what it rescores. */
  readonly #properties = new Map<string, SizedProperty>();
  readonly #outcomes: PredictionOutcomeLog;

  /** `isOnlyChange`: the write changes events, and nothing else of the portfolio. */
  constructor(
    private readonly writer: PortfolioWriter,
    private readonly isOnlyChange = false,
  ) {
    this.#outcomes = new PredictionOutcomeLog(writer);
  }

  /** Loads the data of those of the partner's appliances that have these IDs, ahead of their events. */
  async preloadByIds(ids: readonly string[]): Promise<void> {
    const { tx, partner } = this.writer;
    for (const some of rescoreBatches([...new Set(ids)])) {
      await this.preload(await tx.appliances.ofIds(partner.id, some));
      await tx.yieldToEventLoop();
    }
  }

  /** Loads the data of several appliances at once, ahead of their events. */
  async preload(appliances: readonly Appliance[]): Promise<void> {
    const unknown = appliances.filter(({ id }) => !this.#appliances.has(id));
    const ids = unknown.map(({ id }) => id);
    if (ids.length === 0) return;
    const components = Map.groupBy(
      await this.writer.tx.components.datesOfAppliances(ids),
      ({ applianceId }) => applianceId,
    );
    for (const appliance of unknown)
      this.#appliances.set(appliance.id, { appliance, components: components.get(appliance.id) ?? [] });
    await this.#loadProperties(unknown.map(({ propertyId }) => propertyId));
  }

  async #loadProperties(propertyIds: readonly string[]): Promise<void> {
    const { tx, partner } = this.writer;
    const ids = [...new Set(propertyIds)].filter((id) => !this.#properties.has(id));
    if (ids.length === 0) return;
    const sizes = await tx.totals.sizesOf(ids);
    for (const property of await tx.properties.ofIds(partner.id, ids))
      this.#properties.set(property.id, { property, components: sizes.get(property.id)?.components ?? 0 });
  }

  /** Reserves the scores of a property whose record an event extends. Throws RescoreLimitExceeded. */
  async #reserveScores({ propertyId }: Appliance, day: Day): Promise<void> {
    const { rescoreLimit } = this.writer;
    if (!rescoreLimit) return;
    await this.#loadProperties([propertyId]);
    const { property, components } = this.#properties.get(propertyId)!;
    if (movesServiceRecordStartBack(this.writer.knowledge.model, property, day))
      rescoreLimit.reserve(propertyId, components);
  }

  /** Returns an appliance's components if they are loaded. */
  componentsOf(applianceId: string): readonly DatedComponent[] | undefined {
    return this.#appliances.get(applianceId)?.components;
  }

  /** Writes one event. Throws not_found, invalid_request or RescoreLimitExceeded, with nothing written. */
  async add(input: NewServiceEvent): Promise<ServiceEvent> {
    const { tx, partner } = this.writer;
    const { appliance, spokenOf } = await this.#subjectOf(input);
    const { typeId } = appliance;
    const inspectionTypes = checkInspectionTypesRule(this.writer.knowledge, typeId, input.inspectionTypes);
    await this.#reserveScores(appliance, input.date);
    const event: ServiceEvent = {
      ...input,
      inspectionTypes,
      conditionScore: input.conditionScore ?? null,
      voidedAt: null,
      voidReason: null,
      id: tx.newId("serviceEvent"),
      partnerId: partner.id,
      propertyId: appliance.propertyId,
      totalCostCents: totalCostCents(input),
      createdAt: this.writer.rows.nextInstant(),
    };
    await this.writer.insertServiceEvent(event);
    for (const component of spokenOf) this.#moveDates(component, event);
    if (event.eventType === "Replacement") await this.#endWork(event, spokenOf);
    this.#outcomes.add(event, appliance);
    this.#touch(appliance, event.date, event.eventType === "Replacement");
    if (await this.writer.outbox.isSubscribed("service_event.created")) {
      const name = await this.writer.propertyName(appliance.propertyId);
      await this.writer.outbox.add(serializeServiceEventCreatedMessage(event, appliance.typeId, name));
    }
    return event;
  }

  /** Ends the marks on the work that a replacement has done, which were made by its day. */
  async #endWork(
    { id, applianceId, componentId, date }: ServiceEvent,
    components: readonly DatedComponent[],
  ) {
    const subjects = components.map(({ id }) => id);
    if (componentId === null) subjects.push(applianceId);
    await this.writer.tx.work.end(subjects, endOfDay(date), id);
  }

  /**
   * Lets the marks hold again whose work a changed or voided event has not done, unless another has. Work that was marked as
   * done with the event stays done by it, whatever its day and type.
   */
  async #renewWork(before: ServiceEvent, after: ServiceEvent): Promise<void> {
    const { work } = this.writer.tx;
    for (const mark of await work.endedBy(before.id)) {
      if (isWorkDoneByEvent(before, mark) ? isWorkDoneByEvent(after, mark) : eventConcernsWork(after, mark))
        continue;
      await work.setEnd(mark.subjectId, (await work.replacementAfter(mark, before.id)) ?? null);
    }
    if (after.voidedAt === null && after.eventType === "Replacement")
      await this.#endWork(after, (await this.#subjectOf(after, before)).spokenOf);
  }

  /**
   * Returns the appliance and the components that an event concerns: none for one `before` its change of a component of the
   * appliance's former type. Throws not_found or invalid_request, and conflict for a retired appliance.
   */
  async #subjectOf(
    { applianceId, componentId, date }: Pick<ServiceEvent, "applianceId" | "componentId" | "date">,
    before?: ServiceEvent,
  ): Promise<{
    appliance: Appliance;
    spokenOf: readonly DatedComponent[];
  }> {
    const known = await this.#load(applianceId);
    if (!known) throw notFound(`Appliance not found: ${applianceId}`);
    const { appliance, components } = known;
    checkNotRetiredRule("Appliance", appliance);
    const spokenOf = componentId === null ? components : components.filter(({ id }) => id === componentId);
    const isAsBefore = before?.applianceId === applianceId && before.componentId === componentId;
    if (componentId !== null && spokenOf.length === 0 && !isAsBefore)
      throw notFound(`Component not found: ${componentId}`);
    checkPastDayRule("date", date, dayOf(this.writer.tx.now));
    return { appliance, spokenOf };
  }

  /**
   * Changes an event, with an entry in the audit log; its photos follow it to another appliance. No webhook is sent. Throws
   * not_found or invalid_request as `add` does, and conflict for a voided event, with nothing written.
   */
  async change(before: ServiceEvent, change: ServiceEventChange): Promise<ServiceEvent> {
    if (before.voidedAt !== null)
      throw conflict(`Service event ${before.id} was voided and cannot be changed: log it again`);
    await this.#checkNotRetiredRule(before);
    const after = serviceEventByChangeRule(before, change);
    const { appliance } = await this.#subjectOf(after, before);
    after.propertyId = appliance.propertyId;
    const had = appliance.id === before.applianceId ? before.inspectionTypes : null;
    after.inspectionTypes = checkInspectionTypesRule(
      this.writer.knowledge,
      appliance.typeId,
      after.inspectionTypes,
      had,
    );
    if (after.applianceId !== before.applianceId)
      await movePhotosOfEvent(this.writer.tx, before, after.applianceId);
    await this.#replace(before, after, "service_event.update");
    return after;
  }

  /**
   * Voids an event, with an entry in the audit log: it is kept, and no longer counts. A voided event stays as it is, but for a
   * reason if it has none.
   */
  async void(before: ServiceEvent, { reason }: Voiding): Promise<ServiceEvent> {
    const voiding = voidingByRule(before, reason, this.writer.tx.now);
    if (!voiding) return before;
    await this.#checkNotRetiredRule(before);
    const after = { ...before, ...voiding };
    await this.#replace(before, after, "service_event.void");
    return after;
  }

  /** Throws a conflict if the event's appliance is retired. */
  async #checkNotRetiredRule({ applianceId }: ServiceEvent): Promise<void> {
    const known = await this.#load(applianceId);
    if (known) checkNotRetiredRule("Appliance", known.appliance);
  }

  async #replace(before: ServiceEvent, after: ServiceEvent, action: AuditAction): Promise<void> {
    const [from, to] = [serializeServiceEvent(before), serializeServiceEvent(after)];
    if (Bun.deepEquals(from, to)) return;
    await this.writer.updateServiceEvent(before, after);
    await this.writer.auditCorrection(action, after.id, from, to);
    const isMoved = MOVING.some((field) => before[field] !== after[field]);
    for (const event of [before, after]) {
      const known = await this.#load(event.applianceId);
      if (!known) continue;
      if (isMoved) {
        this.#redated.add(known.appliance.id);
        this.#reopened.add(known.appliance.propertyId);
        await this.#outcomes.reopen(event, known.appliance);
      }
      const isReplaced = event === after && after.voidedAt === null && after.eventType === "Replacement";
      this.#touch(known.appliance, event.date, isReplaced);
    }
    if (isMoved) await this.#renewWork(before, after);
    if (isMoved && after.voidedAt === null)
      this.#outcomes.add(after, (await this.#load(after.applianceId))!.appliance);
  }

  /** Stores the outcomes and the components' dates, and scores the affected appliances. */
  async finish(): Promise<void> {
    const { tx, partner, knowledge } = this.writer;
    const found = await tx.properties.ofIds(partner.id, [...this.#touched.keys()]);
    const properties = new Map(found.map((property) => [property.id, property]));
    const [reopened, extended] = [true, false].map((is) =>
      found.filter(({ id }) => this.#reopened.has(id) === is),
    );
    const moved = [
      ...(await extendServiceRecordStarts(this.writer, extended!, this.#days)),
      ...(await rederiveServiceRecordStarts(this.writer, reopened!)),
    ];
    for (const property of moved) properties.set(property.id, property);
    await this.#outcomes.finish();
    for (const id of this.#redated) await this.#renewDates(id);
    for (const component of this.#moved) await tx.components.saveDates(component.id, component);
    await tx.yieldToEventLoop();
    const cause = "history";
    await rescoreProperties(
      this.writer,
      moved.map((property) => ({ property, changed: "all", cause })),
    );
    const whole = new Set(moved.map(({ id }) => id));
    const partlyChanged = [...this.#touched].filter(([propertyId]) => !whole.has(propertyId));
    const latest = this.isOnlyChange ? await tx.snapshots.latestFinished() : undefined;
    if (this.isOnlyChange && (await snapshotIsScoredByActiveModel(tx, latest, knowledge)))
      this.writer.due.trustDecisions(true);
    await this.#rescore(partlyChanged, properties, false);
    this.writer.due.trustDecisions(false);
    // A replacement announces only the components that it restores, not the changes by other events of the request.
    await this.#rescore([...this.#touched], properties, true);
  }

  /** Scores the appliances that were replaced, or the others. */
  async #rescore(
    touched: readonly (readonly [string, ReadonlyMap<string, Touched>])[],
    properties: ReadonlyMap<string, Property>,
    replaced: boolean,
  ): Promise<void> {
    const rescorings: RescoreInput[] = [];
    for (const [propertyId, appliances] of touched) {
      const changed = [...appliances.values()]
        .filter((appliance) => appliance.replaced === replaced)
        .map(({ appliance }) => appliance);
      const cause = replaced ? "replacement" : "history";
      if (changed.length > 0) rescorings.push({ property: properties.get(propertyId)!, changed, cause });
    }
    await rescoreProperties(this.writer, rescorings);
  }

  async #load(applianceId: string) {
    if (this.#appliances.has(applianceId)) return this.#appliances.get(applianceId);
    const { tx, partner } = this.writer;
    const appliance = await tx.appliances.find(partner.id, applianceId);
    const known = appliance && {
      appliance,
      components: await tx.components.datesOfAppliances([applianceId]),
    };
    this.#appliances.set(applianceId, known);
    return known;
  }

  #moveDates(component: DatedComponent, event: ServiceEvent): void {
    const replaced = event.eventType === "Replacement" && event.date > (component.lastReplaced ?? "");
    const serviced = isServicingEventType(event.eventType) && event.date > (component.lastServiced ?? "");
    if (replaced) component.lastReplaced = event.date;
    if (serviced) component.lastServiced = event.date;
    if (replaced || serviced) this.#moved.add(component);
  }

  /** Derives the dates of an appliance's components from the events that count. */
  async #renewDates(applianceId: string): Promise<void> {
    const { components } = (await this.#load(applianceId))!;
    const newest = await loadNewestServiceEventDays(this.writer.tx, applianceId);
    for (const component of components) {
      const own = newest.filter(({ componentId }) => componentId === null || componentId === component.id);
      component.lastReplaced = newestDay(own.filter(({ eventType }) => eventType === "Replacement"));
      component.lastServiced = newestDay(own.filter(({ eventType }) => isServicingEventType(eventType)));
      this.#moved.add(component);
    }
    await this.writer.tx.yieldToEventLoop();
  }

  #touch(appliance: Appliance, day: Day, isReplacement: boolean): void {
    const touched = this.#touched.get(appliance.propertyId) ?? new Map();
    const replaced = touched.get(appliance.id)?.replaced || isReplacement;
    touched.set(appliance.id, { appliance, replaced });
    this.#touched.set(appliance.propertyId, touched);
    const days = this.#days.get(appliance.propertyId);
    if (days) days.push(day);
    else this.#days.set(appliance.propertyId, [day]);
  }
}

/** The fields of an event that outcomes, the components' dates and the start of the record follow. */
const MOVING = ["applianceId", "componentId", "eventType", "date", "voidedAt"] as const;

const newestDay = (days: readonly { date: Day }[]): Day | null =>
  days.reduce<Day | null>((newest, { date }) => (newest === null || date > newest ? date : newest), null);

/** Changes or voids a service event, and updates what follows from it. Throws as `ServiceLog.change` does. */
export async function correctServiceEvent(
  writer: PortfolioWriter,
  id: string,
  request: ServiceEventRequest,
): Promise<ServiceEvent> {
  const before = await loadServiceEventOfPartner(writer.tx, writer.partner.id, id);
  const log = new ServiceLog(writer);
  const after =
    "void" in request ? await log.void(before, request.void) : await log.change(before, request.change);
  await log.finish();
  return after;
}

/** Returns an event of the partner. Throws not_found. */
export async function loadServiceEventOfPartner(
  { serviceEvents }: Pick<Stores, "serviceEvents">,
  partnerId: string,
  id: string,
): Promise<ServiceEvent> {
  const event = await serviceEvents.find(partnerId, id);
  if (!event) throw notFound("Service event not found");
  return event;
}
