import { expect, test } from "bun:test";
import fc from "fast-check";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { addDays, dayNumber, MS_PER_DAY } from "../../../src/domain/time.ts";
import { loadHistories } from "../../../src/usecases/history/load-histories.ts";
import { loadSmartSensorEvents } from "../../../src/usecases/sensors/load-smart-sensor-events.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine } from "../../support/postgres.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const TODAY = "2026-03-10";
const open = usePortfolioStore();

const anEvent = fc.record({
  appliance: fc.nat(1),
  part: fc.constantFrom(null, 0, 1),
  eventType: fc.constantFrom("water_leak", "water_leak", "overheating", "normal", "unheard_of"),
  severity: fc.constantFrom(null, "low" as const, "high" as const),
  sensorId: fc.constantFrom(null, "s1", "s2"),
  daysAgo: fc.constantFrom(-1, 0, 1, 30, 89, 90),
  moment: fc.nat(1),
});

test("smart events read in pages give the same scores as those read at once, wherever a page ends", async () => {
  const fixture = await open(NOW);
  await fc.assert(
    fc.asyncProperty(
      fc.array(anEvent, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (sent, page) => {
        const property = await fixture.addProperty({ recordsSince: "2020-01-01" });
        const of = { propertyId: property.id };
        const appliances = await fixture.addAppliances(of, { ...of, typeId: "washer" });
        const ids = appliances.map(({ id }) => id);
        const components = await fixture.components(property.id);
        await fixture.store.write(async (tx) => {
          for (const { appliance, part, daysAgo, moment, ...event } of sent) {
            const own = components.filter(({ applianceId }) => applianceId === ids[appliance]);
            await tx.sensorEvents.insert({
              ...event,
              ...of,
              id: tx.newId("sensorEvent"),
              partnerId: fixture.partnerId,
              applianceId: ids[appliance]!,
              componentId: part === null ? null : own[part]!.id,
              kind: "smart",
              metric: null,
              value: null,
              unit: null,
              notes: null,
              createdAt: NOW,
              recordedAt: (dayNumber(TODAY) - daysAgo) * MS_PER_DAY + moment,
            });
          }
        });
        const { read } = fixture.store;
        const sizes = { atOnce: 0, page };
        for (const days of [[TODAY], [addDays(TODAY, -1), addDays(TODAY, -31), TODAY]]) {
          const { history } = (await loadHistories(read, knowledge, [property], appliances, days)).get(
            property.id,
          )!;
          expect(history.appliances.flatMap(({ smartEvents }) => smartEvents)).toHaveLength(sent.length);
          for (const stores of [read, undefined]) {
            const load = (from: typeof read) => loadSmartSensorEvents(from, knowledge, ids, days, sizes);
            const paged = await (stores ? load(stores) : fixture.store.write(load));
            const again = history.appliances.map((one) => ({ ...one, smartEvents: paged.get(one.id)! }));
            for (const day of days) {
              const scores = scoreProperty(knowledge, { ...history, appliances: again }, day);
              expect([...scores]).toEqual([...scoreProperty(knowledge, history, day)]);
            }
          }
        }
      },
    ),
    { numRuns: runsOnEngine(15) },
  );
});
