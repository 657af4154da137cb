import { expect, test } from "bun:test";
import { addDays } from "../../../src/domain/time.ts";
import { findNewestEventDays } from "../../../src/usecases/history/newest-event-days.ts";

// Rule: event-loop-yields
test("the newest days of an appliance with very many events are found in short steps", async () => {
  const events = Array.from({ length: 9_000 }, (_, n) => ({
    id: `SE_${String(n).padStart(5, "0")}`,
    date: addDays("2000-01-01", n),
    componentId: n % 3 === 0 ? null : "C_1",
    eventType: n % 2 === 0 ? ("Repair" as const) : ("Replacement" as const),
    voidedAt: n > 8_990 ? 1 : null,
  }));
  let longestPage = 0;
  let yields = 0;
  const tx = {
    serviceEvents: {
      daysAfter: async (_: string, last: { date: string; id: string }, limit: number) => {
        const from = events.findIndex(({ date, id }) => `${date} ${id}` > `${last.date} ${last.id}`);
        const page = from < 0 ? [] : events.slice(from, from + limit);
        longestPage = Math.max(longestPage, page.length);
        return page;
      },
    },
    yieldToEventLoop: async () => void yields++,
  };
  const found = await findNewestEventDays(tx as never, "AP_1");
  const expected = new Map(
    events
      .filter(({ voidedAt }) => voidedAt === null)
      .map(({ componentId, eventType, date }) => [`${componentId} ${eventType}`, date]),
  );
  expect(new Map(found.map((one) => [`${one.componentId} ${one.eventType}`, one.date]))).toEqual(expected);
  expect(longestPage).toBeLessThanOrEqual(2_000);
  expect(yields).toBeGreaterThanOrEqual(Math.floor(events.length / longestPage));
});
