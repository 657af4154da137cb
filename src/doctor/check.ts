/** What one check found. */
export type Finding = {
  status: "ok" | "warn" | "fail";
  /** What is so, in a sentence's words. */
  detail: string;
  /** What to do about it; null when nothing is to be done. */
  remedy: string | null;
};

export type Check = { name: string; run: () => Finding | Promise<Finding> };
export type CheckResult = { name: string } & Finding;

export const ok = (detail: string): Finding => ({ status: "ok", detail, remedy: null });
export const warn = (detail: string, remedy: string): Finding => ({ status: "warn", detail, remedy });
export const fail = (detail: string, remedy: string): Finding => ({ status: "fail", detail, remedy });

/** Runs the checks one after another. One that throws has failed; the others run all the same. */
export async function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, run } of checks) results.push({ name, ...(await attempt(run)) });
  return results;
}

async function attempt(run: Check["run"]): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return fail(message, hint ?? "See to what the message says; the other checks may tell more.");
  }
}
