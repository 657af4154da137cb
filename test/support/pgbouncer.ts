import { chownSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TIMEOUT_MS } from "./eventually.ts";
import { createServiceFolder, type PostgresServer, SUPERUSER, spawnService } from "./postgres-server.ts";
import { lastingPort } from "./reserved-port.ts";

/** Fewer connections than a server would like to have, so that those of a few servers have to wait for each other. */
const MOST_CONNECTIONS = 10;

/** A PgBouncer in transaction mode for every database of a server. It ends with the process that started it. */
export class PgBouncer {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly child: ReturnType<typeof spawnService>,
  ) {}

  static async start(program: string, server: PostgresServer): Promise<PgBouncer> {
    const folder = createServiceFolder("pgbouncer");
    const port = await lastingPort();
    const { uid, gid } = statSync(folder);
    const write = (name: string, text: string) => {
      const file = join(folder, name);
      writeFileSync(file, text, { mode: 0o600 });
      chownSync(file, uid, gid);
      return file;
    };
    const users = write("users.txt", `"${SUPERUSER.name}" "${SUPERUSER.password}"\n`);
    const settings = {
      listen_addr: "127.0.0.1",
      listen_port: port,
      unix_socket_dir: "",
      auth_type: "scram-sha-256",
      auth_file: users,
      pool_mode: "transaction",
      max_client_conn: 900,
      default_pool_size: MOST_CONNECTIONS,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const databases = `[databases]\n* = host=127.0.0.1 port=${server.port}\n`;
    const config = write("pgbouncer.ini", `${databases}[pgbouncer]\n${lines.join("\n")}\n`);
    const child = spawnService([program, config], folder, "KILL");
    let log = "";
    await new Promise<void>((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(`${program} ${reason}:\n${log}`));
      const timer = setTimeout(() => fail("did not start"), TIMEOUT_MS);
      child.stderr.on("data", (chunk) => {
        log = `${log}${chunk}`.slice(-10_000);
        if (!log.includes("process up")) return;
        clearTimeout(timer);
        resolve();
      });
      child.on("error", reject);
      child.on("exit", () => fail("ended"));
    });
    return new PgBouncer(port, folder, child);
  }

  /** The host and the port, as in a URL. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  async end(): Promise<void> {
    const ended = new Promise<void>((resolve) => void this.child.on("close", () => resolve()));
    this.child.stdin.end();
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
