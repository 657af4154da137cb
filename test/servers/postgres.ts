import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { PostgresServer, SUPERUSER } from "../support/postgres-server.ts";
import type { Database } from "./database.ts";
import { DatabaseProxy } from "./database-proxy.ts";
import { retryWhileGone } from "./faults/fault.ts";
import type { Storage } from "./storage.ts";

const DATABASE = "mainstay";
const SETTINGS = {
  wal_level: "replica",
  max_wal_senders: 4,
  hot_standby: "on",
  // A standby that starts from a copy needs the log written since.
  wal_keep_size: "256MB",
  max_connections: 60,
  deadlock_timeout: "200ms",
};

type PostgresStorageOptions = {
  /** The folder with `initdb` and `postgres` of another version. */
  bin?: string | undefined;
  /** More settings of PostgreSQL. */
  settings?: Readonly<Record<string, string | number>>;
  /** Connects the servers without the proxy, which needs this process to respond. No fault of the network is possible. */
  isDirect?: boolean;
};

/** One database for all servers, each of which has its own data folder. */
export async function postgresStorage(options: PostgresStorageOptions = {}): Promise<Storage> {
  const { bin, isDirect = false } = options;
  const folder = mkdtempSync(join(tmpdir(), "mainstay-servers-"));
  const settings = { ...SETTINGS, ...options.settings };
  const begin = { settings, ...(bin !== undefined && { bin }) };
  let primary = await PostgresServer.start(begin);
  let standby: PostgresServer | undefined;
  const connect = async (server: PostgresServer, name = DATABASE) => {
    const client = new pg.Client({ connectionString: server.url(name) });
    // Errors appear in the next statement.
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const ask = async (sql: string, server = primary, name = DATABASE) => {
    const client = await connect(server, name);
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  await ask(`CREATE DATABASE ${DATABASE} ENCODING 'UTF8' TEMPLATE template0`, primary, "postgres");
  const session = () => connect(primary);
  const wire = await DatabaseProxy.open(primary.port);
  const database: Database = {
    wire,
    primary: () => primary,
    ask: (sql) => ask(sql),
    session,
    async standby() {
      // The rest of an attempt that another fault has interrupted.
      await standby?.end();
      standby = await PostgresServer.start({
        ...begin,
        settings: {
          ...settings,
          primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${SUPERUSER.name} password=${SUPERUSER.password}`,
        },
        fill: (target) => copy(primary, target, session),
      });
      await ask("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await ask("SELECT pg_reload_conf()");
      for (;;) {
        const [row] = await ask("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
        if (row) return;
        await Bun.sleep(50);
      }
    },
    async failOver() {
      if (!standby) throw new Error("there is no standby");
      const [old, next] = [primary, standby];
      await old.stop("crash");
      wire.cut();
      const promote = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote(true) END";
      await retryWhileGone(() => ask(promote, next, "postgres"));
      primary = next;
      standby = undefined;
      await retryWhileGone(() => ask("ALTER SYSTEM RESET synchronous_standby_names"));
      await retryWhileGone(() => ask("SELECT pg_reload_conf()"));
      wire.target = next.port;
      wire.cut();
      await old.end();
    },
  };
  return {
    mostServers: 16,
    dataDir: (nth) => join(folder, `data-${nth + 1}`),
    env: {
      MAINSTAY_STORAGE__URL: `postgres://${SUPERUSER.name}:${SUPERUSER.password}@127.0.0.1:${isDirect ? primary.port : wire.port}/${DATABASE}`,
    },
    database,
    async end() {
      await wire.close();
      await standby?.end();
      await primary.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Takes a base backup of a running server and makes it a standby. One session must hold the backup from start to end.
 */
async function copy(
  primary: PostgresServer,
  target: string,
  session: () => Promise<pg.Client>,
): Promise<void> {
  const client = await session();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    // Keeps the owner. Changes during the copy are recovered from the log.
    const copied = spawnSync("cp", ["-a", join(primary.folder, "data"), target]);
    // A file may be removed during the copy.
    if (copied.error) throw copied.error;
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
    rmSync(join(target, "postmaster.pid"), { force: true });
    const { uid, gid } = statSync(target);
    for (const [name, text] of [
      ["backup_label", rows[0].labelfile],
      ["standby.signal", ""],
    ]) {
      writeFileSync(join(target, name), text);
      chownSync(join(target, name), uid, gid);
    }
  } finally {
    await client.end();
  }
}
