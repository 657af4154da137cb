import { doorCount } from "../figures/assessment.ts";
import type { Knowledge } from "../knowledge.ts";
import type { Candidate } from "./budget.ts";
import { candidateOf, type Plannable, planComponent } from "./component-plan.ts";
import { type PlanSums, toStoredYearlyCosts } from "./plan-sums.ts";
import { MAX_PLAN_YEARS, type NewPartCache } from "./renewals.ts";
import { emptyYearlyCosts } from "./schedule.ts";

/** Gathers what a property's plan adds up to, component by component. */
export class PlanAccumulator {
  /** What a budget could be spent on. */
  readonly candidates: Candidate[] = [];
  readonly #years = emptyYearlyCosts(MAX_PLAN_YEARS);
  readonly #due = { dueCount: 0, dueCents: 0, dueWaitingCents: 0 };

  constructor(
    private readonly knowledge: Knowledge,
    private readonly known: NewPartCache,
  ) {}

  add(component: Plannable): void {
    const plan = planComponent(this.knowledge, component, this.known, this.#years);
    const candidate = candidateOf(this.knowledge, plan);
    if (candidate.waitingCents > 0) this.candidates.push(candidate);
    if (plan.policy !== "replace_now") return;
    this.#due.dueCount++;
    this.#due.dueCents += candidate.plannedCents;
    this.#due.dueWaitingCents += candidate.waitingCents;
  }

  sums(unitCount: number): PlanSums {
    return { doors: doorCount(unitCount), ...this.#due, years: toStoredYearlyCosts(this.#years) };
  }
}
