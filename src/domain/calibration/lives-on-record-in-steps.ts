import type { ComponentDef, Knowledge } from "../domain-knowledge.ts";
import { lifeScale, mayHaveReplacedEarlierPart } from "../scoring/aged-life.ts";
import { type DatedEvent, datedEventsUpTo, eventConcernsComponent } from "../scoring/dated-events.ts";
import { serviceEventHazardRatios } from "../scoring/score-evidence.ts";
import type { ApplianceHistory, ComponentHistory, PropertyHistory } from "../scoring/scoring-types.ts";
import { agingRate, partBirthDay, virtualAge } from "../scoring/virtual-age.ts";
import type { Steps } from "../steps/computation-steps.ts";
import { type Day, dayNumber } from "../time.ts";
import type { LifeOnRecord, LifeYear } from "./calibration-life.ts";
import { HAZARD_YEAR_DAYS } from "./expected-failures.ts";

/** An Emergency Repair at most so many days before a Replacement means that the part was replaced because it failed. */
const EMERGENCY_DAYS = 60;
/** The years up to the day of the fit that evidence is fitted on (docs/model/calibration.md#strength-of-evidence). */
const EVIDENCE_YEARS = 5;

/**
 * Returns the lives on record of a property's components as of a day (docs/model/calibration.md#lives-on-record). Each
 * has its years up to that day, `years` of them at most. Events dated after the day do not count.
 */
export function* livesOnRecordInSteps(
  knowledge: Knowledge,
  history: PropertyHistory,
  asOf: Day,
  { years = EVIDENCE_YEARS }: { years?: number } = {},
): Steps<LifeOnRecord[]> {
  const today = dayNumber(asOf);
  const environment = knowledge.environment(history.state);
  const division = knowledge.division(history.state ?? "");
  const recordsSince = Math.min(dayNumber(history.recordsSince), today);
  const lives: LifeOnRecord[] = [];
  for (const appliance of history.appliances) {
    const retiredOn = appliance.retiredOn === undefined ? today : dayNumber(appliance.retiredOn);
    const lastDay = Math.min(today, retiredOn);
    const events = withoutNotes(datedEventsUpTo(appliance.events, lastDay).events);
    for (const component of appliance.components) {
      const def = knowledge.component(component.defId);
      const rate = agingRate(def, appliance.usageIntensity, environment, knowledge.model);
      const own = events.filter((event) => eventConcernsComponent(event, component.id));
      const about = { knowledge, division, appliance, component, def, rate, recordsSince, today, lastDay };
      const subject = { ...about, years, events: own };
      for (const life of livesOf(subject)) lives.push(life);
      yield;
    }
  }
  return lives;
}

/** Words in notes are not fitted. */
const withoutNotes = (events: readonly DatedEvent[]) =>
  events.map((event) => (event.note === null ? event : { ...event, note: null }));

type Subject = {
  knowledge: Knowledge;
  division: string;
  appliance: ApplianceHistory;
  component: ComponentHistory;
  def: ComponentDef;
  rate: number;
  recordsSince: number;
  today: number;
  /** The last day on record: today, or that of the retirement, which ends a life without a failure. */
  lastDay: number;
  /** The number of years up to the day that get a `LifeYear`. */
  years: number;
  /** Events on the component or its appliance, of all lives or of one, oldest first. */
  events: readonly DatedEvent[];
};

/** The service of one part: from the installation or a Replacement to the next Replacement or the last day on record. */
type Span = { birth: number; isOriginal: boolean; end: number; replacement: "own" | "whole" | undefined };

/** Passes each life the events of its own span only, so that many short lives cost no more than a long one. */
function livesOf(subject: Subject): LifeOnRecord[] {
  const { events, recordsSince } = subject;
  const lives: LifeOnRecord[] = [];
  let begin = 0;
  for (const span of spansOf(subject)) {
    if (!span.isOriginal) while (begin < events.length && events[begin]!.day < span.birth) begin++;
    let end = begin;
    while (end < events.length && events[end]!.day <= span.end) end++;
    const from = Math.max(span.birth, recordsSince);
    if (from < span.end) lives.push(lifeOf({ ...subject, events: events.slice(begin, end) }, span, from));
  }
  return lives;
}

function spansOf({ component, events, lastDay }: Subject): Span[] {
  const replacements = new Map<number, "own" | "whole">();
  const { lastReplaced } = component;
  if (lastReplaced !== null && dayNumber(lastReplaced) <= lastDay)
    replacements.set(dayNumber(lastReplaced), "whole");
  for (const { eventType, day, componentId } of events)
    if (eventType === "Replacement" && replacements.get(day) !== "own")
      replacements.set(day, componentId === null ? "whole" : "own");
  const spans: Span[] = [];
  let birth = partBirthDay(component.installYear, undefined);
  let isOriginal = true;
  for (const day of [...replacements.keys()].sort((a, b) => a - b)) {
    spans.push({ birth, isOriginal, end: day, replacement: replacements.get(day) });
    birth = day;
    isOriginal = false;
  }
  spans.push({ birth, isOriginal, end: lastDay, replacement: undefined });
  return spans;
}

function lifeOf(subject: Subject, span: Span, from: number): LifeOnRecord {
  const { knowledge, appliance, component, def, rate, recordsSince, today } = subject;
  const make = { brandTier: appliance.brandTier, lifeFactor: 1 };
  const pastIsUnknown =
    span.isOriginal &&
    span.birth < recordsSince &&
    mayHaveReplacedEarlierPart(def, component, appliance.installYearBasis);
  const aging = { span, from, pastIsUnknown };
  const failed = endedInFailure(subject, span);
  return {
    defId: component.defId,
    componentId: component.id,
    applianceId: appliance.id,
    system: def.system,
    division: subject.division,
    scale: lifeScale(def, component.overrideLifespan, make, knowledge.model),
    shape: def.weibullShape,
    rate,
    from,
    until: span.end,
    entryAge: entryAge(subject, aging),
    accrued: accruedBy(subject, aging, span.end),
    pastIsUnknown,
    failed,
    years: yearsOf(subject, aging, today, failed),
  };
}

/**
 * Returns the virtual age at the start of the record. With an unknown past it is the nominal age, without restorations.
 * Events on the first day are on record.
 */
function entryAge(subject: Subject, { span, from, pastIsUnknown }: Aging): number {
  const events = pastIsUnknown || span.birth === from ? [] : before(subject.events, from);
  return ageBetween({ ...subject, events }, span.birth, from);
}

type Aging = { span: Span; from: number; pastIsUnknown: boolean };

/** Returns the virtual age accrued on record by a day, as if born at its start: restorations take nothing from before. */
function accruedBy(subject: Subject, { from }: Aging, day: number): number {
  return ageBetween(subject, from, day);
}

function ageBetween({ def, component, events, rate, knowledge }: Subject, from: number, to: number): number {
  const until = before(events, to + 1);
  return virtualAge(def, component.id, { restoring: until }, { from, today: to, rate }, knowledge.model);
}

/** Returns the events before a day number. */
function before(events: readonly DatedEvent[], day: number): readonly DatedEvent[] {
  let end = events.length;
  while (end > 0 && events[end - 1]!.day >= day) end--;
  return end === events.length ? events : events.slice(0, end);
}

function endedInFailure({ events, component }: Subject, { birth, end, replacement }: Span): boolean {
  if (replacement === undefined) return false;
  return events.some(
    ({ eventType, day, componentId }) =>
      eventType === "Emergency Repair" &&
      day > birth &&
      day <= end &&
      end - day <= EMERGENCY_DAYS &&
      (componentId === component.id || replacement === "own"),
  );
}

function yearsOf(subject: Subject, aging: Aging, today: number, failed: boolean): LifeYear[] {
  const { span, from } = aging;
  const years: LifeYear[] = [];
  for (let ago = subject.years; ago > 0; ago--) {
    const start = today - ago * HAZARD_YEAR_DAYS;
    if (start < from || start >= span.end) continue;
    const ends =
      span.replacement !== undefined
        ? span.end <= start + HAZARD_YEAR_DAYS
        : span.end < start + HAZARD_YEAR_DAYS;
    const accrued = accruedBy(subject, aging, start);
    const isWhole = aging.pastIsUnknown || span.birth === from;
    years.push({
      start,
      accrued,
      virtualAge: isWhole ? accrued : ageBetween(subject, span.birth, start),
      ...ratiosOn(subject, span, start),
      failed: ends ? (failed ? true : null) : false,
    });
  }
  return years;
}

/** Returns the ratios of the condition and of repairs from the part's events up to a day number. */
function ratiosOn({ knowledge, component, def, events }: Subject, span: Span, day: number) {
  const since = span.isOriginal ? Number.NEGATIVE_INFINITY : span.birth;
  const known = before(events, day + 1);
  const subject = { id: component.id, def, since, today: day };
  const { condition, repairs } = serviceEventHazardRatios(knowledge, subject, known, undefined);
  return { condition, repairs };
}
