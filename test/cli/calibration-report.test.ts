import { describe, expect, test } from "bun:test";
import { calibrateCommandBiasWarning } from "../../src/cli/terminal/calibrate-command-text.ts";
import { validateForecastsInSteps } from "../../src/domain/calibration/model-proof.ts";
import { seededRandom } from "../../src/domain/statistics/seeded-random.ts";
import { runSteps } from "../../src/domain/steps/computation-steps.ts";

/** The proof of forecasts of 0.5 for 100 properties of ten components, of which `failures` fail in each. */
const proofWith = (failures: number) =>
  runSteps(
    validateForecastsInSteps(
      Array.from({ length: 100 }, () =>
        Array.from({ length: 10 }, (_, i) => ({ before: 0.5, after: 0.5, failed: i < failures })),
      ),
      seededRandom(1),
    ),
  );

// Rule: calibration-proof
describe("the calibration report on a terminal", () => {
  test("warns of a model that expects too many failures, or too few", () => {
    expect(calibrateCommandBiasWarning(proofWith(2))[0]).toContain(
      "200 components failed, significantly fewer than the 500.0",
    );
    expect(calibrateCommandBiasWarning(proofWith(8))[0]).toContain(
      "800 components failed, significantly more than the 500.0",
    );
  });

  test("says nothing of one that expects about as many as failed", () => {
    expect(calibrateCommandBiasWarning(proofWith(5))).toEqual([]);
    expect(calibrateCommandBiasWarning(proofWith(0))).toEqual([]);
  });
});
