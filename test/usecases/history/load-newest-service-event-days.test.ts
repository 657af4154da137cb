import { expect, test } from "bun:test";
import fc from "fast-check";
import { EVENT_TYPES } from "../../../src/domain/service-event.ts";
import { loadNewestServiceEventDays } from "../../../src/usecases/history/load-newest-service-event-days.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine } from "../../support/postgres.ts";

const open = usePortfolioStore();

const anEvent = fc.record({
  part: fc.constantFrom(null, 0, 1),
  eventType: fc.constantFrom(...EVENT_TYPES),
  date: fc.constantFrom("2024-06-01", "2025-09-01", "2025-09-02", "2026-02-01"),
  isVoided: fc.boolean(),
});

// Rule: event-loop-yields
test("the newest days of an appliance's events are found in pages with a yield between them, without voided events", async () => {
  const fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
  const { id: propertyId } = await fixture.addProperty();
  await fc.assert(
    fc.asyncProperty(
      fc.array(anEvent, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
      async (events, eventsOfPage) => {
        const [appliance] = await fixture.addAppliances({ propertyId });
        const parts = await fixture.store.read.components.ofAppliance(appliance!.id);
        const newest = new Map<string, string>();
        await fixture.write(async (writer) => {
          const log = new ServiceLog(writer);
          for (const { part, eventType, date, isVoided } of events) {
            const componentId = part === null ? null : parts[part]!.id;
            const costs = { partsCostCents: null, laborCostCents: null, totalCostCents: null };
            const about = { technician: null, notes: null, conditionAfter: null, ...costs };
            const event = await log.add({
              applianceId: appliance!.id,
              componentId,
              eventType,
              date,
              ...about,
            });
            const key = `${eventType} ${componentId}`;
            if (isVoided) await log.void(event, { reason: null });
            else if (date > (newest.get(key) ?? "")) newest.set(key, date);
          }
          await log.finish();
        });
        let yields = 0;
        const { serviceEvents } = fixture.store.read;
        const tx = { serviceEvents, yieldToEventLoop: async () => void yields++ };
        const found = await loadNewestServiceEventDays(tx, appliance!.id, eventsOfPage);
        expect(new Map(found.map((one) => [`${one.eventType} ${one.componentId}`, one.date]))).toEqual(
          newest,
        );
        expect(yields).toBe(Math.floor(events.length / eventsOfPage));
      },
    ),
    { numRuns: runsOnEngine(15) },
  );
});
