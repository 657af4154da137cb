import type { Administrator } from "../domain/partner.ts";
import type { Preflight } from "../rm/preflight.ts";
import type { Administration } from "../usecases/partners.ts";
import type { Operation } from "./operation.ts";
import { adminAuditOperations } from "./routes/admin-audit.ts";
import { adminDeliveryOperations } from "./routes/admin-deliveries.ts";
import { adminPartnerOperations, credentialOperations } from "./routes/admin-partners.ts";
import { rmPreflightOperation } from "./routes/admin-rm.ts";

/** What an administrator's changes are made with, in the administrator's name. */
export type AdministrationOf = (administrator: Administrator) => Administration;

export type AdminApiParts = {
  administration: Omit<Administration, "actor">;
  /** Whether partners reach these operations too: then none of them hands out a credential. */
  partnersReachIt: boolean;
  /** Tries the connection to the property-management system. */
  runRmPreflight: () => Promise<Preflight>;
};

/** Every operation that is the administrators' own, wherever it is served. */
export function adminApi({ administration, partnersReachIt, runRmPreflight }: AdminApiParts): Operation[] {
  const administrationOf: AdministrationOf = ({ id }) => ({ ...administration, actor: id });
  return [
    ...adminPartnerOperations(administrationOf),
    ...(partnersReachIt ? [] : credentialOperations(administrationOf)),
    ...adminDeliveryOperations(administrationOf),
    ...adminAuditOperations(),
    rmPreflightOperation(runRmPreflight),
  ];
}
