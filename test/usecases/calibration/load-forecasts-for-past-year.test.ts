import { expect, test } from "bun:test";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { addDays, dayNumber, MS_PER_DAY } from "../../../src/domain/time.ts";
import { forEachHistoryToCalibrate } from "../../../src/usecases/calibration/load-forecasts-for-past-year.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const TODAY = "2026-03-10";
const YEAR_AGO = addDays(TODAY, -365);
const open = usePortfolioStore();

test("a sensor's alarm counts in the forecast of the year that began at its time", async () => {
  const fixture = await open(NOW);
  const property = await fixture.addProperty({ recordsSince: "2020-01-01" });
  const of = { propertyId: property.id };
  const [washer] = await fixture.addAppliances({ ...of, typeId: "washer" });
  const recordAlarm = (day: string) =>
    fixture.store.write((tx) =>
      tx.sensorEvents.insert({
        ...of,
        id: tx.newId("sensorEvent"),
        partnerId: fixture.partnerId,
        applianceId: washer!.id,
        componentId: null,
        eventType: "water_leak",
        severity: "high",
        sensorId: "s1",
        kind: "smart",
        metric: null,
        value: null,
        unit: null,
        notes: null,
        createdAt: NOW,
        recordedAt: dayNumber(day) * MS_PER_DAY,
      }),
    );
  const risksThen = async () => {
    const risks: number[] = [];
    const environment = { store: fixture.store, knowledge, yieldNow: async () => {}, monotonicMs: () => 0 };
    await forEachHistoryToCalibrate(environment, TODAY, (histories) => {
      for (const history of histories)
        for (const { periodRisk } of scoreProperty(knowledge, history, YEAR_AGO).values())
          risks.push(periodRisk);
    });
    return risks;
  };
  const quiet = await risksThen();
  await recordAlarm(addDays(YEAR_AGO, 5));
  expect(await risksThen()).toEqual(quiet);
  await recordAlarm(addDays(YEAR_AGO, -5));
  expect(Math.max(...(await risksThen()))).toBeGreaterThan(Math.max(...quiet));
});
