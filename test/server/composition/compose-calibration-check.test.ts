import { beforeEach, expect, test } from "bun:test";
import { Registry } from "prom-client";
import { serializeCalibration, serializeValidation } from "../../../src/api-schemas/calibration-schema.ts";
import { serializeModelCheck } from "../../../src/api-schemas/model-schema.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { Calibration } from "../../../src/domain/calibration/calibration.ts";
import { UNCORRECTED } from "../../../src/domain/scoring/score-model-corrections.ts";
import { dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { createLogger } from "../../../src/logging/logger.ts";
import { defineModelMetrics } from "../../../src/metrics/prometheus-model-metrics.ts";
import { composeCalibrationCheck } from "../../../src/server/composition/compose-calibration-check.ts";
import {
  revertModel,
  storeAndActivateCalibration,
} from "../../../src/usecases/calibration/apply-or-revert-calibration.ts";
import { calibrateModel } from "../../../src/usecases/calibration/calibrate.ts";
import { checkActiveCalibrationModel } from "../../../src/usecases/calibration/check-active-calibration.ts";
import { GOLDEN_DAY, importGoldenFleet } from "../../support/calibration-example.ts";
import type { Json } from "../../support/json.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

/*
 * The monthly check of the model in use, with a clock that the test sets. The command that it runs in a separate
 * process works on a second connection here.
 */

const open = usePortfolioStore();
let fixture: PortfolioFixture;
let lines: Json[];
let commands: (readonly string[])[];

const environment = (store = fixture.store) => ({
  store,
  knowledge,
  actor: "cli:test",
  yieldNow: async () => {},
  monotonicMs: () => performance.now(),
});

beforeEach(async () => {
  fixture = await open(Date.parse(`${GOLDEN_DAY}T04:40:00Z`));
  [lines, commands] = [[], []];
});

const apply = (
  calibration: Calibration,
  evidence: Record<string, unknown> = serializeCalibration(calibration),
) => storeAndActivateCalibration(environment(), calibration, { force: true, evidence });

/** Returns the fit with every life much too short. */
function spoiled(fit: Calibration): Calibration {
  const { corrections } = fit.fit;
  const lifeFactors = new Map([...corrections.lifeFactors.keys()].map((id) => [id, 0.4]));
  return { ...fit, fit: { ...fit.fit, corrections: { ...corrections, lifeFactors } } };
}

/** Called by the schedule. */
async function tick(): Promise<void> {
  const job = composeCalibrationCheck({
    config: loadConfig({ cwd: "/", env: {} }),
    env: {},
    clock: fixture.clock,
    store: fixture.store,
    log: createLogger({
      level: "info",
      format: "json",
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    async runCommand({ args }) {
      commands.push(args);
      const beside = environment(await fixture.open());
      return serializeModelCheck(
        await checkActiveCalibrationModel(beside, dayOf(fixture.clock()), serializeValidation),
      );
    },
  });
  await job.run(new AbortController().signal);
}

async function metric(name: string): Promise<number | undefined> {
  const registry = new Registry();
  await defineModelMetrics(registry, {
    read: fixture.store.read,
    defaultModel: knowledge.modelVersion,
  }).refresh();
  const line = (await registry.metrics())
    .split("\n")
    .find((one) => one.startsWith(`mainstay_model_${name} `));
  return line === undefined ? undefined : Number(line.split(" ")[1]);
}

// Rule: calibrate-monthly
test("logs and reports in the metrics that the active calibration has become worse than the default model", async () => {
  await importGoldenFleet(fixture);
  const fit = await calibrateModel(environment(), GOLDEN_DAY);
  await apply(fit);
  await tick();
  expect(lines).toMatchObject([{ level: "info", model_version: "3+local.1" }]);
  expect(lines[0].log_loss_difference.mean).toBeLessThan(0);
  expect(await metric("worse_than_default")).toBe(0);

  await apply(spoiled(fit));
  expect(await metric("worse_than_default")).toBe(0); // no check has run yet
  await tick();
  expect(lines[1]).toMatchObject({ level: "warn", model_version: "3+local.2" });
  expect(lines[1].msg).toContain("worse than the default model");
  expect(lines[1].log_loss_difference.mean).toBeGreaterThan(0);
  expect(await metric("worse_than_default")).toBe(1);
  expect(await metric("log_loss_difference")).toBe(lines[1].log_loss_difference.mean);
  expect(await metric("checked_time_seconds")).toBe(Date.parse(GOLDEN_DAY) / 1000);

  await revertModel(environment());
  expect(await metric("worse_than_default")).toBe(0);
});

// Rule: calibrate-monthly
test("checks a calibration once a month, on the first day on which the server runs, and never the default model", async () => {
  await tick();
  expect(commands).toEqual([]);
  const idle = { failures: 50, frailtyShape: null, corrections: UNCORRECTED };
  const sharedCauses = { classes: [] };
  await apply({ fit: idle, validation: { better: true }, sharedCauses } as unknown as Calibration, {});
  await tick();
  await tick();
  expect(commands).toEqual([["calibrate", "--check"]]);
  fixture.time.now += 10 * MS_PER_DAY;
  await tick();
  fixture.time.now += MS_PER_DAY;
  await tick();
  expect(commands).toHaveLength(2);
  expect((await fixture.store.read.models.latestCheck())?.day).toBe(dayOf(fixture.time.now - MS_PER_DAY));
});
