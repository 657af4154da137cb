import {
  actionFilter,
  actorFilter,
  createdSince,
  createdUntil,
  format,
  pagingParameters,
  partnerFilter,
  subjectParameter,
} from "../../api-schemas/api-parameter-schemas.ts";
import { auditPage, auditRow, serializeAuditLog } from "../../api-schemas/audit-schema.ts";
import { AUDIT_ACTIONS } from "../../domain/wording/audit-action-wording.ts";
import { namedAuditEntries } from "../../usecases/administration/audit-log.ts";
import { httpListReplies, listReply } from "../csv-replies.ts";
import { adminOperation, type Operation } from "../http-operation.ts";
import {
  parseChoice,
  parseInstantHttpQueryParameter,
  parseRowRange,
  parseSince,
} from "../query-parameters.ts";

export function adminAuditOperations(): Operation[] {
  return [
    adminOperation({
      id: "listAudit",
      method: "GET",
      path: "/admin/audit",
      summary: "List the audit log",
      tag: "Administration",
      parameters: [
        subjectParameter,
        actorFilter,
        actionFilter(AUDIT_ACTIONS),
        partnerFilter,
        createdSince,
        createdUntil,
        ...pagingParameters,
        format,
      ],
      replies: httpListReplies("A page of the log, newest first", auditPage, auditRow),
      async handle(call) {
        const { query, store } = call;
        const slice = parseRowRange(query);
        const filter = {
          subject: query.get("subject"),
          actor: query.get("actor"),
          action: parseChoice(query, "action", AUDIT_ACTIONS),
          partnerId: query.get("partner_id"),
          since: parseSince(query),
          until: parseInstantHttpQueryParameter(query, "until"),
        };
        const entries = await namedAuditEntries(store.read, await store.read.audit.page(slice, filter));
        const page = auditPage.of(
          entries.map(serializeAuditLog),
          slice,
          await store.read.audit.count(filter),
        );
        return listReply(call, page, "entries", auditRow);
      },
    }),
  ];
}
