import type { ConnectionReport } from "../administration/pms-connection-report.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { LossBooks } from "../usecases/losses/loss-books.ts";
import type { Operation } from "./operation.ts";
import { adminAuditOperations } from "./routes/admin-audit.ts";
import { adminBookOperations } from "./routes/admin-book.ts";
import { adminBrandOperations } from "./routes/admin-brands.ts";
import { adminComponentOperations } from "./routes/admin-components.ts";
import { adminCostBookOperations } from "./routes/admin-cost-book.ts";
import { adminDeliveryOperations } from "./routes/admin-deliveries.ts";
import { adminEmbedOperations, createEmbedOperation } from "./routes/admin-embeds.ts";
import { modelOperations, type Proposals } from "./routes/admin-model.ts";
import { type PartnerTaskDeps, partnerTaskOperations } from "./routes/admin-partner-tasks.ts";
import { adminPartnerOperations, credentialOperations } from "./routes/admin-partners.ts";
import { preflightOperation } from "./routes/admin-pms-connection.ts";
import { adminRecordOperations } from "./routes/admin-records.ts";
import { adminSearchOperations } from "./routes/admin-search.ts";
import { adminServerOperations, type ServerState } from "./routes/admin-server.ts";

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
export function adminApi({
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
    preflightOperation(runRmPreflight),
  ];
}
