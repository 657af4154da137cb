import type { Knowledge } from "../domain/knowledge.ts";
import type { Preflight } from "../domain/preflight.ts";
import type { Operation } from "./operation.ts";
import { adminAuditOperations } from "./routes/admin-audit.ts";
import { explanationOperation } from "./routes/admin-components.ts";
import { adminDeliveryOperations } from "./routes/admin-deliveries.ts";
import { adminEmbedOperations, createEmbedOperation } from "./routes/admin-embeds.ts";
import { modelOperation } from "./routes/admin-model.ts";
import { adminPartnerOperations, credentialOperations } from "./routes/admin-partners.ts";
import { rmPreflightOperation } from "./routes/admin-rm.ts";

export type AdminApiParts = {
  knowledge: Knowledge;
  /** Whether partners reach these operations too: then none of them hands out a credential. */
  partnersReachIt: boolean;
  /** What links to the service begin with. */
  publicUrl: () => string;
  /** Tries the connection to the property-management system. */
  runRmPreflight: () => Promise<Preflight>;
};

/** Every operation that is the administrators' own, wherever it is served. */
export function adminApi({
  knowledge,
  partnersReachIt,
  publicUrl,
  runRmPreflight,
}: AdminApiParts): Operation[] {
  return [
    ...adminPartnerOperations(),
    ...(partnersReachIt ? [] : [...credentialOperations(), createEmbedOperation(publicUrl)]),
    ...adminEmbedOperations(),
    ...adminDeliveryOperations(),
    ...adminAuditOperations(),
    modelOperation(knowledge),
    explanationOperation(knowledge),
    rmPreflightOperation(runRmPreflight),
  ];
}
