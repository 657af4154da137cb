import type { LastBackup } from "../backup/last-backup.ts";
import { type Instant, MS_PER_DAY } from "../domain/time.ts";
import { type Finding, fail, ok, warn } from "./check.ts";
import { age } from "./database.ts";

/** How the latest scheduled backup went. `schedule` is "" when there is none. */
export function checkBackup(schedule: string, last: LastBackup | undefined, now: Instant): Finding {
  if (!last)
    return schedule === ""
      ? warn(
          "none is scheduled",
          "Set backup.schedule, or see to it that `mainstay backup` runs by another scheduler.",
        )
      : warn(`none was taken yet by the schedule ${schedule}`, "The running server takes them; see its log.");
  const sinceMs = now - Date.parse(last.at);
  const detail = `${last.file}, ${age(sinceMs)} ago`;
  if (!last.ok)
    return fail(
      `the last one failed ${age(sinceMs)} ago: ${last.error}`,
      "Mend that, then run `mainstay backup`.",
    );
  if (!last.drill_ok)
    return fail(
      `${detail}, could not be restored: ${last.error}`,
      "Try `mainstay restore` with it, and take another.",
    );
  return sinceMs > 8 * MS_PER_DAY
    ? warn(detail, "Is the server running, and backup.schedule still what is wanted?")
    : ok(`${detail}, and it could be restored`);
}
