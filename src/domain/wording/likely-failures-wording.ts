import { wholeMoney } from "./currency-and-unit-wording.ts";

/** Returns two sentences about components that are not due, but will probably fail within a year; undefined without any. */
export function likelyFailuresWording({ count, cost }: { count: number; cost: number }): string | undefined {
  if (count === 0) return undefined;
  const [components, are, them] = count === 1 ? ["component", "is", "it"] : ["components", "are", "them"];
  return `${count.toLocaleString("en-US")} ${components} (${wholeMoney(Math.round(cost))}) ${are} not due by the plan, but more likely than not to fail within 12 months. Inspect ${them}: an engineer may call for replacement.`;
}
