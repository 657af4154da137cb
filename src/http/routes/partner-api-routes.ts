import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { EventStream } from "../../usecases/event-stream/load-event-stream.ts";
import type { LossBooks } from "../../usecases/losses/load-loss-books.ts";
import type { Operation } from "../http-operation.ts";
import { apiDocumentOperations } from "./api-document-routes.ts";
import { applianceOperations } from "./appliances-routes.ts";
import { assetOperation } from "./assets-routes.ts";
import { claimOperations } from "./claims-routes.ts";
import { componentOperations } from "./components-routes.ts";
import { conditionTrendOperations } from "./condition-trends-routes.ts";
import { costBookOperations } from "./cost-book-routes.ts";
import { type DeliveryDeps, deliveryOperations } from "./deliveries-routes.ts";
import { demoPropertyOperations } from "./demo-property-routes.ts";
import { eventOperations } from "./event-stream-routes.ts";
import { figureOperations } from "./figures-routes.ts";
import { importedRowsOperations } from "./imported-rows-routes.ts";
import { lossOperations } from "./losses-routes.ts";
import { oauthMetadataOperations, type ServerAddress } from "./oauth-metadata-routes.ts";
import { type PhotoDeps, photoOperations } from "./photos-routes.ts";
import { planOperations } from "./plans-routes.ts";
import { propertyOperations } from "./properties-routes.ts";
import { savedFilterOperations } from "./saved-filters-routes.ts";
import { searchOperations } from "./search-routes.ts";
import { sensorOperations } from "./sensors-routes.ts";
import { serviceEventOperations } from "./service-events-routes.ts";
import { type SystemDeps, systemOperations } from "./system-routes.ts";
import { workMarkOperations } from "./work-marks-routes.ts";

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
export function partnerApiOperations(deps: PartnerApiDeps): Operation[] {
  const { knowledge, bulkItems } = deps;
  const operations: Operation[] = [
    ...systemOperations(deps),
    ...oauthMetadataOperations(deps.address),
    ...propertyOperations(knowledge),
    ...applianceOperations(knowledge, bulkItems),
    ...photoOperations(deps),
    ...serviceEventOperations(knowledge, bulkItems),
    ...workMarkOperations(bulkItems),
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
    ...demoPropertyOperations(),
    ...apiDocumentOperations(knowledge, () => operations),
    assetOperation(),
  ];
  return operations;
}
