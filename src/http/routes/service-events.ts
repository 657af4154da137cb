import { type } from "arktype";
import { Failure, invalid } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { check, shape } from "../../shapes/check.ts";
import { readNewServiceEvent } from "../../shapes/service-event.ts";
import { PortfolioWriter } from "../../usecases/portfolio-writer.ts";
import { ServiceLog } from "../../usecases/service-events.ts";
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
        return await write(async (tx) => {
          const writer = await PortfolioWriter.open(tx, knowledge, partner);
          const log = new ServiceLog(writer);
          const result = await eachItem(events, bulkItems, (item) => log.add(readNewServiceEvent(item)));
          await log.finish();
          await writer.flush();
          return created({ ...bulkReply(result, serviceEventView), partner: partner.name });
        });
      },
    }),
  ];
}

export type BulkResult<T> = { kept: T[]; errors: { index: number; error: string }[] };

/** Handles items one by one; a refused one is reported at its position. Throws invalid_request for too many. */
export async function eachItem<T>(
  items: readonly unknown[],
  most: number,
  handle: (item: unknown) => Promise<T>,
): Promise<BulkResult<T>> {
  if (items.length > most) throw invalid(`At most ${most} items per request`);
  const result: BulkResult<T> = { kept: [], errors: [] };
  for (const [index, item] of items.entries()) {
    try {
      result.kept.push(await handle(item));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      result.errors.push({ index, error: error.message });
    }
  }
  return result;
}

/** The partial-success body. The created records stand under `events` whatever they are, as the specification has it. */
export function bulkReply<T>({ kept, errors }: BulkResult<T>, view: (item: T) => unknown) {
  return {
    created: kept.length,
    errors: errors.length,
    events: kept.map(view),
    error_details: errors,
  };
}
