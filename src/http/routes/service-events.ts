import { type } from "arktype";
import type { Knowledge } from "../../domain/knowledge.ts";
import { check, shape } from "../../shapes/check.ts";
import { readNewServiceEvent } from "../../shapes/service-event.ts";
import { PortfolioWriter } from "../../usecases/portfolio-writer.ts";
import { ServiceLog } from "../../usecases/service-events.ts";
import { bulkReply, eachItem } from "../bulk.ts";
import { created, type Operation, partnerOperation } from "../operation.ts";
import { serviceEventView } from "../views.ts";

const bulkShape = shape(type({ events: "unknown[]" }), ["events"]);

export function serviceEventOperations(knowledge: Knowledge, bulkItems: number): Operation[] {
  return [
    partnerOperation({
      id: "createServiceEvents",
      method: "POST",
      path: "/v1/service-events/bulk",
      summary: "Log service events; each good one is kept when its neighbour fails",
      body: "json",
      idempotent: true,
      async handle({ body, partner, write }) {
        const { events } = check(bulkShape, body);
        return await write((tx) =>
          PortfolioWriter.use(tx, knowledge, partner, async (writer) => {
            const log = new ServiceLog(writer);
            const result = await eachItem(events, bulkItems, (item) => log.add(readNewServiceEvent(item)));
            await log.finish();
            return created({ ...bulkReply(result, serviceEventView), partner: partner.name });
          }),
        );
      },
    }),
  ];
}
