import { serviceEventInPath } from "../../api-schemas/api-parameter-schemas.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  newServiceEvents,
  parseNewServiceEventJson,
  parseServiceEventChangeJson,
  serializeServiceEvent,
  serviceEventChange,
  serviceEventReply,
  serviceEventsBulkReply,
} from "../../api-schemas/service-event-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { readNotesAhead } from "../../usecases/history/load-note-findings.ts";
import {
  correctServiceEvent,
  loadServiceEventOfPartner,
  ServiceLog,
} from "../../usecases/history/record-service-events.ts";
import {
  bulkReplyBody,
  parseHttpBulkItems,
  saveHttpBulkItems,
  writeHttpBulkRequest,
} from "../http-bulk-request.ts";
import {
  createdReplies,
  createdReply,
  type Operation,
  okReplies,
  okReply,
  partnerOperation,
  readOperationReplies,
} from "../http-operation.ts";

export function serviceEventOperations(knowledge: Knowledge, bulkItems: number): Operation[] {
  return [
    partnerOperation({
      id: "createServiceEvents",
      method: "POST",
      path: "/v1/service-events/bulk",
      summary: "Bulk-create service events",
      description:
        "Creates up to 1,000 service events. Valid items are saved even if others fail. Scores are updated before the response. Retry only the items listed in `error_details`. Log a component that was replaced under warranty as a Warranty Claim and a Replacement on the same date.",
      tag: "Service events",
      request: {
        type: newServiceEvents.type,
        example: {
          events: [
            {
              appliance_id: "A_01m7xtg2ygf8k9f4t40jrqnxfy",
              event_type: "Preventive Maintenance",
              date: "2026-10-02",
              technician: "J. Ortiz",
              parts_cost: 40,
              labor_cost: 180,
              condition_after: "good",
              notes: "Flushed the tank",
            },
          ],
        },
      },
      replies: createdReplies("Created items and errors", serviceEventsBulkReply),
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio, yieldNow, warn }) {
        const { events } = newServiceEvents.parse(body);
        const items = await parseHttpBulkItems(events, {
          most: bulkItems,
          read: parseNewServiceEventJson,
          yieldNow,
        });
        const notes = items.flatMap((item) => ("input" in item ? item.input.notes : []));
        const readNotes = await readNotesAhead(knowledge, notes, yieldNow);
        return await writeHttpBulkRequest(items, warn, (left) =>
          writePortfolio(async (writer) => {
            writer.readNotes = readNotes;
            const log = new ServiceLog(writer, true);
            await log.preloadByIds(left.flatMap((item) => ("input" in item ? item.input.applianceId : [])));
            const result = await saveHttpBulkItems(left, writer, (item) => log.add(item));
            await log.finish();
            return createdReply(
              addPartnerToJson(await bulkReplyBody(result, writer.tx, serializeServiceEvent), partner.name),
            );
          }),
        );
      },
    }),
    partnerOperation({
      id: "getServiceEvent",
      method: "GET",
      path: "/v1/service-events/{id}",
      summary: "Get a service event, also a voided one",
      tag: "Service events",
      parameters: [serviceEventInPath],
      replies: readOperationReplies("The service event", serviceEventReply),
      async handle({ params, partner, store }) {
        const event = await loadServiceEventOfPartner(store.read, partner.id, params.id!);
        return okReply(addPartnerToJson(serializeServiceEvent(event), partner.name));
      },
    }),
    partnerOperation({
      id: "updateServiceEvent",
      method: "PUT",
      path: "/v1/service-events/{id}",
      summary: "Update or void a service event",
      description:
        "Accepts any subset of the fields of creation; null clears an optional field. `voided: true`, with a `reason`, voids the event: it is kept as voided, and no longer counts. A voided event cannot be changed anymore (409); voiding it again returns it as it is, with the reason if it had none. Dates of the components and scores are updated before the response.",
      tag: "Service events",
      parameters: [serviceEventInPath],
      request: {
        type: serviceEventChange.type,
        example: { date: "2026-10-03", condition_after: "fair", notes: "Flushed the tank twice" },
      },
      replies: okReplies("The updated service event", serviceEventReply),
      errors: [409],
      body: "json",
      async handle({ body, params, partner, writePortfolio }) {
        const request = parseServiceEventChangeJson(body);
        return await writePortfolio(async (writer) => {
          const event = await correctServiceEvent(writer, params.id!, request);
          return okReply(addPartnerToJson(serializeServiceEvent(event), partner.name));
        });
      },
    }),
  ];
}
