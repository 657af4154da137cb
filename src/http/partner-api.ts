import type { Knowledge } from "../domain/knowledge.ts";
import type { EventStream } from "../usecases/history/event-stream.ts";
import type { LossBooks } from "../usecases/losses/loss-books.ts";
import type { Operation } from "./operation.ts";
import { applianceOperations } from "./routes/appliances.ts";
import { assetOperation } from "./routes/assets.ts";
import { claimOperations } from "./routes/claims.ts";
import { componentOperations } from "./routes/components.ts";
import { conditionTrendOperations } from "./routes/condition-trends.ts";
import { costBookOperations } from "./routes/cost-book.ts";
import { type DeliveryDeps, deliveryOperations } from "./routes/deliveries.ts";
import { documentOperations } from "./routes/document.ts";
import { eventOperations } from "./routes/event-stream.ts";
import { figureOperations } from "./routes/figures.ts";
import { importedRowsOperations } from "./routes/imported-rows.ts";
import { lossOperations } from "./routes/losses.ts";
import { metadataOperations, type ServerAddress } from "./routes/oauth-metadata.ts";
import { onboardingOperations } from "./routes/onboarding.ts";
import { type PhotoDeps, photoOperations } from "./routes/photos.ts";
import { planOperations } from "./routes/plans.ts";
import { propertyOperations } from "./routes/properties.ts";
import { savedFilterOperations } from "./routes/saved-filters.ts";
import { searchOperations } from "./routes/search.ts";
import { sensorOperations } from "./routes/sensors.ts";
import { serviceEventOperations } from "./routes/service-events.ts";
import { type SystemDeps, systemOperations } from "./routes/system.ts";
import { workOperations } from "./routes/work.ts";

type PartnerApiDeps = SystemDeps &
  PhotoDeps &
  DeliveryDeps & {
    address: ServerAddress;
    knowledge: Knowledge;
    losses: LossBooks;
    bulkItems: number;
    eventStream: Pick<EventStream, "page">;
  };

/** Returns the operations for partners, including the API document. */
export function partnerApi(deps: PartnerApiDeps): Operation[] {
  const { knowledge, bulkItems } = deps;
  const operations: Operation[] = [
    ...systemOperations(deps),
    ...metadataOperations(deps.address),
    ...propertyOperations(knowledge),
    ...applianceOperations(knowledge, bulkItems),
    ...photoOperations(deps),
    ...serviceEventOperations(bulkItems),
    ...workOperations(bulkItems),
    ...searchOperations(knowledge),
    ...conditionTrendOperations(),
    ...importedRowsOperations(knowledge),
    ...savedFilterOperations(),
    ...componentOperations(knowledge),
    ...figureOperations(knowledge),
    ...planOperations(knowledge),
    ...lossOperations(knowledge, deps.losses),
    ...costBookOperations(knowledge),
    ...claimOperations(knowledge, bulkItems),
    ...sensorOperations(),
    ...eventOperations(knowledge, deps.eventStream),
    ...deliveryOperations(deps),
    ...onboardingOperations(),
    ...documentOperations(knowledge, () => operations),
    assetOperation(),
  ];
  return operations;
}
