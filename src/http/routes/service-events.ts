import { type } from "arktype";
import { check, shape } from "../../shapes/check.ts";
import { readNewServiceEvent } from "../../shapes/service-event.ts";
import { ServiceLog } from "../../usecases/service-events.ts";
import { bulkReply, readItems, takeItems } from "../bulk.ts";
import { created, type Operation, partnerOperation } from "../operation.ts";
import { serviceEventView } from "../views.ts";

const bulkShape = shape(type({ events: "unknown[]" }), ["events"]);

export function serviceEventOperations(bulkItems: number): Operation[] {
  return [
    partnerOperation({
      id: "createServiceEvents",
      method: "POST",
      path: "/v1/service-events/bulk",
      summary: "Log service events; each good one is kept when its neighbour fails",
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio }) {
        const items = readItems(check(bulkShape, body).events, bulkItems, readNewServiceEvent);
        return await writePortfolio(async (writer) => {
          const log = new ServiceLog(writer);
          const result = await takeItems(items, writer.tx, (item) => log.add(item));
          await log.finish();
          return created({ ...bulkReply(result, serviceEventView), partner: partner.name });
        });
      },
    }),
  ];
}
