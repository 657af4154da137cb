import type { Knowledge } from "../../domain/knowledge.ts";
import type { EventStream } from "../../usecases/event-stream/event-stream.ts";
import type { LossBooks } from "../../usecases/losses/loss-books.ts";
import type { Operation } from "../http-operation.ts";
import { apiDocumentOperations } from "./api-document.ts";
import { applianceOperations } from "./appliances.ts";
import { assetOperation } from "./assets.ts";
import { claimOperations } from "./claims.ts";
import { componentOperations } from "./components.ts";
import { conditionTrendOperations } from "./condition-trends.ts";
import { costBookOperations } from "./cost-book.ts";
import { type DeliveryDeps, deliveryOperations } from "./deliveries.ts";
import { demoPropertyOperations } from "./demo-property.ts";
import { eventOperations } from "./event-stream.ts";
import { figureOperations } from "./figures.ts";
import { importedRowsOperations } from "./imported-rows.ts";
import { lossOperations } from "./losses.ts";
import { metadataOperations, type ServerAddress } from "./oauth-metadata.ts";
import { type PhotoDeps, photoOperations } from "./photos.ts";
import { planOperations } from "./plans.ts";
import { propertyOperations } from "./properties.ts";
import { savedFilterOperations } from "./saved-filters.ts";
import { searchOperations } from "./search.ts";
import { sensorOperations } from "./sensors.ts";
import { serviceEventOperations } from "./service-events.ts";
import { type SystemDeps, systemOperations } from "./system.ts";
import { workMarkOperations } from "./work-marks.ts";

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
    ...metadataOperations(deps.address),
    ...propertyOperations(knowledge),
    ...applianceOperations(knowledge, bulkItems),
    ...photoOperations(deps),
    ...serviceEventOperations(bulkItems),
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
