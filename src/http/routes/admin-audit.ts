import { auditRecord } from "../../shapes/administration-records.ts";
import { adminOperation, type Operation, ok } from "../operation.ts";
import { paging, parseSlice } from "../query.ts";

export function adminAuditOperations(): Operation[] {
  return [
    adminOperation({
      id: "listAudit",
      method: "GET",
      path: "/admin/audit",
      summary: "What operators and administrators changed, the newest first",
      query: ["subject", "limit", "offset"],
      async handle({ query, store }) {
        const slice = parseSlice(query);
        const subject = query.get("subject");
        const entries = await store.read.audit.page(slice, subject);
        return ok({
          entries: entries.map(auditRecord),
          ...paging(slice, await store.read.audit.count(subject)),
        });
      },
    }),
  ];
}
