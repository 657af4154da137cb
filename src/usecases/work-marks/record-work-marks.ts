import {
  type MarkedWork,
  serializeWorkMarkAuditDetail,
  type WorkRequest,
} from "../../api-schemas/work-mark-schema.ts";
import { conflict, invalid, notFound } from "../../domain/errors.ts";
import { checkComponentNotRetiredRule, checkNotRetiredRule } from "../../domain/rules/retirement-rule.ts";
import type { ServiceEvent } from "../../domain/service-event.ts";
import { type Day, dayOf } from "../../domain/time.ts";
import { isSameReplacementWork, isWorkDeferred, type Work } from "../../domain/work-mark.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { NewestDay } from "../../store/queries/service-events-queries.ts";
import type { Stores } from "../../store/stores.ts";
import { loadNewestServiceEventDays } from "../history/load-newest-service-event-days.ts";
import { ServiceLog } from "../history/record-service-events.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/** Any mark is older, also one of a server whose clock is ahead. */
const ANY_TIME = Number.MAX_SAFE_INTEGER;
/** Marks of a property that one query reads. */
const MARKS_A_STEP = 1000;

/** Marks the work of components and appliances, with an entry in the audit log for each. */
export class WorkMarks {
  readonly #log: ServiceLog;
  /** The newest days of appliances and the Replacements of their days: many marks of one appliance read them once. */
  readonly #newest = new Map<string, NewestDay[]>();
  readonly #replacements = new Map<string, Replacements>();

  constructor(private readonly writer: PortfolioWriter) {
    this.#log = new ServiceLog(writer);
  }

  /**
   * Marks one. Work that is done is logged as a service event, which scores and plans follow. Throws not_found, invalid_request,
   * or conflict for what is retired, with nothing written.
   */
  async mark(request: WorkRequest): Promise<MarkedWork> {
    const { tx, partner } = this.writer;
    const { subject, by, reason } = request;
    const { appliance, componentId } = await this.#find(subject);
    const place = { partnerId: partner.id, propertyId: appliance.propertyId };
    const subjectId = componentId ?? appliance.id;
    const before = await tx.work.find(subjectId);
    const common = { applianceId: appliance.id, componentId, by, reason, markedAt: tx.now };
    const after: MarkedWork = { ...common, state: request.state, until: null, serviceEventId: null };
    if (request.state === "deferred") {
      checkUntil(request.until, dayOf(tx.now));
      after.until = request.until;
    }
    let isKnown = false;
    if (request.state === "done") {
      const done = await this.#eventBefore(common, request, before !== undefined);
      isKnown = done !== undefined;
      const event = done ?? (await this.#logDone(common, request));
      after.serviceEventId = event.id;
      after.markedAt = event.createdAt;
    }
    if (request.state === "ordered" || request.state === "deferred") {
      const work = { ...common, subjectId, state: request.state, until: after.until };
      await tx.work.save(work, place);
      await tx.planActions.mark(appliance.propertyId, subjectId, work);
    } else {
      if (after.serviceEventId === null) await tx.work.remove(subjectId);
      else await tx.work.end([subjectId], ANY_TIME, after.serviceEventId);
      await tx.planActions.mark(appliance.propertyId, subjectId, undefined);
    }
    if (!isKnown || before)
      await this.writer.auditCorrection(
        "work.mark",
        subjectId,
        serializeWorkMarkAuditDetail(before),
        serializeWorkMarkAuditDetail(after),
      );
    return after;
  }

  /** Logs the event of work that is done. */
  async #logDone(
    { applianceId, componentId, by, reason }: Done,
    { date, eventType, totalCostCents, conditionAfter }: DoneRequest,
  ): Promise<ServiceEvent> {
    const event = await this.#log.add({
      applianceId,
      componentId,
      eventType,
      totalCostCents,
      conditionAfter,
      date: date ?? dayOf(this.writer.tx.now),
      partsCostCents: null,
      laborCostCents: null,
      technician: by,
      notes: reason,
    });
    this.#newest.get(applianceId)?.push(event);
    if (eventType === "Replacement")
      this.#replacements.get(dayKey(applianceId, event.date))?.set(componentId, event.id);
    return event;
  }

  /** Returns the latest Replacement of a day that did the work of the subject: its own, or one of the whole appliance. */
  async #replacementOnDay({ applianceId, componentId }: Subject, date: Day): Promise<string | undefined> {
    const key = dayKey(applianceId, date);
    let found = this.#replacements.get(key);
    if (!found) {
      const rows = await this.writer.tx.work.replacementsOnDay(applianceId, date);
      found = new Map(rows.map((row) => [row.componentId, row.id]));
      this.#replacements.set(key, found);
    }
    const ids = [found.get(null), found.get(componentId)].filter((id) => id !== undefined);
    return ids.toSorted().at(-1);
  }

  async #newestDays(applianceId: string): Promise<NewestDay[]> {
    let newest = this.#newest.get(applianceId);
    if (!newest) {
      newest = await loadNewestServiceEventDays(this.writer.tx, applianceId);
      this.#newest.set(applianceId, newest);
    }
    return newest;
  }

  /**
   * Returns the event on record that did the work on the day, so that work marked as done twice is logged once. A Replacement of
   * the whole appliance does the work of its parts; other work may be done several times a day. Throws conflict for a Replacement
   * with other values, and for one of what was replaced shortly before, unless the work `isMarked` since.
   */
  async #eventBefore(
    { by: technician, reason: notes, ...subject }: Done,
    { date: given, eventType, totalCostCents, conditionAfter }: DoneRequest,
    isMarked: boolean,
  ): Promise<ServiceEvent | undefined> {
    const { tx, partner } = this.writer;
    const date = given ?? dayOf(tx.now);
    const stated = { technician, notes, totalCostCents, conditionAfter };
    const isReplacement = eventType === "Replacement";
    const id = isReplacement
      ? await this.#replacementOnDay(subject, date)
      : await tx.work.sameEvent({ ...subject, ...stated, eventType, date });
    if (id === undefined) {
      if (isReplacement && !isMarked) await this.#refuseReplaced(subject, date);
      return undefined;
    }
    const event = (await tx.serviceEvents.find(partner.id, id))!;
    const isOtherCost = totalCostCents !== null && totalCostCents !== event.totalCostCents;
    const isOtherCondition = conditionAfter !== null && conditionAfter !== event.conditionAfter;
    if (!isOtherCost && !isOtherCondition) return event;
    throw conflict(
      `${doneText(date)} with another ${isOtherCost ? "total_cost" : "condition_after"}: change service event ${id}`,
    );
  }

  async #refuseReplaced(subject: Subject, date: Day): Promise<void> {
    const newest = await this.#newestDays(subject.applianceId);
    const same = newest.find(
      (one) =>
        one.eventType === "Replacement" &&
        (one.componentId === null || one.componentId === subject.componentId) &&
        isSameReplacementWork(one.date, date),
    );
    if (!same) return;
    const id = await this.#replacementOnDay(subject, same.date);
    throw conflict(
      `${doneText(same.date)}: change service event ${id}, or log another Replacement as a service event`,
    );
  }

  /** Updates what follows from the work that is done. */
  async finish(): Promise<void> {
    await this.#log.finish();
  }

  async #find(subject: WorkRequest["subject"]) {
    const { tx, partner } = this.writer;
    const component =
      "componentId" in subject ? await tx.components.find(partner.id, subject.componentId) : undefined;
    if ("componentId" in subject && !component) throw notFound(`Component not found: ${subject.componentId}`);
    const applianceId = "applianceId" in subject ? subject.applianceId : component!.applianceId;
    const appliance = await tx.appliances.find(partner.id, applianceId);
    if (!appliance) throw notFound(`Appliance not found: ${applianceId}`);
    checkNotRetiredRule("Appliance", appliance);
    if (component) checkComponentNotRetiredRule(component);
    return { appliance, componentId: component?.id ?? null };
  }
}

/** The ID of the latest Replacement of each component; of the whole appliance under null. */
type Replacements = Map<string | null, string>;

const dayKey = (applianceId: string, date: Day) => `${applianceId} ${date}`;

type Subject = Pick<MarkedWork, "applianceId" | "componentId">;
type Done = Subject & Pick<MarkedWork, "by" | "reason">;
type DoneRequest = WorkRequest & { state: "done" };

const doneText = (date: Day) => `The work was done on ${date} already`;

function checkUntil(until: string, today: string): void {
  if (isWorkDeferred({ until }, today)) return;
  const message = `must be after today, ${today}`;
  throw invalid(`until ${message}`, [{ field: "until", message }]);
}

/** Marked work by the ID of its component, or of its appliance as a whole. */
export type WorkBySubject = ReadonlyMap<string, Work>;

/** Returns the marked work of a property. */
export async function loadWorkMarksOfProperty(
  { work }: Pick<Stores, "work">,
  propertyId: string,
  yieldNow: Yield,
): Promise<WorkBySubject> {
  const all = new Map<string, Work>();
  for (let after = ""; ; await yieldNow()) {
    const page = await work.ofProperty(propertyId, after, MARKS_A_STEP);
    for (const one of page) all.set(one.subjectId, one);
    if (page.length < MARKS_A_STEP) return all;
    after = page.at(-1)!.subjectId;
  }
}
