import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { ConnectionReport } from "../../pms/pms-connection-report.ts";
import type { LossBooks } from "../../usecases/losses/load-loss-books.ts";
import type { Operation } from "../http-operation.ts";
import { adminAuditOperations } from "./admin-audit-routes.ts";
import { adminBookOperations } from "./admin-book-routes.ts";
import { adminBrandOperations } from "./admin-brands-routes.ts";
import { adminComponentOperations } from "./admin-components-routes.ts";
import { adminCostBookOperations } from "./admin-cost-book-routes.ts";
import { adminDeliveryOperations } from "./admin-deliveries-routes.ts";
import { adminEmbedOperations, createEmbedOperation } from "./admin-embeds-routes.ts";
import { modelOperations, type Proposals } from "./admin-model-routes.ts";
import { type PartnerTaskDeps, partnerTaskOperations } from "./admin-partner-tasks-routes.ts";
import { adminPartnerOperations, credentialOperations } from "./admin-partners-routes.ts";
import { adminPmsConnectionOperation } from "./admin-pms-connection-routes.ts";
import { adminRecordOperations } from "./admin-records-routes.ts";
import { adminSearchOperations } from "./admin-search-routes.ts";
import { adminServerOperations, type ServerState } from "./admin-server-routes.ts";

export type AdminApiDeps = {
  knowledge: Knowledge;
  /** Computes and keeps losses. */
  losses: LossBooks;
  /** True if partners can reach these operations. If so, none of them issues credentials. */
  partnersReachIt: boolean;
  /** The base URL of links to the service. */
  publicUrl: () => string;
  /** Tests the connection to the property-management system. */
  runRmPreflight: () => Promise<ConnectionReport>;
  /** The default daily call limit of new partners. */
  newPartnersBudget: number;
  /** The state of the server, available once it runs. */
  server: () => ServerState;
  /** The requested calibrations of the scoring model. */
  proposals: () => Proposals;
} & Omit<PartnerTaskDeps, "knowledge" | "address">;

/** Returns the operations for administrators. */
export function adminApiOperations({
  knowledge,
  losses,
  partnersReachIt,
  publicUrl,
  runRmPreflight,
  newPartnersBudget,
  server,
  proposals,
  ...partnerTasks
}: AdminApiDeps): Operation[] {
  const address = () => server().address;
  return [
    ...adminServerOperations(server),
    ...adminSearchOperations(knowledge, server),
    ...adminPartnerOperations(),
    ...partnerTaskOperations({ knowledge, address, ...partnerTasks }),
    ...(partnersReachIt
      ? []
      : [...credentialOperations(newPartnersBudget), createEmbedOperation(knowledge, publicUrl)]),
    ...adminCostBookOperations(knowledge),
    ...adminBrandOperations(),
    ...adminEmbedOperations(),
    ...adminDeliveryOperations(),
    ...adminAuditOperations(),
    ...modelOperations(knowledge, proposals, address),
    ...adminComponentOperations(knowledge),
    ...adminRecordOperations(knowledge, losses),
    ...adminBookOperations(knowledge, losses),
    adminPmsConnectionOperation(runRmPreflight),
  ];
}
