import type pg from "pg";
import type { PostgresServer } from "../support/postgres-server.ts";
import type { Wire } from "./wire.ts";

/** A PostgreSQL that faults are done to, behind a wire that the servers reach it by. */
export type Database = {
  wire: Wire;
  /** The one that the wire leads to. */
  primary(): PostgresServer;
  /** Runs statements on it past the wire, as another user of the database. */
  ask(sql: string): Promise<{ [column: string]: unknown }[]>;
  /** A session of its own. */
  session(): Promise<pg.Client>;
  /** A standby that has all that was committed; the primary waits for it at every commit. */
  standby(): Promise<void>;
  /** Kills the primary, and makes the standby the primary. */
  failOver(): Promise<void>;
};
