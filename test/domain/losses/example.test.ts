import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exactLosses } from "../../../src/domain/losses/exact-losses.ts";
import { insuredMoments } from "../../../src/domain/losses/loss-severity.ts";
import {
  hazardFromYearProbability,
  survivalOverYearlyHazardFactor,
} from "../../../src/domain/losses/yearly-hazard-factor.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { bookOf, componentOf, lossClassOf } from "./books.ts";

const manual = readFileSync(join(import.meta.dir, "../../../docs/model/losses.md"), "utf8");
const usd = (amount: number, digits: number) =>
  amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

// Rule: losses-example
test("the worked example has the numbers of the model", () => {
  const layer = { deductible: 5000, limit: 25_000 };
  const components = [
    componentOf({ failureProbability: 0.1, repair: 1800, frequency: 0.08, damage: 12_000 }),
    componentOf({ failureProbability: 0.05, repair: 400, frequency: 0.2, damage: 9000 }),
    componentOf({ failureProbability: 0.2, repair: 6500, system: "hvac" }),
  ];
  const { losses } = runSteps(exactLosses(bookOf(components, layer)));
  expect(manual).toContain(`**$${usd(losses.total.expected, 0)}**`);
  expect(manual).toContain(`**$${usd(losses.damage.expected, 0)}**`);
  expect(manual).toContain(`**$${usd(losses.insured.expected, 2)}**`);
  expect(manual).toContain(`**$${usd(losses.total.standardDeviation, 2)}**`);
  const v = lossClassOf("plumbing").yearFactorVariance;
  const [tank, line] = [hazardFromYearProbability(0.1, v), hazardFromYearProbability(0.05, v)];
  expect(manual).toContain(tank.toFixed(6));
  expect(manual).toContain(line.toFixed(6));
  expect(manual).toContain(survivalOverYearlyHazardFactor(tank + line, v).toFixed(6));
  for (const mean of [12_000, 9000]) {
    const variation = lossClassOf("plumbing").damageVariation;
    const insured = insuredMoments({ peril: "water", mean, variation, isPoisson: false }, layer).mean;
    expect(manual).toContain(`$${usd(insured, 2)}`);
  }
});

test("the table of classes is that of the knowledge base", () => {
  const rows = manual.matchAll(/^\| (\w+) \| (0\.\d+) \| (\d\.\d) \|$/gm);
  const classes = [...rows].map(([, system, v, cv]) => [system, Number(v), Number(cv)] as const);
  expect(classes).toHaveLength(8);
  for (const [system, v, cv] of classes)
    expect(lossClassOf(system as "hvac")).toEqual({ yearFactorVariance: v, damageVariation: cv });
});
