import type { ComponentDef, KeywordGroup, Knowledge } from "../domain-knowledge.ts";
import type { Condition, EventType } from "../service-event.ts";
import { DAYS_PER_MONTH, type Day } from "../time.ts";
import { type DatedEvent, eventConcernsComponent, indexOfFirstEventAfter } from "./dated-events.ts";
import { fadedRatio } from "./hazard-ratios.ts";
import type { Evidence } from "./scoring-types.ts";

/** A component on the day of scoring. */
export type EvidenceSubject = {
  id: string;
  def: ComponentDef;
  /** Day number of the last Replacement; earlier evidence concerned another part. -Infinity without one. */
  since: number;
  today: number;
};

/** Collects the evidence of a score; undefined without an explanation. */
export type EvidenceTrail = Evidence[] | undefined;

/** Appends a ratio other than 1 to the trail, and returns it. */
export function appendScoreEvidence(
  trail: EvidenceTrail,
  kind: Evidence["kind"],
  subject: string,
  on: Day | null,
  ratio: number,
  weight = 1,
  times = 1,
): number {
  if (ratio !== 1)
    trail?.push({
      kind,
      subject,
      on,
      ratio,
      ...(weight === 1 ? undefined : { weight }),
      ...(times === 1 ? undefined : { times }),
    });
  return ratio;
}

/** Hazard ratios of the service events after the last Replacement. Calibration puts exponents on two of them. */
type ServiceRatios = {
  /** The newest observed condition. */
  condition: number;
  /** Repairs and emergency repairs. */
  repairs: number;
  /** Inspections without a condition, and words in notes. */
  others: number;
};

/**
 * `all`: events on the component and on its whole appliance; `own`: those on the component alone, for its effect on
 * others, which the appliance's events reach by themselves.
 */
export type EvidenceScope = "all" | "own";

/** Returns the hazard ratios of a component's service events (docs/model/scoring.md#evidence). */
export function serviceEventHazardRatios(
  knowledge: Knowledge,
  subject: EvidenceSubject,
  events: readonly DatedEvent[],
  trail: EvidenceTrail,
  scope: EvidenceScope = "all",
): ServiceRatios {
  const { evidence } = knowledge.model;
  const ratios: ServiceRatios = { condition: 1, repairs: 1, others: 1 };
  const firstCounted = indexOfFirstEventAfter(
    events,
    Math.max(subject.since, subject.today - spanDays(knowledge)),
  );
  const counts = (event: DatedEvent) =>
    event.componentId === subject.id || (scope === "all" && event.componentId === null);
  const observed = newestCondition(events, firstCounted, counts);
  const condition = observed ? conditionRatio(knowledge, subject, observed) : 1;
  let conditionCounts = false;
  let repairs: DatedEvent[] | undefined;
  let latest: LatestDays | undefined;
  for (let at = firstCounted; at < events.length; at++) {
    const event = events[at]!;
    if (!counts(event)) continue;
    const { eventType: type, conditionAfter, times } = event;
    const months = ageMonths(event, subject);
    let [repaired, inspected, noted] = [1, 1, 1];
    if (type === "Repair") {
      repairs ??= [];
      for (let n = 0; n < Math.min(times, evidence.repair.counted); n++) repairs.push(event);
    } else if (type === "Emergency Repair") {
      const { ratio, spanMonths } = evidence.emergencyRepair;
      const weight = weightOf(knowledge, event);
      const weighed = weigh(fadedRatio(ratio, months, spanMonths), weight);
      repaired = appendScoreEvidence(trail, "emergency_repair", type, event.date, weighed, weight, times);
    } else if (type === "Inspection" && conditionAfter === null) {
      const { ratio, spanMonths } = evidence.inspection;
      const weight = weightOf(knowledge, event);
      const weighed = weigh(fadedRatio(ratio, months, spanMonths), weight);
      inspected = appendScoreEvidence(trail, "inspection", type, event.date, weighed, weight, times);
    }
    const isObserved = observed !== undefined && isSameCondition(event, observed);
    const words: EvidenceTrail = trail && [];
    if (event.note !== null && event.note.findings.length > 0 && months < evidence.keywords.spanMonths) {
      latest ??= latestByType(subject, events, firstCounted);
      noted = keywordRatio(knowledge, subject, event, latest, words);
    }
    // One visit counts once: its condition or the words of its notes, whichever says more.
    if (isObserved && strengthOf(noted) <= strengthOf(condition)) {
      conditionCounts = true;
      noted = 1;
    } else if (words) trail!.push(...words);
    if (repaired === 1 && inspected === 1 && noted === 1) continue;
    // Repeated multiplication: a power may differ in the last bit.
    for (let n = 0; n < times; n++) {
      ratios.repairs *= repaired;
      ratios.others *= inspected;
      ratios.others *= noted;
    }
  }
  if (repairs) ratios.repairs *= repairFrequencyRatio(knowledge, subject, repairs, trail);
  if (observed && conditionCounts)
    ratios.condition = appendScoreEvidence(
      trail,
      "condition",
      observed.conditionAfter!,
      observed.date,
      condition,
    );
  return ratios;
}

/** Returns how far a ratio is from 1 in either direction. */
const strengthOf = (ratio: number) => Math.max(ratio, 1 / ratio);

/** Returns the days after which every ratio has faded to exactly 1. */
function spanDays({ model }: Knowledge): number {
  const { emergencyRepair, repair, condition, inspection, keywords } = model.evidence;
  const months = Math.max(
    emergencyRepair.spanMonths,
    repair.spanMonths,
    condition.spanMonths,
    inspection.spanMonths,
    keywords.spanMonths,
  );
  return Math.ceil(months * DAYS_PER_MONTH);
}

function ageMonths(event: DatedEvent, subject: EvidenceSubject): number {
  return (subject.today - event.day) / DAYS_PER_MONTH;
}

/** Returns the exponent on a ratio: 1 for a named component, less for one of several that was not named. */
function weightOf({ model }: Knowledge, event: DatedEvent): number {
  return event.componentId === null ? model.evidence.unnamedComponentExponent : 1;
}

const weigh = (ratio: number, weight: number) => (weight === 1 ? ratio : ratio ** weight);

const SEVERITY: Record<Condition, number> = { good: 0, fair: 1, poor: 2 };

/** Returns the event with the newest condition; of two on one day, the worse, since their order is unknown. */
function newestCondition(
  events: readonly DatedEvent[],
  from: number,
  counts: (event: DatedEvent) => boolean,
): DatedEvent | undefined {
  let found: DatedEvent | undefined;
  for (let at = events.length - 1; at >= from; at--) {
    const event = events[at]!;
    if (found && event.day < found.day) break;
    if (event.conditionAfter === null || !counts(event)) continue;
    if (!found || SEVERITY[event.conditionAfter] > SEVERITY[found.conditionAfter!]) found = event;
  }
  return found;
}

const isSameCondition = (event: DatedEvent, { day, conditionAfter }: DatedEvent) =>
  event.day === day && event.conditionAfter === conditionAfter;

function conditionRatio(knowledge: Knowledge, subject: EvidenceSubject, event: DatedEvent): number {
  const { condition } = knowledge.model.evidence;
  return fadedRatio(condition[event.conditionAfter!], ageMonths(event, subject), condition.spanMonths);
}

/**
 * Returns the product of the strongest few repairs. These are the latest if all name a component; a repair that may have
 * been elsewhere must not displace one that was here, and so lower the score.
 */
function repairFrequencyRatio(
  knowledge: Knowledge,
  subject: EvidenceSubject,
  repairs: readonly DatedEvent[],
  trail: EvidenceTrail,
): number {
  const { ratio, spanMonths, counted } = knowledge.model.evidence.repair;
  const weighed = repairs.map((event) => {
    const weight = weightOf(knowledge, event);
    return { event, weight, ratio: weigh(fadedRatio(ratio, ageMonths(event, subject), spanMonths), weight) };
  });
  weighed.sort((a, b) => b.ratio - a.ratio);
  let product = 1;
  for (const { event, ratio, weight } of weighed.slice(0, counted))
    product *= appendScoreEvidence(trail, "repair", event.eventType, event.date, ratio, weight);
  return product;
}

/** Returns the product of the ratios of a note's findings on the component. */
function keywordRatio(
  knowledge: Knowledge,
  subject: EvidenceSubject,
  event: DatedEvent,
  latest: LatestDays,
  trail: EvidenceTrail,
): number {
  const { keywords, resolvedFindingExponent } = knowledge.model.evidence;
  const months = ageMonths(event, subject);
  let product = 1;
  for (const { groupId, share } of event.note!.findings) {
    const group = knowledge.keywordGroup(groupId);
    if (event.componentId === null && !groupConcerns(group, subject.def)) continue;
    if (group.clearedBy.length > 0 && isCleared(group, event, latest)) continue;
    const current = fadedRatio(group.ratio, months, keywords.spanMonths);
    const weight = weightOf(knowledge, event) * (share === 1 ? 1 : resolvedFindingExponent);
    product *= appendScoreEvidence(
      trail,
      "keyword",
      group.id,
      event.date,
      weigh(current, weight),
      weight,
      event.times,
    );
  }
  return product;
}

/** Returns whether a finding on a whole appliance concerns a component: all, if the type has none that the group lists. */
function groupConcerns(group: KeywordGroup, def: ComponentDef): boolean {
  if (group.componentIds === "all" || group.typeIds === "all") return true;
  return group.componentIds.has(def.id) || !group.typeIds.has(def.typeId);
}

/** The day number of the last counted event on a component, by event type. */
type LatestDays = ReadonlyMap<EventType, number>;

function latestByType(subject: EvidenceSubject, events: readonly DatedEvent[], from: number): LatestDays {
  const latest = new Map<EventType, number>();
  // Events before the first that counts cannot clear a later finding.
  for (let at = from; at < events.length; at++) {
    const event = events[at]!;
    if (eventConcernsComponent(event, subject.id)) latest.set(event.eventType, event.day);
  }
  return latest;
}

/** Returns whether the visit itself or a later one cleared the finding. */
const isCleared = ({ clearedBy }: KeywordGroup, { day }: DatedEvent, latest: LatestDays): boolean =>
  clearedBy.some((type) => (latest.get(type) ?? Number.NEGATIVE_INFINITY) >= day);
