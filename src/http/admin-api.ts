import type { ConnectionReport } from "../administration/connection-check.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { Operation } from "./operation.ts";
import { adminAuditOperations } from "./routes/admin-audit.ts";
import { adminComponentOperations } from "./routes/admin-components.ts";
import { adminDeliveryOperations } from "./routes/admin-deliveries.ts";
import { adminEmbedOperations, createEmbedOperation } from "./routes/admin-embeds.ts";
import { modelOperations, type Proposals } from "./routes/admin-model.ts";
import { type PartnerTaskDeps, partnerTaskOperations } from "./routes/admin-partner-tasks.ts";
import { adminPartnerOperations, credentialOperations } from "./routes/admin-partners.ts";
import { preflightOperation } from "./routes/admin-preflight.ts";
import { adminServerOperations, type ServerState } from "./routes/admin-server.ts";

export type AdminApiDeps = {
  knowledge: Knowledge;
  /** Whether partners reach these operations too: then none of them hands out a credential. */
  partnersReachIt: boolean;
  /** What links to the service begin with. */
  publicUrl: () => string;
  /** Tries the connection to the property-management system. */
  runRmPreflight: () => Promise<ConnectionReport>;
  /** Calls a day of a new partner, where none is named. */
  newPartnersBudget: number;
  /** What the server tells of itself, once it runs. */
  server: () => ServerState;
  /** Fits of the model that are asked for. */
  proposals: () => Proposals;
} & Omit<PartnerTaskDeps, "knowledge" | "address">;

/** Every operation that is the administrators' own, wherever it is served. */
export function adminApi({
  knowledge,
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
    ...adminPartnerOperations(),
    ...partnerTaskOperations({ knowledge, address, ...partnerTasks }),
    ...(partnersReachIt ? [] : [...credentialOperations(newPartnersBudget), createEmbedOperation(publicUrl)]),
    ...adminEmbedOperations(),
    ...adminDeliveryOperations(),
    ...adminAuditOperations(),
    ...modelOperations(knowledge, proposals, address),
    ...adminComponentOperations(knowledge),
    preflightOperation(runRmPreflight),
  ];
}
