import type pg from "pg";
import type { WalArchiving } from "../../store.ts";
import { type DatabaseAddress, isLocalPostgresHost } from "../connection/postgres-address.ts";
import { TYPE_PARSERS } from "../postgres-type-parsers.ts";
import { postgresWalArchivingOf, WAL_ARCHIVING, type WalArchivingRow } from "./postgres-wal-archiving.ts";

/** The state of a PostgreSQL server and the privileges of the user, for `mainstay doctor`. */
export type PostgresServerDiagnostics = {
  /** The address of the database, without the password. */
  displayName: string;
  version: string;
  encoding: string;
  timeZone: string;
  sizeBytes: number;
  isEncrypted: boolean;
  /** True if the server runs on this machine. */
  isLocal: boolean;
  /** This machine's clock minus the server's, and the uncertainty of that. */
  clock: { offsetMs: number; uncertaintyMs: number };
  connections: {
    /** The limit of the server, the user or the database, whichever leaves the fewest connections. */
    most: number;
    /** The connections that count towards that limit. */
    used: number;
    /** The most connections of one Mainstay server. */
    perServer: number;
  };
  /** Settings with which a power cut may lose committed data. */
  unsafe: string[];
  /** The user of this connection. */
  user: string;
  /** The owner of the tables, if the user is not the owner and has no part in its rights; undefined otherwise. */
  otherOwner: string | undefined;
  mayCreate: boolean;
  /** Tables of the schema that the user can't read and write, and sequences that it can't use. */
  forbidden: string[];
  /** True if the user could read and write tables that the other owner creates, as a migration does. */
  hasDefaultPrivileges: boolean;
  /** Undefined if it is turned off. */
  walArchiving: WalArchiving | undefined;
  /** Undefined if the user can't see them. */
  standbys: { name: string; state: string; isSynchronous: boolean; lagMs: number }[] | undefined;
};

/** The connections beside the pool: six writers, the change poller, and the check of where the address leads. */
const BESIDE_POOL = 8;

/** Reads the settings and the state of the PostgreSQL server that `doctor` checks. */
export async function readPostgresServerDiagnostics(
  client: pg.Client,
  address: DatabaseAddress,
): Promise<PostgresServerDiagnostics> {
  const ask = async <Row>(text: string) => (await client.query({ text, types: TYPE_PARSERS })).rows as Row[];
  const askedAt = Date.now();
  const [clock] = await ask<{ now: number }>(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now",
  );
  const uncertaintyMs = Date.now() - askedAt;
  const [server] = await ask<{
    version: string;
    encoding: string;
    time_zone: string;
    size: number;
    encrypted: boolean | null;
    most: number;
    used: number;
    unsafe: string[];
    user: string;
    other_owner: string | null;
    has_default_privileges: boolean;
    may_create: boolean;
    sees_standbys: boolean;
  }>(SERVER);
  const forbidden = await ask<{ name: string }>(INACCESSIBLE);
  const archiving = await ask<WalArchivingRow>(WAL_ARCHIVING);
  const standbys = await ask<{ name: string; state: string; is_synchronous: boolean; lag_ms: number }>(
    STANDBYS,
  );
  return {
    displayName: address.displayName,
    version: server!.version,
    encoding: server!.encoding,
    timeZone: server!.time_zone,
    sizeBytes: server!.size,
    isEncrypted: server!.encrypted === true,
    isLocal: isLocalPostgresHost(address.host),
    clock: { offsetMs: Math.round(askedAt + uncertaintyMs / 2 - clock!.now), uncertaintyMs },
    connections: { most: server!.most, used: server!.used, perServer: address.pool + BESIDE_POOL },
    unsafe: server!.unsafe,
    user: server!.user,
    otherOwner: server!.other_owner ?? undefined,
    mayCreate: server!.may_create,
    forbidden: forbidden.map(({ name }) => name),
    hasDefaultPrivileges: server!.has_default_privileges,
    walArchiving: postgresWalArchivingOf(archiving),
    standbys: server!.sees_standbys
      ? standbys.map(({ name, state, is_synchronous, lag_ms }) => ({
          name,
          state,
          isSynchronous: is_synchronous,
          lagMs: lag_ms,
        }))
      : undefined,
  };
}

/** A limit of -1 means none. Background processes, such as the checkpointer, do not count as connections. */
const SERVER = `
  SELECT current_setting('server_version') AS version, pg_encoding_to_char(d.encoding) AS encoding,
    current_setting('TimeZone') AS time_zone, pg_database_size(d.oid) AS size,
    (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS encrypted,
    l.most, l.used,
    ARRAY(SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')
      AND setting = 'off' ORDER BY name) AS unsafe,
    current_user AS user, o.name AS other_owner,
    (SELECT count(DISTINCT a.privilege_type) FROM pg_default_acl f, aclexplode(f.defaclacl) a
      WHERE f.defaclrole = o.oid AND f.defaclobjtype = 'r'
        AND f.defaclnamespace IN (0, (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))
        AND (a.grantee = 0 OR pg_has_role(a.grantee, 'USAGE'))
        AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')) = 4 AS has_default_privileges,
    has_schema_privilege(current_schema(), 'CREATE') AS may_create,
    r.rolsuper OR pg_has_role('pg_monitor', 'USAGE') OR pg_has_role('pg_read_all_stats', 'USAGE') AS sees_standbys
  FROM pg_database d, pg_roles r
  LEFT JOIN (
    SELECT w.oid, w.rolname AS name FROM pg_tables t JOIN pg_roles w ON w.rolname = t.tableowner
    WHERE t.schemaname = current_schema() AND t.tablename = 'schema_migrations' AND NOT pg_has_role(w.oid, 'USAGE')
  ) o ON true, LATERAL (
    SELECT most, used FROM (VALUES
      (
        current_setting('max_connections')::int - CASE WHEN r.rolsuper THEN 0 ELSE
          current_setting('superuser_reserved_connections')::int
          + coalesce(current_setting('reserved_connections', true)::int, 0) END,
        (SELECT sum(numbackends) FROM pg_stat_database)
      ),
      (r.rolconnlimit, (SELECT count(*) FROM pg_stat_activity WHERE usesysid = r.oid)),
      (d.datconnlimit, (SELECT numbackends FROM pg_stat_database WHERE datid = d.oid))
    ) AS limits (most, used) WHERE most <> -1 ORDER BY most - used LIMIT 1
  ) l
  WHERE d.datname = current_database() AND r.rolname = current_user`;

const INACCESSIBLE = `
  SELECT tablename AS name FROM pg_tables, format('%I.%I', schemaname, tablename) AS place
  WHERE schemaname = current_schema() AND NOT (
    has_table_privilege(place, 'SELECT') AND has_table_privilege(place, 'INSERT')
    AND has_table_privilege(place, 'UPDATE') AND has_table_privilege(place, 'DELETE'))
  UNION ALL
  SELECT sequencename FROM pg_sequences
  WHERE schemaname = current_schema() AND NOT has_sequence_privilege(format('%I.%I', schemaname, sequencename), 'USAGE')
  ORDER BY 1`;

const STANDBYS = `
  SELECT coalesce(nullif(application_name, ''), client_addr::text, 'unnamed') AS name, coalesce(state, '') AS state,
    coalesce(sync_state IN ('sync', 'quorum'), false) AS is_synchronous,
    coalesce(extract(epoch FROM replay_lag) * 1000, 0)::float8 AS lag_ms
  FROM pg_stat_replication ORDER BY 1`;
