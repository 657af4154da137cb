import { type Instant, toIso } from "../domain/time.ts";
import { inMegabytes } from "../files.ts";
import type { DatabaseDiagnostics } from "../store/postgres/diagnostics/database-diagnostics.ts";
import type { ServerDiagnostics } from "../store/postgres/diagnostics/server-diagnostics.ts";
import { type Check, type Finding, fail, ok, warn } from "./check.ts";
import { age } from "./database.ts";

/** A server whose clock is further off than this takes no snapshot. */
const CLOCK_OFF_MS = 60_000;
const CLOCK_LOOSE_MS = 2_000;
const STANDBY_LAG_MS = 30_000;

/** What holds of the database server, each by itself. */
export const serverChecks = (facts: ServerDiagnostics, now: Instant): Check[] => [
  { name: "encryption", run: () => checkEncryption(facts) },
  { name: "privileges", run: () => checkPrivileges(facts) },
  { name: "time_zone", run: () => ok(`${facts.timeZone}; instants are stored as UTC, so any will do`) },
  { name: "database_clock", run: () => checkDatabaseClock(facts, now) },
  { name: "connections", run: () => checkConnections(facts) },
  { name: "durability", run: () => checkDurability(facts) },
  { name: "replication", run: () => checkReplication(facts) },
];

export function databaseFound({ displayName, version, encoding, sizeBytes }: ServerDiagnostics): Finding {
  return ok(`${displayName} answers: PostgreSQL ${version}, ${encoding}, ${inMegabytes(sizeBytes)}`);
}

export function checkSharedSchema({ version, missing, gaps }: DatabaseDiagnostics["schema"]): Finding {
  if (gaps !== undefined)
    return fail(
      `only a part of it is there: ${gaps}`,
      "It was migrated or restored in part: restore it whole from a backup.",
    );
  if (missing === 0) return ok(`version ${version}, this executable's own`);
  const remedy = "The next start of a server applies them, or `mainstay migrate`.";
  if (version === 0)
    return fail("the database is empty: there is no installation in it, and no step of the schema", remedy);
  return warn(`version ${version}; this executable brings ${missing} more steps`, remedy);
}

export function checkStoredPhotos({ known, missing }: { known: number; missing: number }): Finding {
  const detail = `${known - missing} of ${known} photos are in the database`;
  return missing === 0 ? ok(detail) : warn(detail, "The others can't be shown; look for them in a backup.");
}

function checkEncryption({ isLocal: isNear, isEncrypted }: ServerDiagnostics): Finding {
  if (isEncrypted) return ok("the connection is encrypted");
  if (isNear) return ok("the connection is not encrypted, and stays on this machine");
  return warn(
    "the connection is not encrypted: passwords' hashes and all data pass in clear",
    "Turn ssl on in postgresql.conf, and take sslmode=disable out of storage.url.",
  );
}

function checkPrivileges({ mayCreate, forbidden }: ServerDiagnostics): Finding {
  const grant = "Let the user own the database, or grant it the rights that the manual lists under roles.";
  if (forbidden.length > 0)
    return fail(`the user may not read and write ${forbidden.slice(0, 5).join(", ")}`, grant);
  if (!mayCreate)
    return warn(
      "the user may read and write every table, and make none",
      "So it should be where another user runs `mainstay migrate` before an upgrade; else grant it CREATE.",
    );
  return ok("the user may read and write every table, and make new ones for an upgrade");
}

function checkDatabaseClock({ clock: { offMs, doubtMs } }: ServerDiagnostics, now: Instant): Finding {
  const remedy = "Keep the clocks of both machines by NTP.";
  const detail = `this machine's clock (${toIso(now)}) is ${age(Math.abs(offMs))} ${offMs < 0 ? "behind" : "ahead of"} the database's`;
  if (Math.abs(offMs) > CLOCK_OFF_MS + doubtMs)
    return fail(`${detail}: a server here takes no snapshot`, remedy);
  if (Math.abs(offMs) > CLOCK_LOOSE_MS + doubtMs) return warn(detail, remedy);
  return ok(`this machine's clock and the database's agree to ${Math.max(Math.abs(offMs), doubtMs)} ms`);
}

function checkConnections({ connections: { most, used, perServer } }: ServerDiagnostics): Finding {
  const detail = `${used} of ${most} are in use; a server takes up to ${perServer}`;
  if (most - used >= perServer) return ok(detail);
  return warn(
    `${detail}: there may be no room for another one`,
    "Raise max_connections or the user's limit, lower ?pool= in storage.url, or put a PgBouncer in between.",
  );
}

function checkDurability({ unsafe }: ServerDiagnostics): Finding {
  if (unsafe.length === 0) return ok("what is committed survives a power cut");
  return warn(
    `${unsafe.join(" and ")} ${unsafe.length === 1 ? "is" : "are"} off: what was acknowledged may be lost with the power`,
    "Turn it on in postgresql.conf, or with ALTER DATABASE or ALTER ROLE where it was set.",
  );
}

function checkReplication({ standbys }: ServerDiagnostics): Finding {
  if (standbys === undefined)
    return ok("the user may not see standbys; GRANT pg_monitor would let this look at their lag");
  if (standbys.length === 0) return ok("no standby is connected");
  const detail = standbys
    .map(({ name, state, isSynchronous, lagMs }) => {
      const kind = isSynchronous ? "synchronous" : "asynchronous";
      return `${name} (${kind}, ${state}, ${Math.round(lagMs)} ms behind)`;
    })
    .join("; ");
  const late = standbys.some(({ state, lagMs }) => state !== "streaming" || lagMs > STANDBY_LAG_MS);
  return late
    ? warn(detail, "See the standby's log: it should stream, and follow within seconds.")
    : ok(detail);
}
