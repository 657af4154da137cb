import type { Knowledge } from "../../domain/knowledge.ts";
import type { ConnectionReport } from "../../pms/pms-connection-report.ts";
import type { LossBooks } from "../../usecases/losses/loss-books.ts";
import type { Operation } from "../http-operation.ts";
import { adminAuditOperations } from "./admin-audit.ts";
import { adminBookOperations } from "./admin-book.ts";
import { adminBrandOperations } from "./admin-brands.ts";
import { adminComponentOperations } from "./admin-components.ts";
import { adminCostBookOperations } from "./admin-cost-book.ts";
import { adminDeliveryOperations } from "./admin-deliveries.ts";
import { adminEmbedOperations, createEmbedOperation } from "./admin-embeds.ts";
import { modelOperations, type Proposals } from "./admin-model.ts";
import { type PartnerTaskDeps, partnerTaskOperations } from "./admin-partner-tasks.ts";
import { adminPartnerOperations, credentialOperations } from "./admin-partners.ts";
import { pmsPreflightOperation } from "./admin-pms-connection.ts";
import { adminRecordOperations } from "./admin-records.ts";
import { adminSearchOperations } from "./admin-search.ts";
import { adminServerOperations, type ServerState } from "./admin-server.ts";

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
    pmsPreflightOperation(runRmPreflight),
  ];
}
