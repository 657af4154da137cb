import type { ComponentToScore } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { ScoredProperty } from "../../domain/property.ts";
import type {
  ClaimEvidence,
  ComponentHistory,
  EventEvidence,
  SmartEvidence,
} from "../../domain/scoring/scoring-types.ts";
import type { Day } from "../../domain/time.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { ScoredAppliance } from "../../store/queries/appliances-queries.ts";
import type { ClaimEvidenceRow } from "../../store/queries/claims-queries.ts";
import { type Tx, yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { loadClaimEvidence } from "../claims/load-claim-evidence.ts";
import { loadSmartSensorEvents } from "../sensors/load-smart-sensor-events.ts";
import { loadServiceEventsOfHistories } from "./load-history-service-events.ts";

/** The input of scoring for a property: the appliances with components and evidence, and the claims. */
export type LoadedProperty = {
  history: {
    state: string;
    recordsSince: Day;
    yearBuilt: number | null;
    claims: ClaimEvidence[];
    appliances: MutableHistory[];
  };
  appliances: Map<string, ScoredAppliance>;
  components: ComponentToScore[];
};

/**
 * Loads the histories of properties, or of some appliances of one property, in a fixed number of queries unless
 * they are long. `asOf` is the day to score, or all such days; `claims` are the properties' claims, if the caller
 * has read them already.
 */
export async function loadHistories(
  stores: Stores | Tx,
  knowledge: Knowledge,
  properties: readonly ScoredProperty[],
  appliances: readonly ScoredAppliance[],
  asOf: Day | readonly Day[],
  claims?: ReadonlyMap<string, readonly ClaimEvidenceRow[]>,
  yieldNow: Yield = yieldOfStores(stores),
): Promise<Map<string, LoadedProperty>> {
  const ids = appliances.map((appliance) => appliance.id);
  const components = await stores.components.forScoring(ids);
  const events = await loadServiceEventsOfHistories(stores, knowledge, ids, undefined, yieldNow);
  const smart = await loadSmartSensorEvents(stores, knowledge, ids, [asOf].flat(), undefined, yieldNow);
  const ofProperties =
    claims ??
    (await loadClaimEvidence(
      stores,
      knowledge,
      properties.map((property) => property.id),
      undefined,
      yieldNow,
    ));
  const loaded = new Map<string, LoadedProperty>();
  for (const { id, state, recordsSince, yearBuilt } of properties)
    loaded.set(id, {
      history: {
        state,
        recordsSince,
        yearBuilt,
        claims: (ofProperties.get(id) ?? []).map(claimEvidence),
        appliances: [],
      },
      appliances: new Map(),
      components: [],
    });
  const histories = new Map<string, MutableHistory>();
  for (const appliance of appliances) {
    const history = applianceHistory(
      appliance,
      events.get(appliance.id) ?? [],
      smart.get(appliance.id) ?? [],
    );
    histories.set(appliance.id, history);
    const property = loaded.get(appliance.propertyId)!;
    property.history.appliances.push(history);
    property.appliances.set(appliance.id, appliance);
  }
  for (const component of components) {
    histories.get(component.applianceId)!.components.push(component);
    // A read outside of a transaction may find that it has just moved to another property.
    loaded.get(component.propertyId)?.components.push(component);
  }
  return loaded;
}

type MutableHistory = ReturnType<typeof applianceHistory>;

function applianceHistory(appliance: ScoredAppliance, events: EventEvidence[], smartEvents: SmartEvidence[]) {
  const { id, typeId, unitId, brand, model, brandTier, installYear, installYearBasis, usageIntensity } =
    appliance;
  return {
    id,
    typeId,
    unitId,
    brand,
    model,
    brandTier,
    installYear,
    installYearBasis,
    usageIntensity,
    components: [] as ComponentHistory[],
    events,
    smartEvents,
  };
}

const claimEvidence = ({ claimType, dateOfLoss, status }: ClaimEvidenceRow): ClaimEvidence => ({
  claimType,
  dateOfLoss,
  status,
});
