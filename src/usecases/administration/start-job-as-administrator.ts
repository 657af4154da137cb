import { conflict } from "../../domain/errors.ts";
import type { MonitoredJobStart } from "../../monitoring/monitored-job-state.ts";
import type { AdminUseCaseDeps } from "../partners/create-partner-and-credentials.ts";

/** Starts a job in an administrator's name. Throws conflict while it is running. */
export async function startJobAsAdministrator(
  { store, actor }: AdminUseCaseDeps,
  name: string,
  start: (name: string) => Promise<MonitoredJobStart | undefined>,
): Promise<void> {
  const beginning = await start(name);
  if (beginning === "running elsewhere")
    throw conflict(`The job ${name} is already running on another server`);
  if (beginning !== "begun") throw conflict(`The job ${name} is already running`);
  await store.write((tx) =>
    tx.audit.record({ at: tx.now, actor, action: "job.run", subject: name, detail: {} }),
  );
}
