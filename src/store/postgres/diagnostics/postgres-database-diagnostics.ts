import { calibratedModelVersion } from "../../../domain/calibration/model-version.ts";
import { DATABASE_STATE, type DatabaseState, type ModelState } from "../../sqlite/sqlite-database-state.ts";
import { parsePostgresUrl } from "../connection/postgres-address.ts";
import { PostgresConnections } from "../connection/postgres-connections.ts";
import {
  missingPostgresIndexes,
  missingTablesAndColumns,
  pendingPostgresMigrations,
  requireUsableDatabase,
} from "../migrate-postgres.ts";
import { explainPostgresError } from "../postgres-errors.ts";
import { POSTGRES_MIGRATIONS } from "../postgres-migrations.ts";
import { TYPE_PARSERS } from "../postgres-type-parsers.ts";
import {
  type PostgresServerDiagnostics,
  readPostgresServerDiagnostics,
} from "./postgres-server-diagnostics.ts";

/** The state of a database, for `mainstay doctor`, whether servers use it or not. */
export type PostgresDatabaseDiagnostics = {
  server: PostgresServerDiagnostics;
  /** The number of migrations that the database has, and that it lacks. */
  schema: {
    version: number;
    missing: number;
    /** The tables and columns that it lacks although every migration is on record, for people; undefined if none. */
    incomplete: string | undefined;
    /** The indexes that were dropped, or are not valid, for people; undefined if none. */
    missingIndexes: string | undefined;
    /** True if the sequence of the audit log gives numbers that entries have, with which they cannot be written. */
    isSequenceBehind: boolean;
  };
  /** Undefined if the schema is missing or incomplete. */
  rows:
    | {
        state: DatabaseState;
        model: ModelState;
        /** An encrypted secret to check the key with; undefined if there is none. */
        encryptedSecret: string | undefined;
        photos: { known: number; missing: number };
      }
    | undefined;
};

/** Reads the state of a database, and changes nothing. Rejects with an OperatorError if the database can't be used. */
export async function readPostgresDatabaseDiagnostics(url: string): Promise<PostgresDatabaseDiagnostics> {
  const address = parsePostgresUrl(url);
  const connections = new PostgresConnections(address);
  try {
    const client = await connections.open();
    await requireUsableDatabase(client, address);
    const server = await readPostgresServerDiagnostics(client, address);
    const missing = (await pendingPostgresMigrations(client, address, POSTGRES_MIGRATIONS)).length;
    const incomplete = missing === 0 ? await missingTablesAndColumns(client) : undefined;
    const missingIndexes = missing === 0 ? await missingPostgresIndexes(client) : undefined;
    const all = async <Row>(text: string) =>
      (await client.query({ text, types: TYPE_PARSERS })).rows as Row[];
    const firstRow = async <Row>(text: string) => (await all<Row>(text))[0];
    const version = POSTGRES_MIGRATIONS.length - missing;
    const hasRows = version > 0 && incomplete === undefined;
    const sequence = hasRows ? await firstRow<AuditLogSequence>(SEQUENCE) : undefined;
    const isSequenceBehind =
      sequence?.usable === true &&
      (await firstRow<{ behind: boolean }>(isSequenceBehindRows(sequence)))!.behind;
    const schema = { version, missing, incomplete, missingIndexes, isSequenceBehind };
    if (!hasRows) return { server, schema, rows: undefined };
    const state: DatabaseState = {
      lastInstant: (await firstRow<{ at: number }>(LAST_INSTANT))?.at ?? 0,
      snapshot: await firstRow(DATABASE_STATE.snapshot),
      newestSnapshotDay: (await firstRow<{ day: string | null }>(DATABASE_STATE.newestSnapshot))!.day,
      outbox: (await firstRow<DatabaseState["outbox"]>(DATABASE_STATE.outbox))!,
      endpoints: await all(DATABASE_STATE.endpoints),
    };
    const fit = await firstRow<{ base: string; number: number }>(FIT);
    const model: ModelState = {
      scoredBy: (await firstRow<{ version: string }>(SCORED_BY))?.version,
      fit: fit && { base: fit.base, version: calibratedModelVersion(fit.base, fit.number) },
    };
    const encryptedSecret = (
      await firstRow<{ secret: string }>("SELECT secret FROM webhook_receivers LIMIT 1")
    )?.secret;
    const photos = (await firstRow<{ known: number; missing: number }>(PHOTOS))!;
    return { server, schema, rows: { state, model, encryptedSecret, photos } };
  } catch (error) {
    throw explainPostgresError(error, address);
  } finally {
    await connections.close();
  }
}

/** Logical replication copies rows without the numbers that the sequences of their tables have reached. */
const SEQUENCE = `SELECT name, has_sequence_privilege(name, 'SELECT') AS readable,
    has_sequence_privilege(name, 'SELECT, USAGE') AS usable
  FROM (SELECT pg_get_serial_sequence('audit_log', 'seq') AS name) AS of_audit_log`;
type AuditLogSequence = { name: string; readable: boolean; usable: boolean };
/** Without the right to read it, a sequence that was set but not used yet has no last value. */
const isSequenceBehindRows = ({ name, readable }: AuditLogSequence) =>
  `SELECT coalesce(next <= (SELECT max(seq) FROM audit_log), false) AS behind FROM (${
    readable
      ? `SELECT last_value + is_called::int AS next FROM ${name}`
      : `SELECT coalesce(pg_sequence_last_value('${name}'::regclass), 0) + 1 AS next`
  }) AS of_sequence`;
/** Each partner has a clock of its own, which the common one may be behind. */
const LAST_INSTANT =
  "SELECT greatest(last_instant, (SELECT max(last_instant) FROM partner_totals)) AS at FROM clock";
const FIT = "SELECT v.base, v.number FROM model_in_use u JOIN model_versions v ON v.number = u.number";
const SCORED_BY =
  "SELECT model_version AS version FROM snapshot_runs WHERE finished_at IS NOT NULL ORDER BY day DESC LIMIT 1";
const PHOTOS = `SELECT count(*) AS known, count(*) FILTER (WHERE u.filename IS NULL) AS missing
  FROM photos p LEFT JOIN uploads u ON u.filename = p.filename`;
