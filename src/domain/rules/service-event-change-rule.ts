import { type ServiceEvent, type ServiceEventChange, totalCostCents } from "../service-event.ts";
import { conditionByScoreRule } from "./condition-score-rule.ts";

/** Returns an event with changes. A total that is the sum of parts and labor stays their sum. */
export function serviceEventByChangeRule(event: ServiceEvent, change: ServiceEventChange): ServiceEvent {
  const { inspectionTypes = event.inspectionTypes, conditionScore = event.conditionScore } = change;
  const after: ServiceEvent = { ...event, ...change, inspectionTypes, conditionScore };
  if (change.conditionScore && change.conditionAfter == null)
    after.conditionAfter = conditionByScoreRule(change.conditionScore);
  const isSum = event.totalCostCents === totalCostCents({ ...event, totalCostCents: null });
  const total = "totalCostCents" in change ? after.totalCostCents : isSum ? null : event.totalCostCents;
  after.totalCostCents = totalCostCents({ ...after, totalCostCents: total });
  return after;
}
