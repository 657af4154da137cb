/** The result of a check. */
export type DoctorFinding = {
  status: "ok" | "warn" | "fail";
  /** The finding, as a sentence without a period. */
  detail: string;
  /** The remedy; null if the status is "ok". */
  remedy: string | null;
};

export type DoctorCheck = { name: string; run: () => DoctorFinding | Promise<DoctorFinding> };
export type DoctorCheckResult = { name: string } & DoctorFinding;

export const okDoctorFinding = (detail: string): DoctorFinding => ({ status: "ok", detail, remedy: null });
export const warningDoctorFinding = (detail: string, remedy: string): DoctorFinding => ({
  status: "warn",
  detail,
  remedy,
});
export const failedDoctorFinding = (detail: string, remedy: string): DoctorFinding => ({
  status: "fail",
  detail,
  remedy,
});

/** Runs the checks in order. A check that throws counts as failed, and the others still run. */
export async function runDoctorChecks(checks: readonly DoctorCheck[]): Promise<DoctorCheckResult[]> {
  const results: DoctorCheckResult[] = [];
  for (const { name, run } of checks) results.push({ name, ...(await attempt(run)) });
  return results;
}

async function attempt(run: DoctorCheck["run"]): Promise<DoctorFinding> {
  try {
    return await run();
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return failedDoctorFinding(
      message,
      hint ?? "Follow the message above; other checks may give more detail.",
    );
  }
}
