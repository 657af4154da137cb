import type { FormTerms } from "../planning/plan-terms.ts";

/** The years that a schedule covers beyond the term of the loan, and at most. */
const YEARS_BEYOND_TERM = 2;

const MOST_FORM_YEARS = 12;

const MOST_HUD_YEARS = 20;

/** Returns the years of a form: the term of the loan plus two, at most 12, or 20 for HUD. */
export function reserveFormTermByRule({
  loanTermYears,
  isHud,
}: Pick<FormTerms, "loanTermYears" | "isHud">): number {
  const most = isHud ? MOST_HUD_YEARS : MOST_FORM_YEARS;
  return loanTermYears === null ? most : Math.min(loanTermYears + YEARS_BEYOND_TERM, most);
}
