import { invalid, notFound } from "../../domain/errors.ts";
import { refuseRetired, refuseRetiredComponent } from "../../domain/retirement.ts";
import { dayOf } from "../../domain/time.ts";
import { isDeferred, type Work } from "../../domain/work.ts";
import type { Yield } from "../../event-loop.ts";
import type { Stores } from "../../store/stores.ts";
import { type MarkedWork, serializeWorkDetail, type WorkRequest } from "../../wire/work.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { ServiceLog } from "./service-events.ts";

/** Any mark is older, also one of a server whose clock is ahead. */
const ANY_TIME = Number.MAX_SAFE_INTEGER;
/** Marks of a property that one query reads. */
const MARKS_A_STEP = 1000;

/** Marks the work of components and appliances, with an entry in the audit log for each. */
export class WorkMarks {
  readonly #log: ServiceLog;

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
    if (request.state === "done") {
      const { date, eventType, totalCostCents, conditionAfter } = request;
      const event = await this.#log.add({
        applianceId: appliance.id,
        componentId,
        eventType,
        date: date ?? dayOf(tx.now),
        partsCostCents: null,
        laborCostCents: null,
        totalCostCents,
        technician: by,
        notes: reason,
        conditionAfter,
      });
      after.serviceEventId = event.id;
    }
    if (request.state === "ordered" || request.state === "deferred") {
      const work = { ...common, subjectId, state: request.state, until: after.until };
      await tx.work.save(work, place);
      await tx.planActions.mark(appliance.propertyId, subjectId, work);
    } else {
      await tx.work.end([subjectId], ANY_TIME);
      await tx.planActions.mark(appliance.propertyId, subjectId, undefined);
    }
    await this.writer.auditCorrection(
      "work.mark",
      subjectId,
      serializeWorkDetail(before),
      serializeWorkDetail(after),
    );
    return after;
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
    refuseRetired("Appliance", appliance);
    if (component) refuseRetiredComponent(component);
    return { appliance, componentId: component?.id ?? null };
  }
}

function checkUntil(until: string, today: string): void {
  if (isDeferred({ until }, today)) return;
  const message = `must be after today, ${today}`;
  throw invalid(`until ${message}`, [{ field: "until", message }]);
}

/** Marked work by the ID of its component, or of its appliance as a whole. */
export type WorkBySubject = ReadonlyMap<string, Work>;

/** Returns the marked work of a property. */
export async function workOfProperty(
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
