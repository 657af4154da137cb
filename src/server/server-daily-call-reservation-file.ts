import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Day } from "../domain/time.ts";
import { fileStorageError, NO_FOLLOW } from "../files/durable-files.ts";
import type { CallLedger } from "../http/request-daily-call-limits.ts";

const { O_APPEND, O_CREAT, O_RDWR } = constants;

/** One line per reservation: the partner, the day, and the calls of that day reserved in all. */
const LINE = /^(\S+) (\d{4}-\d{2}-\d{2}) (\d+)$/;
/** The file is truncated at this size at the latest; older lines are in the database by then. */
const MOST_BYTES = 1_048_576;

/**
 * Opens the file of call reservations that are not in the database yet, so that a call does not wait for another's
 * long write. It survives a kill of the process but, like the count in the database, not a power cut. It is valid for one
 * server only: several on a database have none.
 */
export function openServerDailyCallReservationFile(dataDir: string): CallLedger & { close(): void } {
  const path = join(dataDir, "budgets.ahead");
  let file: number;
  try {
    file = openSync(path, O_RDWR | O_APPEND | O_CREAT | NO_FOLLOW, 0o600);
  } catch (error) {
    throw fileStorageError(error, path);
  }
  let bytes = 0;
  return {
    read() {
      const entries = new Map<string, { partnerId: string; day: Day; calls: number }>();
      // The last line may be incomplete; its calls were not used yet.
      for (const line of readFileSync(path, "utf8").split("\n").slice(0, -1)) {
        const [, partnerId, day, calls] = LINE.exec(line) ?? [];
        if (partnerId === undefined || day === undefined) continue;
        const known = entries.get(`${partnerId} ${day}`)?.calls ?? 0;
        entries.set(`${partnerId} ${day}`, { partnerId, day, calls: Math.max(known, Number(calls)) });
      }
      return [...entries.values()];
    },
    record(partnerId, day, calls) {
      if (bytes > MOST_BYTES) return false;
      const line = `${partnerId} ${day} ${calls}\n`;
      try {
        if (writeSync(file, line) !== line.length) return false;
      } catch {
        return false;
      }
      bytes += line.length;
      return true;
    },
    clear() {
      ftruncateSync(file, 0);
      bytes = 0;
    },
    close: () => closeSync(file),
  };
}
