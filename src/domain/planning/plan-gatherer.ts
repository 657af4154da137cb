import { doors } from "../figures/assessment.ts";
import type { Knowledge } from "../knowledge.ts";
import type { Candidate } from "./budget.ts";
import { candidateOf, type Plannable, planComponent } from "./component-plan.ts";
import { type PlanSums, roundYears } from "./plan-sums.ts";
import { MOST_YEARS, type NewParts } from "./renewals.ts";
import { emptyYears } from "./schedule.ts";

/** Gathers what a property's plan adds up to, component by component. */
export class PlanGatherer {
  /** What a budget could be spent on. */
  readonly candidates: Candidate[] = [];
  readonly #years = emptyYears(MOST_YEARS);
  readonly #due = { dueCount: 0, dueCents: 0, dueWaitingCents: 0 };

  constructor(
    private readonly knowledge: Knowledge,
    private readonly known: NewParts,
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
    return { doors: doors(unitCount), ...this.#due, years: roundYears(this.#years) };
  }
}
