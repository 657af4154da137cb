/** The result of a check. */
export type DoctorFinding = {
  status: "ok" | "warn" | "fail";
  /** The finding, as a sentence without a period. */
  detail: string;
  /** The remedy; null if the status is "ok". */
  remedy: string | null;
};

export type DoctorCheck = {
  name: string;
  run: () => DoctorFinding | Promise<DoctorFinding>;
  /** True if it waits for another host, so that it runs beside those that follow and do so too. */
  isRemote?: boolean;
};
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

/** A host that does not respond takes seconds, and thousands of partners have one each. */
const REMOTE_AT_ONCE = 32;

/**
 * Runs the checks, and returns their results in the same order. Remote ones run several at a time, the others one after the
 * other. A check that throws counts as failed, and the others still run.
 */
export async function runDoctorChecks(checks: readonly DoctorCheck[]): Promise<DoctorCheckResult[]> {
  const results: DoctorCheckResult[] = [];
  for (let at = 0; at < checks.length; at = results.length) {
    const next = checks.slice(at, at + REMOTE_AT_ONCE);
    const firstLocal = next.findIndex(({ isRemote }) => !isRemote);
    const together = firstLocal < 0 ? next : next.slice(0, Math.max(firstLocal, 1));
    results.push(
      ...(await Promise.all(together.map(async ({ name, run }) => ({ name, ...(await attempt(run)) })))),
    );
  }
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
