import type { Claim } from "../claim.ts";
import { invalid } from "../errors.ts";
import type { Day } from "../time.ts";
import { checkPastDayRule } from "./past-day-rule.ts";

/** Throws invalid_request for a day that lies ahead, or before the day that it follows. */
export function checkClaimDaysRule(
  claim: Pick<Claim, "dateOfLoss" | "reportedOn" | "closedOn" | "valuedAt">,
  today: Day,
): void {
  checkPastDayRule("date_of_loss", claim.dateOfLoss, today);
  const later = { reported_on: claim.reportedOn, closed_on: claim.closedOn, valued_at: claim.valuedAt };
  for (const [field, day] of Object.entries(later)) {
    if (day === null) continue;
    checkPastDayRule(field, day, today);
    if (day < claim.dateOfLoss) {
      const message = `must not be before date_of_loss, ${claim.dateOfLoss}`;
      throw invalid(`${field} ${message}`, [{ field, message }]);
    }
  }
}
