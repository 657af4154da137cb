import { preflight, serializePmsConnectionTest } from "../../api-schemas/pms-connection-schema.ts";
import type { ConnectionReport } from "../../pms/pms-connection-report.ts";
import { type AdminOperation, adminOperation, okReplies, okReply } from "../http-operation.ts";

/** Responds with 200 whatever the result, because the request was for the check itself. */
export function adminPmsConnectionOperation(runPreflight: () => Promise<ConnectionReport>): AdminOperation {
  return adminOperation({
    id: "checkPropertyManagementSystem",
    method: "GET",
    path: "/admin/rm-preflight",
    summary: "Check the connection to the property-management system",
    tag: "Administration",
    replies: okReplies("The result of each step", preflight),
    handle: async () => okReply(serializePmsConnectionTest(await runPreflight())),
  });
}
