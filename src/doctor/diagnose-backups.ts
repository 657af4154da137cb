import { Cron } from "croner";
import type { LastBackup } from "../backup/last-backup.ts";
import { type Instant, MS_PER_DAY } from "../domain/time.ts";
import type { WalArchiving } from "../store/store.ts";
import { doctorDurationText } from "./diagnose-database.ts";
import {
  type DoctorFinding,
  failedDoctorFinding,
  okDoctorFinding,
  warningDoctorFinding,
} from "./doctor-check.ts";

/** Checks the latest scheduled backup. `schedule` is "" if backups are not scheduled. */
export function diagnoseBackup(schedule: string, last: LastBackup | undefined, now: Instant): DoctorFinding {
  if (!last)
    return schedule === ""
      ? warningDoctorFinding(
          "no backups are scheduled",
          "Set backup.schedule, or run `mainstay backup` from another scheduler.",
        )
      : warningDoctorFinding(
          `no backup yet (schedule ${schedule})`,
          "The running server takes scheduled backups. See its log.",
        );
  const sinceMs = now - Date.parse(last.at);
  const detail = `${last.file}, ${doctorDurationText(sinceMs)} ago`;
  if (!last.ok)
    return failedDoctorFinding(
      `the last backup failed ${doctorDurationText(sinceMs)} ago: ${last.error}`,
      "Fix the problem, then run `mainstay backup`.",
    );
  if (!last.drill_ok)
    return failedDoctorFinding(
      `${detail}, failed the restore test: ${last.error}`,
      "Run `mainstay restore` on it for details, and take a new backup.",
    );
  return isBackupMissing(schedule, Date.parse(last.at), now)
    ? warningDoctorFinding(detail, "Check that the server is running and that backup.schedule is correct.")
    : okDoctorFinding(`${detail}, passed the restore test`);
}

/** Returns whether the next backup was due more than a day ago; without a schedule, a week after the last one. */
function isBackupMissing(schedule: string, lastAt: Instant, now: Instant): boolean {
  // The record of a backup may be damaged.
  if (Number.isNaN(lastAt)) return true;
  const next = schedule === "" ? undefined : new Cron(schedule, { utcOffset: 0 }).nextRun(new Date(lastAt));
  return now > (next?.getTime() ?? lastAt + 7 * MS_PER_DAY) + MS_PER_DAY;
}

/** Checks the part of the backups of PostgreSQL that it reports: the archiving of its write-ahead log, if that is on. */
export function diagnoseWalArchiving(archiving: WalArchiving | undefined, now: Instant): DoctorFinding {
  if (!archiving)
    return okDoctorFinding(
      "not checked: taken with PostgreSQL's own tools, and archiving of its WAL is turned off",
    );
  const { archivedAt, isFailing } = archiving;
  const latest =
    archivedAt === null
      ? "no WAL segment was archived yet"
      : `the latest WAL segment was archived ${doctorDurationText(now - archivedAt)} ago`;
  return isFailing
    ? failedDoctorFinding(
        `archiving of PostgreSQL's WAL fails; ${latest}`,
        "See PostgreSQL's log and archive_command: without the archive, backups cannot be restored to a later time, and pg_wal fills its disk.",
      )
    : okDoctorFinding(latest);
}
