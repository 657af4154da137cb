import type { Preflight } from "../../rm/preflight.ts";
import { type AdminOperation, adminOperation, ok } from "../operation.ts";

/** Answers 200 whatever is found: that the check was made is what the caller asked for. */
export function rmPreflightOperation(runPreflight: () => Promise<Preflight>): AdminOperation {
  return adminOperation({
    id: "checkPropertyManagementSystem",
    method: "GET",
    path: "/admin/rm-preflight",
    summary: "Tries the connection to the property-management system, step by step",
    handle: async () => ok(await runPreflight()),
  });
}
