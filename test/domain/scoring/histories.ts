import { findNoteKeywords } from "../../../src/domain/scoring/find-note-keywords.ts";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import type {
  ApplianceHistory,
  ComponentHistory,
  EventEvidence,
  Note,
  PropertyHistory,
  Score,
  SmartEvidence,
} from "../../../src/domain/scoring/scoring-types.ts";
import type { EventType } from "../../../src/domain/service-event.ts";
import { dayNumber, MS_PER_DAY } from "../../../src/domain/time.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";

export const knowledge = embeddedKnowledge();

/** 7305 days, exactly 20 mean years, after 1 July 2005. */
export const AS_OF = "2025-07-01";
export const INSTALL_YEAR = 2005;
/** A start of the record before any installation: no past is unknown. */
export const ALWAYS = "1800-01-01";

/** Returns an appliance with all its components. Their ids are the appliance's id and the definition's. */
export function appliance(typeId: string, given: Partial<ApplianceHistory> = {}): ApplianceHistory {
  const id = given.id ?? "A";
  const installYear = given.installYear ?? INSTALL_YEAR;
  return {
    id,
    typeId,
    unitId: null,
    brand: null,
    model: null,
    brandTier: "standard",
    installYear,
    installYearBasis: "given",
    usageIntensity: 1,
    components: knowledge
      .type(typeId)
      .components.map((def) => component(`${id}/${def.id}`, def.id, installYear)),
    events: [],
    smartEvents: [],
    ...given,
  };
}

function component(id: string, defId: string, installYear: number): ComponentHistory {
  const age = { installYear, installYearGiven: false, lastReplaced: null };
  return { id, defId, ...age, overrideLifespan: null, past: null };
}

/** Returns an event, on the whole appliance by default. */
export function event(
  eventType: EventType,
  date: string,
  { notes = null, ...given }: Partial<EventEvidence> & { notes?: string | null } = {},
): EventEvidence {
  return { componentId: null, eventType, date, conditionAfter: null, note: noteOf(notes), ...given };
}

/** Returns a note as scoring reads it. */
export const noteOf = (notes: string | null): Note | null =>
  notes === null
    ? null
    : {
        key: notes,
        findings: findNoteKeywords(knowledge.keywords, notes).map(({ group, share }) => ({
          groupId: group.id,
          share,
        })),
      };

/** Returns a reading of sensor "s1" at noon of the day; by default a water leak of medium severity. */
export function reading(date: string, given: Partial<SmartEvidence> = {}): SmartEvidence {
  const recordedAt = (dayNumber(date) + 0.5) * MS_PER_DAY;
  return {
    componentId: null,
    eventType: "water_leak",
    severity: "medium",
    sensorId: "s1",
    recordedAt,
    ...given,
  };
}

export function property(
  appliances: ApplianceHistory[],
  given: Partial<PropertyHistory> = {},
): PropertyHistory {
  return { state: null, recordsSince: ALWAYS, yearBuilt: null, claims: [], appliances, ...given };
}

export function scores(history: PropertyHistory, asOf = AS_OF): Map<string, Score> {
  return scoreProperty(knowledge, history, asOf);
}

/**
 * Returns the score of a boiler's burner with these events: median life 21 years, shape 2.5, wears with use, no climate
 * factors, maintained yearly, restored by preventive maintenance and cleaning, no cascades.
 */
export function burner(
  events: EventEvidence[] = [],
  given: Partial<ApplianceHistory> = {},
  asOf = AS_OF,
): Score {
  const boiler = appliance("boiler", { events, ...given });
  return scores(property([boiler]), asOf).get(BURNER)!;
}

export const BURNER = "A/boiler_burner";
