import type { Preflight } from "../domain/preflight.ts";
import type { Operation } from "./operation.ts";
import { adminAuditOperations } from "./routes/admin-audit.ts";
import { adminDeliveryOperations } from "./routes/admin-deliveries.ts";
import { adminEmbedOperations, createEmbedOperation } from "./routes/admin-embeds.ts";
import { adminPartnerOperations, credentialOperations } from "./routes/admin-partners.ts";
import { rmPreflightOperation } from "./routes/admin-rm.ts";

export type AdminApiParts = {
  /** Whether partners reach these operations too: then none of them hands out a credential. */
  partnersReachIt: boolean;
  /** What links to the service begin with. */
  publicUrl: () => string;
  /** Tries the connection to the property-management system. */
  runRmPreflight: () => Promise<Preflight>;
};

/** Every operation that is the administrators' own, wherever it is served. */
export function adminApi({ partnersReachIt, publicUrl, runRmPreflight }: AdminApiParts): Operation[] {
  return [
    ...adminPartnerOperations(),
    ...(partnersReachIt ? [] : [...credentialOperations(), createEmbedOperation(publicUrl)]),
    ...adminEmbedOperations(),
    ...adminDeliveryOperations(),
    ...adminAuditOperations(),
    rmPreflightOperation(runRmPreflight),
  ];
}
