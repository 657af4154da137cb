import type { ServiceEvent } from "./service-event.ts";
import { type Day, dayNumber, type Instant, MS_PER_DAY } from "./time.ts";

/** The states of work that are stored. Work without one is open. */
export const WORK_STATES = ["ordered", "deferred"] as const;
export type WorkState = (typeof WORK_STATES)[number];

/** Work on a component, or on an appliance as a whole, as somebody has marked it. No figure of a plan depends on it. */
export type Work = {
  /** The component, or the appliance. */
  subjectId: string;
  applianceId: string;
  componentId: string | null;
  state: WorkState;
  /** The day until which it is deferred; null if it is ordered. */
  until: Day | null;
  /** The person who marked it. */
  by: string;
  reason: string | null;
  markedAt: Instant;
};

/** Returns whether work waits on a day for a later one. */
export const isWorkDeferred = ({ until }: Pick<Work, "until">, today: Day): boolean =>
  until !== null && until > today;

/** A Replacement within so many days of another of the same part is work that was marked as done already. */
const SAME_WORK_DAYS = 30;

/** Returns whether a Replacement on a day would be the work of the one before, marked as done again. */
export const isSameReplacementWork = (replacedOn: Day, date: Day): boolean =>
  Math.abs(dayNumber(date) - dayNumber(replacedOn)) <= SAME_WORK_DAYS;

/** The fields of an event that the work which it does follows from. */
type DoingEvent = Pick<ServiceEvent, "applianceId" | "componentId" | "eventType" | "date" | "voidedAt">;

/** Returns whether an event that counts is on the subject of a mark, or on the whole appliance of it. */
export const eventConcernsWork = (
  event: DoingEvent,
  work: Pick<Work, "applianceId" | "componentId">,
): boolean =>
  event.voidedAt === null &&
  event.applianceId === work.applianceId &&
  (event.componentId === null || event.componentId === work.componentId);

/** Returns whether an event is a Replacement that has done the work of a mark that was made by its day. */
export const isWorkDoneByEvent = (
  event: DoingEvent,
  work: Pick<Work, "applianceId" | "componentId" | "markedAt">,
): boolean =>
  event.eventType === "Replacement" && eventConcernsWork(event, work) && work.markedAt < endOfDay(event.date);

/** Returns the first instant after a day. */
export const endOfDay = (day: Day): Instant => (dayNumber(day) + 1) * MS_PER_DAY;
