import { doorCount } from "../figures/assessment.ts";
import type { Knowledge } from "../knowledge.ts";
import type { Candidate } from "./budget.ts";
import { candidateOf, type Plannable, planComponent } from "./component-plan.ts";
import { type PlanSums, toStoredYearlyCosts } from "./plan-sums.ts";
import { MAX_PLAN_YEARS, type NewPartCache } from "./renewals.ts";
import { emptyYearlyCosts } from "./schedule.ts";

/** Sums up a property's plan, component by component. */
export class PlanAccumulator {
  /** Components whose waiting costs anything. */
  readonly candidates: Candidate[] = [];
  readonly #years = emptyYearlyCosts(MAX_PLAN_YEARS);
  readonly #due = { dueCount: 0, dueCents: 0, dueWaitingCents: 0 };

  constructor(
    private readonly knowledge: Knowledge,
    private readonly cache: NewPartCache,
  ) {}

  add(component: Plannable): void {
    const plan = planComponent(this.knowledge, component, this.cache, this.#years);
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
