import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  parseWorkMarkJson,
  serializeMarkedWork,
  workBody,
  workReply,
} from "../../api-schemas/work-mark-schema.ts";
import { WorkMarks } from "../../usecases/work-marks/record-work-marks.ts";
import {
  bulkReplyBody,
  parseHttpBulkItems,
  saveHttpBulkItems,
  writeHttpBulkRequest,
} from "../http-bulk-request.ts";
import { createdReplies, createdReply, type Operation, partnerOperation } from "../http-operation.ts";

export function workMarkOperations(bulkItems: number): Operation[] {
  return [
    partnerOperation({
      id: "markWork",
      method: "POST",
      path: "/v1/work-marks/bulk",
      summary: "Mark work as ordered, deferred, done or open",
      description:
        "Marks the work of up to 1,000 components, or of appliances as a whole. Valid items are saved even if others fail. `done` logs a service event, with `by` as its technician and `reason` as its notes, and ends the mark; so does a Replacement that is logged later. The mark holds again once that event is voided. The same work that is done again on that day is logged once; within 30 days of a Replacement it is refused with an error that names the event. The plan shows the marks, and its figures stay as they are until the work is done.",
      tag: "Service events",
      request: {
        type: workBody.type,
        example: {
          work: [
            {
              component_id: "C_01m7xtg2ygfbvrca1mbjrm54pr",
              state: "deferred",
              until: "2027-03-01",
              by: "J. Ito",
              reason: "The supplier delivers in March",
            },
          ],
        },
      },
      replies: createdReplies("Marked work and errors", workReply),
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio, yieldNow, warn }) {
        const { work } = workBody.parse(body);
        const items = await parseHttpBulkItems(work, {
          most: bulkItems,
          read: parseWorkMarkJson,
          yieldNow,
        });
        return await writeHttpBulkRequest(items, warn, (left) =>
          writePortfolio(async (writer) => {
            const marks = new WorkMarks(writer);
            const result = await saveHttpBulkItems(left, writer, (item) => marks.mark(item));
            await marks.finish();
            return createdReply(
              addPartnerToJson(await bulkReplyBody(result, writer.tx, serializeMarkedWork), partner.name),
            );
          }),
        );
      },
    }),
  ];
}
