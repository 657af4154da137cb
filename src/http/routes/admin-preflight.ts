import type { ConnectionReport } from "../../administration/connection-check.ts";
import { preflight, preflightView } from "../../wire/preflight.ts";
import { type AdminOperation, adminOperation, answers, ok } from "../operation.ts";

/** Answers 200 whatever is found: that the check was made is what the caller asked for. */
export function preflightOperation(runPreflight: () => Promise<ConnectionReport>): AdminOperation {
  return adminOperation({
    id: "checkPropertyManagementSystem",
    method: "GET",
    path: "/admin/rm-preflight",
    summary: "Tries the connection to the property-management system, step by step",
    tag: "Administration",
    replies: answers("What was found", preflight),
    handle: async () => ok(preflightView(await runPreflight())),
  });
}
