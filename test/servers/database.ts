import type pg from "pg";
import type { PostgresServer } from "../support/postgres-server.ts";
import type { DatabaseProxy } from "./database-proxy.ts";

/** A PostgreSQL for faults, behind the connection that the servers use. */
export type Database = {
  wire: DatabaseProxy;
  /** The server that the connection leads to. */
  primary(): PostgresServer;
  /** Runs statements on it directly, as another user of the database. */
  ask(sql: string): Promise<{ [column: string]: unknown }[]>;
  /** Opens a session. */
  session(): Promise<pg.Client>;
  /** Adds a standby with all committed transactions; the primary waits for it at every commit. */
  standby(): Promise<void>;
  /** Kills the primary and promotes the standby. */
  failOver(): Promise<void>;
};
