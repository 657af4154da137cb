import type { ComponentToScore } from "../domain/component.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { ScoredProperty } from "../domain/property.ts";
import type {
  ClaimEvidence,
  ComponentHistory,
  EventEvidence,
  SmartEvidence,
} from "../domain/scoring/types.ts";
import { type Day, dayNumber, MS_PER_DAY } from "../domain/time.ts";
import type { ScoredAppliance } from "../store/queries/appliances.ts";
import type { ClaimEvidenceRow } from "../store/queries/claims.ts";
import type { Tx } from "../store/store.ts";
import type { Stores } from "../store/stores.ts";
import { loadEvents } from "./event-histories.ts";
import { loadClaims } from "./property-claims.ts";

/** Read beyond the span after which a smart event has faded, since that is in days and a reading has a time. */
const SPARE_DAYS = 2;

/** What scoring reads of some properties: the appliances with their components and evidence, and the claims. */
export type LoadedProperty = {
  history: { state: string; recordsSince: Day; claims: ClaimEvidence[]; appliances: MutableHistory[] };
  appliances: Map<string, ScoredAppliance>;
  components: ComponentToScore[];
};

/**
 * Loads the histories of properties, or of some of one's appliances; in a fixed number of queries unless they are long.
 * `claims`: those of the properties, where they were read already.
 */
export async function loadHistories(
  stores: Stores | Tx,
  knowledge: Knowledge,
  properties: readonly ScoredProperty[],
  appliances: readonly ScoredAppliance[],
  asOf: Day,
  claims?: ReadonlyMap<string, readonly ClaimEvidenceRow[]>,
): Promise<Map<string, LoadedProperty>> {
  const ids = appliances.map((appliance) => appliance.id);
  const smartDays = knowledge.model.evidence.smartEvent.spanDays + SPARE_DAYS;
  const components = await stores.components.forScoring(ids);
  const events = await loadEvents(stores, knowledge, ids);
  const smart = await stores.sensorEvents.smartEvidence(ids, (dayNumber(asOf) - smartDays) * MS_PER_DAY);
  const ofProperties =
    claims ??
    (await loadClaims(
      stores,
      knowledge,
      properties.map((property) => property.id),
    ));
  const loaded = new Map<string, LoadedProperty>();
  for (const { id, state, recordsSince } of properties)
    loaded.set(id, {
      history: {
        state,
        recordsSince,
        claims: (ofProperties.get(id) ?? []).map(claimEvidence),
        appliances: [],
      },
      appliances: new Map(),
      components: [],
    });
  const histories = new Map<string, MutableHistory>();
  for (const appliance of appliances) {
    const history = applianceHistory(appliance, events.get(appliance.id) ?? []);
    histories.set(appliance.id, history);
    const property = loaded.get(appliance.propertyId)!;
    property.history.appliances.push(history);
    property.appliances.set(appliance.id, appliance);
  }
  for (const component of components) {
    histories.get(component.applianceId)!.components.push(component);
    loaded.get(component.propertyId)!.components.push(component);
  }
  for (const event of smart)
    histories.get(event.applianceId)!.smartEvents.push({
      componentId: event.componentId,
      eventType: event.eventType!,
      severity: event.severity ?? "medium",
      sensorId: event.sensorId,
      recordedAt: event.recordedAt,
    });
  return loaded;
}

type MutableHistory = ReturnType<typeof applianceHistory>;

function applianceHistory(appliance: ScoredAppliance, events: EventEvidence[]) {
  const { id, typeId, unitId, brand, model, brandTier, installYear, usageIntensity } = appliance;
  return {
    ...{ id, typeId, unitId, brand, model, brandTier, installYear, usageIntensity },
    components: [] as ComponentHistory[],
    events,
    smartEvents: [] as SmartEvidence[],
  };
}

const claimEvidence = ({ claimType, dateOfLoss, status }: ClaimEvidenceRow): ClaimEvidence => ({
  claimType,
  dateOfLoss,
  status,
});
