import { conflict } from "../domain/errors.ts";
import type { Administration } from "./partners.ts";

/** Starts a job in an administrator's name. Throws conflict while it is running. */
export async function runJob(
  { store, actor }: Administration,
  name: string,
  start: (name: string) => boolean | undefined,
): Promise<void> {
  if (!start(name)) throw conflict(`The job ${name} is running already`);
  await store.write((tx) =>
    tx.audit.record({ at: tx.now, actor, action: "job.run", subject: name, detail: {} }),
  );
}
