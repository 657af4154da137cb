import type { Engine } from "./engine.ts";
import { applianceStore } from "./queries/appliances.ts";
import { auditStore } from "./queries/audit.ts";
import { bookStore } from "./queries/book-lists.ts";
import { claimStore } from "./queries/claims.ts";
import { componentStore } from "./queries/components.ts";
import { conditionTrendStore } from "./queries/condition-trends.ts";
import { consoleSessionStore } from "./queries/console-sessions.ts";
import { costLineStore } from "./queries/cost-lines.ts";
import { dailyCallStore } from "./queries/daily-calls.ts";
import { deliveryStore } from "./queries/deliveries.ts";
import { deliveryLogStore } from "./queries/delivery-log.ts";
import { embedBrandStore } from "./queries/embed-brands.ts";
import { embedStore } from "./queries/embeds.ts";
import { feedCursorStore } from "./queries/event-feed-cursors.ts";
import { eventLogStore } from "./queries/event-log.ts";
import { exportStore } from "./queries/export.ts";
import { propertyFilterStore } from "./queries/filtered-property-rows.ts";
import { hazardFlagStore } from "./queries/flags.ts";
import { gaugeStore } from "./queries/gauges.ts";
import { idempotencyStore } from "./queries/idempotent-replies.ts";
import { installationStore } from "./queries/installation.ts";
import { latestInstantStore } from "./queries/latest-instant.ts";
import { lockStore } from "./queries/locks.ts";
import { lossRowStore } from "./queries/loss-rows.ts";
import { modelStore } from "./queries/models.ts";
import { administratorStore, partnerStore } from "./queries/partners.ts";
import { uploadStore } from "./queries/photo-bytes.ts";
import { photoStore } from "./queries/photos.ts";
import { planActionStore } from "./queries/plan-actions.ts";
import { planStore } from "./queries/plans.ts";
import { recalculationStore } from "./queries/portfolio-recalculations.ts";
import { propertyStore } from "./queries/properties.ts";
import { propertyStandingStore } from "./queries/property-standings.ts";
import { unitStore } from "./queries/property-units.ts";
import { purgeStore } from "./queries/purge-partner-rows.ts";
import { rateWindowStore } from "./queries/rate-windows.ts";
import { recountStore } from "./queries/recounts.ts";
import { savedFilterStore } from "./queries/saved-filters.ts";
import { searchStore } from "./queries/search.ts";
import { sensorEventStore } from "./queries/sensor-events.ts";
import { serverStore } from "./queries/servers.ts";
import { serviceEventStore } from "./queries/service-events.ts";
import { snapshotWorkShareStore } from "./queries/snapshot-work-shares.ts";
import { snapshotStore } from "./queries/snapshots.ts";
import { totalsStore } from "./queries/totals.ts";
import { workMarkStore } from "./queries/work-marks.ts";

/** Makes the queries of all tables, over one engine. */
export const createStores = (engine: Engine) => ({
  partners: partnerStore(engine),
  book: bookStore(engine),
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
  purge: purgeStore(engine),
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
  uploads: uploadStore(engine),
  installation: installationStore(engine),
});
export type Stores = ReturnType<typeof createStores>;
