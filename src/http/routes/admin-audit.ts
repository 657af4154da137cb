import { auditPage, auditView } from "../../wire/audit.ts";
import { pagingParameters, subjectFilter } from "../../wire/parameters.ts";
import { adminOperation, type Operation, ok, okReplies } from "../operation.ts";
import { parseSlice } from "../query.ts";

export function adminAuditOperations(): Operation[] {
  return [
    adminOperation({
      id: "listAudit",
      method: "GET",
      path: "/admin/audit",
      summary: "List the audit log",
      tag: "Administration",
      parameters: [subjectFilter, ...pagingParameters],
      replies: okReplies("A page of the log, newest first", auditPage),
      async handle({ query, store }) {
        const slice = parseSlice(query);
        const subject = query.get("subject");
        const entries = await store.read.audit.page(slice, subject);
        const total = await store.read.audit.count(subject);
        return ok(auditPage.of(entries.map(auditView), slice, total));
      },
    }),
  ];
}
