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

/** Makes the queries of all tables, over one engine. */
export const createStores = (engine: Engine) => ({
  partners: partnerStore(engine),
  book: bookOfBusinessStore(engine),
  administrators: administratorStore(engine),
  properties: propertyStore(engine),
  propertyFilters: propertyFilterStore(engine),
  units: unitStore(engine),
  appliances: applianceStore(engine),
  components: componentStore(engine),
  lossRows: lossRowStore(engine),
  standings: propertyStandingStore(engine),
  totals: totalsStore(engine),
  conditionTrends: conditionTrendStore(engine),
  flags: hazardFlagStore(engine),
  recounts: recountStore(engine),
  plans: planStore(engine),
  planActions: planActionStore(engine),
  work: workMarkStore(engine),
  serviceEvents: serviceEventStore(engine),
  sensorEvents: sensorEventStore(engine),
  claims: claimStore(engine),
  search: searchStore(engine),
  savedFilters: savedFilterStore(engine),
  costLines: costLineStore(engine),
  recalculations: recalculationStore(engine),
  photos: photoStore(engine),
  purge: partnerPurgeStore(engine),
  snapshots: snapshotStore(engine),
  snapshotShares: snapshotWorkShareStore(engine),
  models: modelStore(engine),
  eventLog: eventLogStore(engine),
  deliveries: deliveryStore(engine),
  deliveryLog: deliveryLogStore(engine),
  idempotency: idempotencyStore(engine),
  budgets: dailyCallStore(engine),
  clock: latestInstantStore(engine),
  audit: auditStore(engine),
  embeds: embedStore(engine),
  brands: embedBrandStore(engine),
  export: exportStore(engine),
  gauges: gaugeStore(engine),
  servers: serverStore(engine),
  locks: lockStore(engine),
  rateWindows: rateWindowStore(engine),
  feedCursors: feedCursorStore(engine),
  consoleSessions: consoleSessionStore(engine),
  uploads: photoBytesStore(engine),
  installation: installationStore(engine),
});
export type Stores = ReturnType<typeof createStores>;
