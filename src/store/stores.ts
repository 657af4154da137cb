import { lazySqlStatement } from "./lazy-sql-statement.ts";
import { applianceStore } from "./queries/appliances-queries.ts";
import { auditStore } from "./queries/audit-queries.ts";
import { bookOfBusinessStore } from "./queries/book-of-business-queries.ts";
import { claimStore } from "./queries/claims-queries.ts";
import { componentStore } from "./queries/components-queries.ts";
import { conditionTrendStore } from "./queries/condition-trends-queries.ts";
import { consoleSessionStore } from "./queries/console-sessions-queries.ts";
import { costLineStore } from "./queries/cost-book-lines-queries.ts";
import { dailyCallStore } from "./queries/daily-calls-queries.ts";
import { deliveryStore } from "./queries/deliveries-queries.ts";
import { deliveryLogStore } from "./queries/delivery-log-queries.ts";
import { embedBrandStore } from "./queries/embed-brands-queries.ts";
import { embedStore } from "./queries/embeds-queries.ts";
import { feedCursorStore } from "./queries/event-feed-cursors-queries.ts";
import { eventLogStore } from "./queries/event-log-queries.ts";
import { exportStore } from "./queries/export-queries.ts";
import { propertyFilterStore } from "./queries/filtered-property-rows-queries.ts";
import { hazardFlagStore } from "./queries/flags-queries.ts";
import { gaugeStore } from "./queries/gauges-queries.ts";
import { idempotencyStore } from "./queries/idempotent-replies-queries.ts";
import { installationStore } from "./queries/installation-queries.ts";
import { latestInstantStore } from "./queries/latest-instant-queries.ts";
import { lockStore } from "./queries/locks-queries.ts";
import { lossRowStore } from "./queries/loss-rows-queries.ts";
import { modelStore } from "./queries/models-queries.ts";
import { administratorStore, partnerStore } from "./queries/partners-queries.ts";
import { photoBytesStore } from "./queries/photo-bytes-queries.ts";
import { photoStore } from "./queries/photos-queries.ts";
import { planActionStore } from "./queries/plan-actions-queries.ts";
import { planStore } from "./queries/plans-queries.ts";
import { recalculationStore } from "./queries/portfolio-recalculations-queries.ts";
import { propertyStore } from "./queries/properties-queries.ts";
import { propertyStandingStore } from "./queries/property-standings-queries.ts";
import { unitStore } from "./queries/property-units-queries.ts";
import { partnerPurgeStore } from "./queries/purge-partner-rows-queries.ts";
import { rateWindowStore } from "./queries/rate-windows-queries.ts";
import { recountStore } from "./queries/recounts-queries.ts";
import { savedFilterStore } from "./queries/saved-filters-queries.ts";
import { searchStore } from "./queries/search-queries.ts";
import { sensorEventStore } from "./queries/sensor-events-queries.ts";
import { serverStore } from "./queries/servers-queries.ts";
import { serviceEventStore } from "./queries/service-events-queries.ts";
import { snapshotWorkShareStore } from "./queries/snapshot-work-shares-queries.ts";
import { snapshotStore } from "./queries/snapshots-queries.ts";
import { totalsStore } from "./queries/totals-queries.ts";
import { workMarkStore } from "./queries/work-marks-queries.ts";
import type { Engine } from "./store-engine.ts";

const STORES = {
  partners: partnerStore,
  book: bookOfBusinessStore,
  administrators: administratorStore,
  properties: propertyStore,
  propertyFilters: propertyFilterStore,
  units: unitStore,
  appliances: applianceStore,
  components: componentStore,
  lossRows: lossRowStore,
  standings: propertyStandingStore,
  totals: totalsStore,
  conditionTrends: conditionTrendStore,
  flags: hazardFlagStore,
  recounts: recountStore,
  plans: planStore,
  planActions: planActionStore,
  work: workMarkStore,
  serviceEvents: serviceEventStore,
  sensorEvents: sensorEventStore,
  claims: claimStore,
  search: searchStore,
  savedFilters: savedFilterStore,
  costLines: costLineStore,
  recalculations: recalculationStore,
  photos: photoStore,
  purge: partnerPurgeStore,
  snapshots: snapshotStore,
  snapshotShares: snapshotWorkShareStore,
  models: modelStore,
  eventLog: eventLogStore,
  deliveries: deliveryStore,
  deliveryLog: deliveryLogStore,
  idempotency: idempotencyStore,
  budgets: dailyCallStore,
  clock: latestInstantStore,
  audit: auditStore,
  embeds: embedStore,
  brands: embedBrandStore,
  export: exportStore,
  gauges: gaugeStore,
  servers: serverStore,
  locks: lockStore,
  rateWindows: rateWindowStore,
  feedCursors: feedCursorStore,
  consoleSessions: consoleSessionStore,
  uploads: photoBytesStore,
  installation: installationStore,
} as const;

/** The queries of each table. */
export type Stores = { readonly [Name in keyof typeof STORES]: ReturnType<(typeof STORES)[Name]> };

/** Returns the queries over one engine, made at their first use: most commands and snapshots use those of a few tables. */
export function createStores(engine: Engine): Stores {
  const stores = {};
  for (const [name, make] of Object.entries(STORES))
    Object.defineProperty(stores, name, { get: lazySqlStatement(() => make(engine)), enumerable: true });
  return stores as Stores;
}
