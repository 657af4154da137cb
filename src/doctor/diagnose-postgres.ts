import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { fileSizeWording } from "../domain/wording/file-size-wording.ts";
import type { PostgresDatabaseDiagnostics } from "../store/postgres/diagnostics/postgres-database-diagnostics.ts";
import type { PostgresServerDiagnostics } from "../store/postgres/diagnostics/postgres-server-diagnostics.ts";
import { doctorDurationText } from "./diagnose-database.ts";
import {
  type DoctorCheck,
  type DoctorFinding,
  failedDoctorFinding,
  okDoctorFinding,
  warningDoctorFinding,
} from "./doctor-check.ts";

/** The clock difference above which a server takes no snapshot. */
const CLOCK_OFF_MS = 60_000;
const CLOCK_LOOSE_MS = 2_000;
const STANDBY_LAG_MS = 30_000;

/** Returns the checks of the database server. */
export const doctorChecksOfPostgresServer = (
  facts: PostgresServerDiagnostics,
  now: Instant,
): DoctorCheck[] => [
  { name: "encryption", run: () => checkEncryption(facts) },
  { name: "privileges", run: () => checkPrivileges(facts) },
  {
    name: "time_zone",
    run: () => okDoctorFinding(`${facts.timeZone}; any time zone works, since times are stored in UTC`),
  },
  { name: "database_clock", run: () => checkDatabaseClock(facts, now) },
  { name: "connections", run: () => checkConnections(facts) },
  { name: "durability", run: () => checkDurability(facts) },
  { name: "replication", run: () => checkReplication(facts) },
];

/** Reports the version, encoding and size of the database that was reached. */
export function diagnoseDatabaseServer({
  displayName,
  version,
  encoding,
  sizeBytes,
}: PostgresServerDiagnostics): DoctorFinding {
  return okDoctorFinding(
    `${displayName} answers: PostgreSQL ${version}, ${encoding}, ${fileSizeWording(sizeBytes)}`,
  );
}

/** Compares the schema with this executable's, and says who can migrate it. */
export function diagnoseSharedSchema(
  { version, missing, incomplete, missingIndexes, isSequenceBehind }: PostgresDatabaseDiagnostics["schema"],
  { otherOwner }: PostgresServerDiagnostics,
): DoctorFinding {
  if (incomplete !== undefined)
    return failedDoctorFinding(
      `the schema is incomplete: ${incomplete}`,
      "It was only partly migrated or restored. Restore the whole database from a backup.",
    );
  if (isSequenceBehind)
    return failedDoctorFinding(
      "the sequence of audit_log is behind its entries: corrections and changes by operators fail",
      "It was not copied with the rows. As the owner, run SELECT setval(pg_get_serial_sequence('audit_log', 'seq'), max(seq)) FROM audit_log.",
    );
  if (missingIndexes !== undefined)
    return warningDoctorFinding(
      `indexes are missing or not valid: ${missingIndexes}`,
      "Without them requests take longer, and rows may be stored twice. Run REINDEX INDEX for one that is not valid; create a dropped one as in an empty database after `mainstay migrate`.",
    );
  if (missing === 0) return okDoctorFinding(`version ${version} (up to date)`);
  const remedy =
    otherOwner === undefined
      ? "The next server start applies them, or run `mainstay migrate`."
      : `Run \`mainstay migrate\` as ${otherOwner}, which owns the tables: this user cannot change them.`;
  if (version === 0)
    return failedDoctorFinding("the database is empty: no installation and no schema", remedy);
  return warningDoctorFinding(`version ${version}; ${missing} schema migrations pending`, remedy);
}

/** Warns of photos whose bytes are missing from the database. */
export function diagnoseStoredPhotos({ known, missing }: { known: number; missing: number }): DoctorFinding {
  const detail = missing === 0 ? `all ${known} photos present` : `${missing} of ${known} photos missing`;
  return missing === 0
    ? okDoctorFinding(detail)
    : warningDoctorFinding(detail, "Restore the missing photos from a backup.");
}

function checkEncryption({ isLocal: isNear, isEncrypted }: PostgresServerDiagnostics): DoctorFinding {
  if (isEncrypted) return okDoctorFinding("the connection is encrypted");
  if (isNear) return okDoctorFinding("the connection is not encrypted, but local to this machine");
  return warningDoctorFinding(
    "the connection is not encrypted: password hashes and all data are sent in plain text",
    "Turn on ssl in postgresql.conf, and remove sslmode=disable from storage.url.",
  );
}

/** Checks the rights of a user that owns the tables, or that serves beside the owner, which runs the migrations. */
function checkPrivileges(facts: PostgresServerDiagnostics): DoctorFinding {
  const { user, otherOwner, mayCreate, forbidden, hasDefaultPrivileges } = facts;
  if (forbidden.length > 0)
    return failedDoctorFinding(
      `the user ${user} cannot read and write ${forbidden.slice(0, 5).join(", ")}`,
      otherOwner === undefined
        ? "Make the user the owner of the database, or repeat the grants of the manual (Creating the database)."
        : `As ${otherOwner}, repeat the grants of the manual (Creating the database) for ${user}.`,
    );
  if (otherOwner !== undefined && !hasDefaultPrivileges)
    return warningDoctorFinding(
      `the user ${user} can read and write every table, but not those that the next upgrade creates`,
      `As ${otherOwner}, which owns the tables, set the default privileges of the manual (Creating the database) for ${user}.`,
    );
  if (otherOwner !== undefined)
    return okDoctorFinding(
      `the user ${user} can read and write every table; ${otherOwner} owns them and migrates`,
    );
  if (!mayCreate)
    return warningDoctorFinding(
      `the user ${user} can read and write every table but cannot create tables`,
      "Grant CREATE on the schema, or the next upgrade fails.",
    );
  return okDoctorFinding(`the user ${user} can read, write and create tables`);
}

function checkDatabaseClock(
  { clock: { offsetMs, uncertaintyMs } }: PostgresServerDiagnostics,
  now: Instant,
): DoctorFinding {
  const remedy = "Synchronize the clocks of both machines with NTP.";
  const detail = `this machine's clock (${isoTextOfInstant(now)}) is ${doctorDurationText(Math.abs(offsetMs))} ${offsetMs < 0 ? "behind" : "ahead of"} the database's`;
  if (Math.abs(offsetMs) > CLOCK_OFF_MS + uncertaintyMs)
    return failedDoctorFinding(`${detail}: a server on this machine takes no snapshot`, remedy);
  if (Math.abs(offsetMs) > CLOCK_LOOSE_MS + uncertaintyMs) return warningDoctorFinding(detail, remedy);
  return okDoctorFinding(
    `this machine's clock and the database's agree to ${Math.max(Math.abs(offsetMs), uncertaintyMs)} ms`,
  );
}

function checkConnections({
  connections: { most, used, perServer },
}: PostgresServerDiagnostics): DoctorFinding {
  const detail = `${used} of ${most} connections in use; each server opens up to ${perServer}`;
  if (most - used >= perServer) return okDoctorFinding(detail);
  return warningDoctorFinding(
    `${detail}: another server may not be able to connect`,
    "Raise max_connections or the user's limit, lower ?pool= in storage.url, or use PgBouncer.",
  );
}

function checkDurability({ unsafe }: PostgresServerDiagnostics): DoctorFinding {
  if (unsafe.length === 0) return okDoctorFinding("commits survive power loss");
  return warningDoctorFinding(
    `${unsafe.join(" and ")} ${unsafe.length === 1 ? "is" : "are"} off: acknowledged writes may be lost on power failure`,
    "Turn it on where it was set: in postgresql.conf, with ALTER DATABASE or with ALTER ROLE.",
  );
}

function checkReplication({ standbys }: PostgresServerDiagnostics): DoctorFinding {
  if (standbys === undefined)
    return okDoctorFinding("not checked: GRANT pg_monitor to the user to check the lag of standbys");
  if (standbys.length === 0) return okDoctorFinding("no standby is connected");
  const detail = standbys
    .map(({ name, state, isSynchronous, lagMs }) => {
      const kind = isSynchronous ? "synchronous" : "asynchronous";
      return `${name} (${kind}, ${state}, ${Math.round(lagMs)} ms behind)`;
    })
    .join("; ");
  const late = standbys.some(({ state, lagMs }) => state !== "streaming" || lagMs > STANDBY_LAG_MS);
  return late
    ? warningDoctorFinding(
        detail,
        "See the standby's log. It should stream with a lag of at most a few seconds.",
      )
    : okDoctorFinding(detail);
}
