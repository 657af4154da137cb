import { expect, test } from "bun:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { ConditionJson } from "../../src/api-schemas/figures-schema.ts";
import {
  ConditionSectionHeadline,
  GRADES,
  pageSectionDueNowHeadline,
} from "../../src/web/sections/condition-section.tsx";
import { sectionDueAmountTexts } from "../../src/web/sections/plan-section.tsx";

test("no neighbor is drawn over the border of the property's grade", () => {
  for (const { name, from } of GRADES) {
    const condition = { components_assessed: 1, condition_score: from, grade: name } as ConditionJson;
    const scale = renderToString(h(ConditionSectionHeadline, { condition, headline: undefined })).split("<g");
    expect(scale).toHaveLength(GRADES.length + 1);
    expect(scale.findIndex((one) => one.startsWith(' class="on'))).toBe(GRADES.length);
    expect(scale.at(-1)).toContain(`text-anchor="middle">${name}</text>`);
  }
});

test("what is due now is stated by when, without what costs nothing", () => {
  const amounts = (immediate: number, shortTerm: number) =>
    sectionDueAmountTexts({
      as_of: "2026-11-26",
      due_now: { immediate: { count: 1, cost: immediate }, short_term: { count: 1, cost: shortTerm } },
    });
  expect(amounts(9400, 600)).toEqual(["$9,400 immediately", "$600 by Nov 2027"]);
  expect(amounts(9400, 0)).toEqual(["$9,400 immediately"]);
  expect(amounts(0, 600)).toEqual(["$600 by Nov 2027"]);
  expect(amounts(0, 0.4)).toEqual([]);
});

test("the headline says what to replace, by when and for how much, and what delay costs", () => {
  const due = (immediate: number, shortTerm: number) => ({
    hazards: 0,
    plan: {
      as_of: "2026-11-26",
      due_now: {
        unit_count: 1,
        component_count: 2,
        cost: immediate + shortTerm,
        cost_of_waiting_a_year: 350,
        immediate: { count: 1, cost: immediate },
        short_term: { count: 2, cost: shortTerm },
      },
    },
  });
  const headline = (immediate: number, shortTerm: number) =>
    pageSectionDueNowHeadline(due(immediate, shortTerm) as Parameters<typeof pageSectionDueNowHeadline>[0]);
  const what = "1 whole appliance and 2 components should be replaced";
  const delay = "Delaying a year is expected to cost $350 more.";
  expect(headline(9400, 600)).toBe(`${what} ($10,000): $9,400 immediately and $600 by Nov 2027. ${delay}`);
  expect(headline(0, 600)).toBe(`${what}: $600 by Nov 2027. ${delay}`);
  expect(headline(0, 0)).toBe(`${what} now. ${delay}`);
});
