import {
  actorFilter,
  auditActionParameterSchema,
  createdSince,
  createdUntil,
  format,
  pagingParameters,
  partnerFilter,
  subjectParameter,
} from "../../api-schemas/api-parameter-schemas.ts";
import { auditPage, auditRow, serializeAuditLog } from "../../api-schemas/audit-schema.ts";
import { AUDIT_ACTIONS } from "../../domain/wording/audit-action-wording.ts";
import { loadNamedAuditEntries } from "../../usecases/administration/load-named-audit-entries.ts";
import { httpListReplies, listReply } from "../csv-replies.ts";
import { adminOperation, type Operation } from "../http-operation.ts";
import {
  parseChoiceHttpQueryParameter,
  parseInstantHttpQueryParameter,
  parseRowRangeHttpQuery,
  parseSinceHttpQuery,
} from "../http-query-parameters.ts";

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
        auditActionParameterSchema(AUDIT_ACTIONS),
        partnerFilter,
        createdSince,
        createdUntil,
        ...pagingParameters,
        format,
      ],
      replies: httpListReplies("A page of the log, newest first", auditPage, auditRow),
      async handle(call) {
        const { query, store } = call;
        const slice = parseRowRangeHttpQuery(query);
        const filter = {
          subject: query.get("subject"),
          actor: query.get("actor"),
          action: parseChoiceHttpQueryParameter(query, "action", AUDIT_ACTIONS),
          partnerId: query.get("partner_id"),
          since: parseSinceHttpQuery(query),
          until: parseInstantHttpQueryParameter(query, "until"),
        };
        const entries = await loadNamedAuditEntries(store.read, await store.read.audit.page(slice, filter));
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
