import type pg from "pg";
import { type DatabaseAddress, isLocal } from "../connection/address.ts";
import { TYPE_PARSERS } from "../type-parsers.ts";

/** What a doctor wants to know of a PostgreSQL server, and of what the user may do there. */
export type ServerDiagnostics = {
  /** How operators know the database: without the password. */
  displayName: string;
  version: string;
  encoding: string;
  timeZone: string;
  sizeBytes: number;
  isEncrypted: boolean;
  /** On this machine. */
  isLocal: boolean;
  /** This machine's clock minus the server's, and how far off that may be. */
  clock: { offMs: number; doubtMs: number };
  connections: {
    /** Of the server, the user or the database, whichever limit leaves the least room. */
    most: number;
    /** Of those that count towards that limit. */
    used: number;
    /** Most that one server of ours takes. */
    perServer: number;
  };
  /** Settings by which what is committed may be lost with the power. */
  unsafe: string[];
  mayCreate: boolean;
  /** Tables of ours that the user may not read and write. */
  forbidden: string[];
  /** Undefined where the user may not see them. */
  standbys: { name: string; state: string; isSynchronous: boolean; lagMs: number }[] | undefined;
};

/** Connections beside the pool: those that write, and the one that asks whether the database is there. */
const BESIDE_POOL = 7;

export async function readServerDiagnostics(
  client: pg.Client,
  address: DatabaseAddress,
): Promise<ServerDiagnostics> {
  const ask = async <Row>(text: string) => (await client.query({ text, types: TYPE_PARSERS })).rows as Row[];
  const askedAt = Date.now();
  const [clock] = await ask<{ now: number }>(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now",
  );
  const doubtMs = Date.now() - askedAt;
  const [facts] = await ask<{
    version: string;
    encoding: string;
    time_zone: string;
    size: number;
    encrypted: boolean | null;
    most: number;
    used: number;
    unsafe: string[];
    may_create: boolean;
    sees_standbys: boolean;
  }>(FACTS);
  const forbidden = await ask<{ name: string }>(FORBIDDEN);
  const standbys = await ask<{ name: string; state: string; is_synchronous: boolean; lag_ms: number }>(
    STANDBYS,
  );
  return {
    displayName: address.displayName,
    version: facts!.version,
    encoding: facts!.encoding,
    timeZone: facts!.time_zone,
    sizeBytes: facts!.size,
    isEncrypted: facts!.encrypted === true,
    isLocal: isLocal(address.host),
    clock: { offMs: Math.round(askedAt + doubtMs / 2 - clock!.now), doubtMs },
    connections: { most: facts!.most, used: facts!.used, perServer: address.pool + BESIDE_POOL },
    unsafe: facts!.unsafe,
    mayCreate: facts!.may_create,
    forbidden: forbidden.map(({ name }) => name),
    standbys: facts!.sees_standbys
      ? standbys.map(({ name, state, is_synchronous, lag_ms }) => ({
          ...{ name, state },
          isSynchronous: is_synchronous,
          lagMs: lag_ms,
        }))
      : undefined,
  };
}

/** A limit of -1 is none. What the server does for itself, such as writing checkpoints, takes no connection. */
const FACTS = `
  SELECT current_setting('server_version') AS version, pg_encoding_to_char(d.encoding) AS encoding,
    current_setting('TimeZone') AS time_zone, pg_database_size(d.oid) AS size,
    (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS encrypted,
    l.most, l.used,
    ARRAY(SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')
      AND setting = 'off' ORDER BY name) AS unsafe,
    has_schema_privilege(current_schema(), 'CREATE') AS may_create,
    r.rolsuper OR pg_has_role('pg_monitor', 'USAGE') OR pg_has_role('pg_read_all_stats', 'USAGE') AS sees_standbys
  FROM pg_database d, pg_roles r, LATERAL (
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

const FORBIDDEN = `
  SELECT tablename AS name FROM pg_tables, format('%I.%I', schemaname, tablename) AS place
  WHERE schemaname = current_schema() AND NOT (
    has_table_privilege(place, 'SELECT') AND has_table_privilege(place, 'INSERT')
    AND has_table_privilege(place, 'UPDATE') AND has_table_privilege(place, 'DELETE'))
  ORDER BY 1`;

const STANDBYS = `
  SELECT coalesce(nullif(application_name, ''), client_addr::text, 'unnamed') AS name, coalesce(state, '') AS state,
    coalesce(sync_state IN ('sync', 'quorum'), false) AS is_synchronous,
    coalesce(extract(epoch FROM replay_lag) * 1000, 0)::float8 AS lag_ms
  FROM pg_stat_replication ORDER BY 1`;
