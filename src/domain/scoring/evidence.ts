import type { ComponentDef, KeywordGroup, Knowledge } from "../knowledge.ts";
import type { Condition, EventType } from "../service-event.ts";
import { DAYS_PER_MONTH, type Day } from "../time.ts";
import { fadedRatio } from "./ratios.ts";
import { concerns, type DatedEvent, firstAfter } from "./timeline.ts";
import type { Evidence } from "./types.ts";

/** A component on the day of scoring. */
export type Subject = {
  id: string;
  def: ComponentDef;
  /** Day of its last Replacement: what happened up to it concerned another part. -Infinity without one. */
  since: number;
  today: number;
};

/** Collects the factors of a score for an explanation; undefined when nobody asked for one. */
export type Trail = Evidence[] | undefined;

/** Enters a ratio that says something, so many times, into the trail, and returns it. */
export function enter(
  trail: Trail,
  kind: Evidence["kind"],
  subject: string,
  on: Day | null,
  ratio: number,
  weight = 1,
  times = 1,
): number {
  if (ratio !== 1)
    trail?.push({
      ...{ kind, subject, on, ratio },
      ...(weight === 1 ? undefined : { weight }),
      ...(times === 1 ? undefined : { times }),
    });
  return ratio;
}

/** Hazard ratios of the service events after the last Replacement; calibration strengthens two of them. */
type ServiceRatios = {
  /** Of the condition seen last. */
  condition: number;
  /** Of repairs and emergency repairs. */
  repairs: number;
  /** Of all else: inspections and words in notes. */
  others: number;
};

export function serviceRatios(
  knowledge: Knowledge,
  subject: Subject,
  events: readonly DatedEvent[],
  trail: Trail,
): ServiceRatios {
  const { evidence } = knowledge.model;
  const ratios: ServiceRatios = { condition: 1, repairs: 1, others: 1 };
  let repairs: DatedEvent[] | undefined;
  let observed: DatedEvent | undefined;
  let latest: LatestDays | undefined;
  const spoken = firstAfter(events, Math.max(subject.since, subject.today - spanDays(knowledge)));
  for (let at = spoken; at < events.length; at++) {
    const event = events[at]!;
    if (!concerns(event, subject.id)) continue;
    const { eventType: type, conditionAfter: condition, times } = event;
    const months = ageMonths(event, subject);
    let [repaired, inspected, said] = [1, 1, 1];
    if (condition !== null && (observed === undefined || supersedes(event, observed))) observed = event;
    if (type === "Repair") {
      repairs ??= [];
      for (let n = 0; n < Math.min(times, evidence.repair.counted); n++) repairs.push(event);
    } else if (type === "Emergency Repair") {
      const { ratio, spanMonths } = evidence.emergencyRepair;
      const weight = weightOf(knowledge, event);
      const weighed = weigh(fadedRatio(ratio, months, spanMonths), weight);
      repaired = enter(trail, "emergency_repair", type, event.date, weighed, weight, times);
    } else if (type === "Inspection" && condition === null) {
      const { ratio, spanMonths } = evidence.inspection;
      const weight = weightOf(knowledge, event);
      const weighed = weigh(fadedRatio(ratio, months, spanMonths), weight);
      inspected = enter(trail, "inspection", type, event.date, weighed, weight, times);
    }
    if (event.note !== null && event.note.findings.length > 0 && months < evidence.keywords.spanMonths) {
      latest ??= latestByType(subject, events, spoken);
      said = keywordRatio(knowledge, subject, event, latest, trail);
    }
    if (repaired === 1 && inspected === 1 && said === 1) continue;
    // One after the other: a power may differ in the last bit.
    for (let n = 0; n < times; n++) {
      ratios.repairs *= repaired;
      ratios.others *= inspected;
      ratios.others *= said;
    }
  }
  if (repairs) ratios.repairs *= repairFrequencyRatio(knowledge, subject, repairs, trail);
  if (observed) ratios.condition = conditionRatio(knowledge, subject, observed, trail);
  return ratios;
}

/** Days after which no event says anything any more: its ratio has faded to exactly 1. */
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

function ageMonths(event: DatedEvent, subject: Subject): number {
  return (subject.today - event.day) / DAYS_PER_MONTH;
}

/** The power on a ratio: 1 for a named component, less for one of several that nobody named. */
function weightOf({ model }: Knowledge, event: DatedEvent): number {
  return event.componentId === null ? model.evidence.unnamedComponentExponent : 1;
}

const weigh = (ratio: number, weight: number) => (weight === 1 ? ratio : ratio ** weight);

const SEVERITY: Record<Condition, number> = { good: 0, fair: 1, poor: 2 };

/** The newest condition counts; of two on one day, whose order nobody knows, the worse. */
function supersedes(event: DatedEvent, other: DatedEvent): boolean {
  if (event.day !== other.day) return event.day > other.day;
  return SEVERITY[event.conditionAfter!] > SEVERITY[other.conditionAfter!];
}

function conditionRatio(knowledge: Knowledge, subject: Subject, event: DatedEvent, trail: Trail): number {
  const { condition } = knowledge.model.evidence;
  const ratio = fadedRatio(condition[event.conditionAfter!], ageMonths(event, subject), condition.spanMonths);
  return enter(trail, "condition", event.conditionAfter!, event.date, ratio);
}

/**
 * The last few repairs. Where some name no component, the strongest few: a repair that may have been elsewhere must
 * not push out one that was here, and so lower the score.
 */
function repairFrequencyRatio(
  knowledge: Knowledge,
  subject: Subject,
  repairs: readonly DatedEvent[],
  trail: Trail,
): number {
  const { ratio, spanMonths, counted } = knowledge.model.evidence.repair;
  const weighed = repairs.map((event) => {
    const weight = weightOf(knowledge, event);
    return { event, weight, ratio: weigh(fadedRatio(ratio, ageMonths(event, subject), spanMonths), weight) };
  });
  weighed.sort((a, b) => b.ratio - a.ratio);
  let product = 1;
  for (const { event, ratio, weight } of weighed.slice(0, counted))
    product *= enter(trail, "repair", event.eventType, event.date, ratio, weight);
  return product;
}

/** What the words of a note say of the component. */
function keywordRatio(
  knowledge: Knowledge,
  subject: Subject,
  event: DatedEvent,
  latest: LatestDays,
  trail: Trail,
): number {
  const { keywords, resolvedFindingExponent } = knowledge.model.evidence;
  const months = ageMonths(event, subject);
  let product = 1;
  for (const { groupId, share } of event.note!.findings) {
    const group = knowledge.keywordGroup(groupId);
    if (event.componentId === null && !speaksOf(group, subject.def)) continue;
    if (group.clearedBy.length > 0 && isCleared(group, event, latest)) continue;
    const current = fadedRatio(group.ratio, months, keywords.spanMonths);
    const weight = weightOf(knowledge, event) * (share === 1 ? 1 : resolvedFindingExponent);
    product *= enter(trail, "keyword", group.id, event.date, weigh(current, weight), weight, event.times);
  }
  return product;
}

/** Whether a note on a whole appliance speaks of that component: of all, where it has none that the word fits. */
function speaksOf(group: KeywordGroup, def: ComponentDef): boolean {
  if (group.componentIds === "all" || group.typeIds === "all") return true;
  return group.componentIds.has(def.id) || !group.typeIds.has(def.typeId);
}

/** By type, the day of the last event, of those that count, that concerns a component. */
type LatestDays = ReadonlyMap<EventType, number>;

function latestByType(subject: Subject, events: readonly DatedEvent[], from: number): LatestDays {
  const latest = new Map<EventType, number>();
  // From the oldest to the newest; what came before the first that counts clears none of them.
  for (let at = from; at < events.length; at++) {
    const event = events[at]!;
    if (concerns(event, subject.id)) latest.set(event.eventType, event.day);
  }
  return latest;
}

/** Whether the visit itself, or a later one, did away with the finding. */
const isCleared = ({ clearedBy }: KeywordGroup, { day }: DatedEvent, latest: LatestDays): boolean =>
  clearedBy.some((type) => (latest.get(type) ?? Number.NEGATIVE_INFINITY) >= day);
