import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { explainScore } from "../../src/domain/explanation/explanation.ts";
import { conditionGrade, conditionIndexOfDueShare } from "../../src/domain/figures/property-condition.ts";
import { capitalPlanOf } from "../../src/domain/planning/capital-plan.ts";
import { PlanSumsAccumulator } from "../../src/domain/planning/plan-sums.ts";
import { scheduleUnit } from "../../src/domain/planning/unit-plan.ts";
import { failureWindow } from "../../src/domain/scoring/failure-window.ts";
import { UNCORRECTED } from "../../src/domain/scoring/score-model-corrections.ts";
import { exactMoney } from "../../src/domain/wording/currency-and-unit-wording.ts";
import { referenceContext } from "../domain/planning/reference-context.ts";
import { appliance, event, knowledge, property, reading } from "../domain/scoring/histories.ts";

/* The worked examples of docs/model are what the code computes. */

const read = (name: string) => readFileSync(join(import.meta.dir, "../../docs/model", name), "utf8");
const AS_OF = "2026-02-01";

/** Returns the rows of the tables below a heading, up to the next heading: the first cell and the last. */
function rowsBelow(document: string, heading: string): string[][] {
  const section = document.split(new RegExp(`^#+ ${heading}$`, "m"))[1]!.split(/^#/m)[0]!;
  return [...section.matchAll(/^\| (.+) \|$/gm)]
    .map(([, row]) => row!.split(" | "))
    .filter(([first]) => first !== "Quantity" && first !== "Confidence" && !first!.startsWith("---"))
    .map((cells) => [cells[0]!, cells.at(-1)!]);
}

const heater = appliance("water_heater_gas", {
  brand: "A. O. Smith",
  installYear: 2021,
  usageIntensity: 1.3,
  events: [
    event("Preventive Maintenance", "2024-05-14"),
    event("Repair", "2025-03-10", { notes: "Fixed leak at the drain valve" }),
    event("Inspection", "2025-11-20", { componentId: "A/wh_gas_tank", conditionAfter: "good" }),
  ],
  smartEvents: [reading("2026-01-05")],
});
const anode = heater.components.find(({ defId }) => defId === "wh_gas_anode")!;
anode.lastReplaced = "2024-10-01";
const history = property([heater], {
  state: "OH",
  recordsSince: "2023-06-01",
  claims: [{ claimType: "water_damage", dateOfLoss: "2023-08-01", status: "closed" }],
});
const explain = (defId: string) => {
  const target = { applianceId: "A", componentId: `A/${defId}` };
  const { score, age, evidence, risk, outlook, projection, decision } = explainScore(
    knowledge,
    history,
    target,
    AS_OF,
    UNCORRECTED,
    referenceContext(knowledge),
  );
  const ratioOf = (kind: string, subject?: string) =>
    evidence.find((one) => one.kind === kind && (subject === undefined || one.subject === subject))!.factor;
  return { score, age, risk, outlook, projection, decision, ratioOf };
};
/** Returns the score of a component by its own evidence, as its cascade into the tank takes it. */
const upstreamScore = (defId: string) =>
  explain("wh_gas_tank").score.evidence!.find(({ subject }) => subject === defId)!.upstreamScore!;
const four = (value: number) => value.toFixed(4);
const usd = (cents: number) => exactMoney(cents / 100);

test("the anode rod of scoring.md is scored as the page says", () => {
  const { score, age, risk, projection, ratioOf } = explain("wh_gas_anode");
  expect(rowsBelow(read("scoring.md"), "Anode rod")).toEqual([
    ["Scale η", `${four(score.scaleYears)} years`],
    ["Rate r", four(score.rate)],
    ["Virtual age V", `${four(age.virtualAgeYears)} years`],
    ["Effective lifespan L", `${four(projection.effectiveLifespanYears)} years`],
    ["Period", `${risk.periodDays.toFixed(2)} days`],
    ["Ratio of the Repair, 328 days ago", four(ratioOf("repair"))],
    ["Hazard by age in the period", four(risk.hazardByAge)],
    ["Period risk q", four(score.periodRisk)],
    ["Score, unrounded", four(risk.cumulativeRisk)],
    [
      "Score by its own evidence: none, since the Repair names no component",
      four(upstreamScore("wh_gas_anode")),
    ],
  ]);
});

test("the relief valve of scoring.md is scored as the page says", () => {
  const { score, age, risk, ratioOf } = explain("wh_gas_tp_valve");
  const { unknownPast, restorations } = age;
  const removedDays = restorations[0]!.share * restorations[0]!.accruedDays;
  expect(rowsBelow(read("scoring.md"), "Relief valve")).toEqual([
    ["Scale η", `${four(score.scaleYears)} years`],
    ["Rate r", four(score.rate)],
    ["Nominal age t when the record began", `${four(unknownPast!.nominalYears)} years`],
    ["Maintenance credit, 348 days into the record", `${removedDays.toFixed(1)} days`],
    ["Virtual age d accrued since", `${four(age.virtualAgeYears)} years`],
    ["Probability of being the original then", four(unknownPast!.originalThen)],
    ["Prior p0", four(score.prior)],
    ["Effective age V*", `${four(score.effectiveAgeYears)} years`],
    ['Ratio of the word "leak", fixed, component not named', four(ratioOf("keyword", "leak"))],
    ["θ", four(score.hazardRatio)],
    ["Λ of the warning, 27 days ago", four(score.acuteHazard)],
    ["Hazard by age in 365 days", four(risk.hazardByAge)],
    ["Period risk q", four(score.periodRisk)],
    ["Score, unrounded", four(risk.cumulativeRisk)],
    ["Score by its own evidence: the warning alone", four(upstreamScore("wh_gas_tp_valve"))],
  ]);
});

test("the tank of scoring.md is scored as the page says", () => {
  const { score, age, risk, outlook, projection, ratioOf } = explain("wh_gas_tank");
  const removedDays = age.restorations[0]!.share * age.restorations[0]!.accruedDays;
  expect(rowsBelow(read("scoring.md"), "Tank")).toEqual([
    ["Scale η", `${four(score.scaleYears)} years`],
    ["Rate r", four(score.rate)],
    ["Maintenance credit, 1,048 days after birth", `${removedDays.toFixed(1)} days`],
    ["Virtual age V", `${four(age.virtualAgeYears)} years`],
    ["Prior p0", four(score.prior)],
    ["Ratio of the Repair", four(ratioOf("repair"))],
    ['Ratio of the word "leak"', four(ratioOf("keyword", "leak"))],
    ["Ratio of the condition, 73 days ago", four(ratioOf("condition"))],
    ["Ratio of the claim, 915 days ago", four(ratioOf("claim"))],
    ["Product without cascades", four(score.working!.ownRatio)],
    ["Cascade of the anode rod, rule 1.8", four(ratioOf("cascade", "wh_gas_anode"))],
    ["Cascade of the relief valve, rule 1.4", four(ratioOf("cascade", "wh_gas_tp_valve"))],
    ["θ", four(score.hazardRatio)],
    ["Hazard by age in 365 days", four(risk.hazardByAge)],
    ["Λ", four(score.acuteHazard)],
    ["Period risk q", four(score.periodRisk)],
    ["Score", score.riskScore.toFixed(2)],
  ]);
  expect(score).toMatchObject({ riskTier: "WARNING", confidence: "HIGH" });
  expect(projection.effectiveLifespanYears.toFixed(3)).toBe("8.817");
  expect(Math.ceil(projection.daysToEvenOdds)).toBe(1418);
  expect(projection.projectedFailureOn).toBe("2029-12-20");
  const { earliestDays, latestDays } = failureWindow(outlook, false, knowledge.model);
  expect([earliestDays, latestDays!].map(Math.round)).toEqual([71, 3535]);
});

test("the water heater of planning.md is planned as the page says", () => {
  const parts = heater.components.map(({ defId }) => explain(defId).decision);
  const unit = parts[0]!.unit!;
  const schedule = scheduleUnit(unit.unit, unit, unit.newUnit, 10);
  const sums = new PlanSumsAccumulator(10);
  sums.add({ applianceId: "A", unit: { ...unit, schedule }, components: [] });
  const funding = { openingCents: 0, interest: 0, minimumCents: 0, depositGrowth: 0 };
  const { levelDeposit } = capitalPlanOf(sums.sums({ unitCount: 1, areaSqft: null }), 10, 0.03, funding);
  const { principal, principalAge, failedPriceCents, priceCents } = unit.unit;
  const tables = [
    ...parts.map(({ component, part, bestAgeMonths, dueInYears, waitingCents }) => [
      knowledge.component(component.defId).name,
      four(part.scaleYears),
      four(part.ageYears),
      four(part.hazardRatio),
      bestAgeMonths === null ? "–" : String(bestAgeMonths),
      dueInYears === null ? "–" : four(dueInYears),
      `${usd(waitingCents)} a year`,
    ]),
    ["U", "price of the unit", usd(priceCents)],
    ["U_f", "1,500 · min(1.3, 2,320/1,450) + 0.024 · 8,000", usd(failedPriceCents)],
    [
      "s, u, θ",
      "those of the tank",
      [principal!.scaleYears, principalAge!.ageYears, principalAge!.hazardRatio].map(four).join(", "),
    ],
    ["T", "the month with the lowest g_T", `${unit.bestAgeMonths} months`],
    ["g*", "g_T, repairs included", `${usd(unit.yearlyCents)} a year`],
    ["w", "the month with the least sum", `${unit.dueInMonths} months`],
    ["Cost of waiting", "12 months of failures and repairs, less g*", `${usd(unit.waitingCents)} a year`],
    ...[0, 1, 2].map((year) => [
      `${year + 1}`,
      usd(schedule.planned[year]!),
      usd(schedule.failures[year]!),
      usd(schedule.repairs[year]!),
      usd(schedule.runToFailure[year]!),
    ]),
    ...([50, 80, 95] as const).map((confidence) => [
      `${confidence}%`,
      usd(levelDeposit[confidence].noise),
      usd(levelDeposit[confidence].withCostError),
    ]),
  ];
  const page = read("planning.md");
  for (const cells of tables) expect(page).toContain(`\n| ${cells.join(" | ")} |\n`);
  expect(rowsBelow(page, "Worked example")).toHaveLength(tables.length + 2);
  expect(page).toContain(`is due on ${unit.dueOn},`);
});

test("the condition index of figures.md is as the page says", () => {
  const index = conditionIndexOfDueShare(0.07);
  expect(read("figures.md").replaceAll("\n", " ")).toContain(
    `= ${index}, and grade ${conditionGrade(index)}`,
  );
  expect([index, conditionGrade(index)]).toEqual([86, "B"]);
});
