import { describe, expect, test } from "bun:test";
import { fitModelInSteps } from "../../../src/domain/calibration/fit-model-in-steps.ts";
import { failureProbability } from "../../../src/domain/scoring/outlook.ts";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { knowledge } from "../scoring/histories.ts";
import { expected, goldenFleet, livesOf } from "./fleet.ts";

const fleet = goldenFleet();
const lives = livesOf(fleet, expected.as_of);
const fit = runSteps(fitModelInSteps(knowledge, lives));

// Rule: independent-calibration
describe("an independent implementation's calibration is reproduced", () => {
  test("lives on record and failures", () => {
    expect(fit.lives).toBe(expected.lives);
    expect(fit.failures).toBe(expected.failures);
    expect(fit.years).toBe(expected.window_rows);
  });

  test("the corrected life of each kind, with its failures and those expected", () => {
    expect(fit.kinds.map((kind) => kind.defId)).toEqual(
      expected.kinds.map((kind) => kind.component_def_id).sort(),
    );
    for (const kind of expected.kinds) {
      const found = fit.kinds.find(({ defId }) => defId === kind.component_def_id)!;
      expect(found.failures).toBe(kind.failures);
      expectNear(found.lifeFactor, kind.life_factor);
      expectNear(found.expected, kind.expected);
    }
  });

  test("the frailty's shape, and each appliance's frailty", () => {
    expect(fit.frailtyShape).toBe(expected.frailty_shape);
    for (const { serial, z } of expected.frailty) expectNear(fit.corrections.frailties.get(serial)!, z);
  });

  test("the strength of evidence", () => {
    expectNear(fit.corrections.strength.condition, expected.evidence_strength.condition);
    expectNear(fit.corrections.strength.repairs, expected.evidence_strength.repairs);
  });

  test("the scores before and after", () => {
    const before = new Map(
      fleet.flatMap((property) => [...scoreProperty(knowledge, property, expected.as_of)]),
    );
    const { corrections } = fit;
    const after = new Map(
      fleet.flatMap((property) => [...scoreProperty(knowledge, property, expected.as_of, { corrections })]),
    );
    expect(before.size).toBe(expected.components.length);
    for (const component of expected.components) {
      const id = `${component.serial}/${component.component_def_id}`;
      const { weibullShape } = knowledge.component(component.component_def_id);
      const inYear = (scores: typeof before) =>
        failureProbability({ ...scores.get(id)!, weibullShape }, 365, knowledge.model);
      expect(before.get(id)!.riskScore).toBe(component.risk_score);
      expect(after.get(id)!.riskScore).toBe(component.calibrated_risk_score);
      expectNear(inYear(before), component.failure_probability_12m);
      expectNear(inYear(after), component.calibrated_failure_probability_12m);
    }
  });
});

function expectNear(found: number, wanted: number): void {
  expect(Math.abs(found - wanted)).toBeLessThanOrEqual(1e-4);
}
