import { Database } from "bun:sqlite";
import { afterAll, setDefaultTimeout } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient, type Credential, requestToken } from "./client.ts";
import { eventually, TEST_TIMEOUT_MS, TIMEOUT_MS } from "./eventually.ts";
import { COMMAND_ENVIRONMENT, DELIVERED_ENVIRONMENT, ENVIRONMENT, EXECUTABLE } from "./executable.ts";
import type { Json } from "./json.ts";
import {
  connectTo,
  onPostgres,
  type ReservedDatabase,
  rowsOf,
  TYPES,
  textOfDatabase,
  usePostgres,
} from "./postgres.ts";
import { recordOutput, recordSecret, recordSecretsIn, secretsInFiles } from "./secret-record.ts";
import { TEMPLATE_FILE } from "./template-file.ts";

export type Outcome = { code: number; stdout: string; stderr: string };

/** Settings by section, as in the configuration file. */
export type Settings = Readonly<
  Record<string, Readonly<Record<string, string | number | boolean | readonly string[]>>>
>;

/** Nothing is limited, no job runs on a schedule and no stop waits for load balancers unless a test asks for it. */
const QUIET: Settings = {
  server: { drain_s: 0 },
  limits: { per_ip_per_minute: 0, per_partner_per_minute: 0, daily_budget: 1_000_000 },
  snapshot: { enabled: false },
};

export type Partner = {
  partner_id: string;
  name: string;
  api_key: string;
  client_id: string;
  client_secret: string;
  webhook_secret: string;
};

export type LogLine = { level: string; time: string; msg: string } & Record<string, Json>;

type StartedInstallations = { installations: Installation[]; folders: string[] };

/**
 * Provides the executable to the tests of one file. Call it at the file's top. After the file's tests, servers that
 * still run are stopped and the folders are removed; an error that a server logged and no test expected fails the file.
 * The data is in the storage of the run, or with `inFolder`, for tests that name databases themselves, in the data
 * folder.
 */
export function useMainstay({ inFolder = false } = {}) {
  if (!existsSync(EXECUTABLE)) throw new Error(`${EXECUTABLE} is missing: bun run build`);
  setDefaultTimeout(TEST_TIMEOUT_MS);
  const started: StartedInstallations = { installations: [], folders: [] };
  afterAll(async () => {
    await Promise.all(started.installations.map((installation) => installation.end()));
    const leaks = (
      await Promise.all(started.installations.map((installation) => installation.leaks()))
    ).flat();
    for (const folder of started.folders) rmSync(folder, { recursive: true, force: true });
    const faults = started.installations.flatMap((installation) => installation.faults());
    if (faults.length > 0) throw new Error(`a server logged faults:\n${faults.join("\n")}`);
    if (leaks.length > 0) throw new Error(`secrets stand in a database in clear:\n${leaks.join("\n")}`);
  });
  // The databases are removed after the servers on them.
  const postgres = onPostgres && !inFolder ? usePostgres() : undefined;
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), "mainstay-"));
    started.folders.push(made);
    return made;
  };
  const install = (settings: Settings = {}) => {
    const installation = new Installation(folder(), settings, postgres?.reserveDatabase());
    started.installations.push(installation);
    return installation;
  };
  return {
    /** Creates an empty folder. */
    folder,
    /** Creates a configuration and a place for the data, without a running server. */
    install,
    /** Starts a server on a new data folder. */
    serve: async (settings: Settings = {}) => {
      const installation = install(settings);
      installation.prepare();
      await installation.start();
      return installation;
    },
  };
}

/**
 * Runs one command to its end, in an environment that contains only what is passed. `under` is a program that runs the
 * command, with its own arguments.
 */
export async function runMainstay(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; under?: readonly string[] } = {},
): Promise<Outcome> {
  const child = Bun.spawn([...(options.under ?? []), EXECUTABLE, ...args], {
    cwd: options.cwd ?? tmpdir(),
    // It runs a whole server, at least one of which has to be as it is delivered.
    env: { ...(args[0] === "smoke" ? DELIVERED_ENVIRONMENT : COMMAND_ENVIRONMENT), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(timer);
  recordGiven(args, options.env);
  // A command may be asked to print a secret; nothing else may print one.
  const printsSecrets = PRINTS_SECRETS.test(args.join(" "));
  if (printsSecrets) recordSecretsIn(stdout);
  recordOutput(printsSecrets ? stderr : stdout + stderr);
  if (child.signalCode === "SIGKILL")
    throw new Error(`mainstay ${args.join(" ")} did not end within ${TIMEOUT_MS} ms:\n${stdout}${stderr}`);
  return { code, stdout, stderr };
}

/** Commands whose purpose is to print a credential. */
const PRINTS_SECRETS =
  /^(partner (create|rotate-key|rotate-secret|rotate-webhook-secret)|admin create|embed create|demo|smoke)\b/;
const SECRET_SETTING = /(passphrase|password|token|key)$/i;

/** Secrets that a process gets through its environment or a file. */
function recordGiven(args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(env)) if (SECRET_SETTING.test(name)) recordSecret(name, value);
  const file = args[args.indexOf("--passphrase-file") + 1];
  if (args.includes("--passphrase-file") && file && existsSync(file))
    recordSecret("passphrase", readFileSync(file, "utf8").trim());
}

/** A data folder with its configuration, and the server on it while one runs. */
export class Installation {
  readonly dataDir: string;
  readonly configFile: string;
  /** The database's URL, in the form of `storage.url`; empty where the rows are in the data folder. */
  #storageUrl = "";
  #server: ServerProcess | undefined;
  #ended: ServerProcess[] = [];
  #expectedFault: RegExp | undefined;

  constructor(
    readonly folder: string,
    settings: Settings,
    /** The database with its rows, unless they are in a file of the data folder. */
    readonly database?: ReservedDatabase,
  ) {
    this.dataDir = join(folder, "data");
    this.configFile = join(folder, "mainstay.toml");
    if (database) recordSecret("password of the database", new URL(database.url).password);
    this.configure(settings);
  }

  /** Writes the configuration again, for the next command or start. */
  configure(settings: Settings): void {
    this.#storageUrl = this.database?.url ?? String(settings.storage?.url ?? "");
    const always: Settings = this.database ? { ...QUIET, storage: { url: this.database.url } } : QUIET;
    const sections = new Set([...Object.keys(always), ...Object.keys(settings)]);
    const text = [...sections].map((section) => {
      const values = Object.entries({ ...always[section], ...settings[section] });
      return [`[${section}]`, ...values.map(([key, value]) => `${key} = ${JSON.stringify(value)}`), ""].join(
        "\n",
      );
    });
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(this.configFile, text.join("\n"));
    for (const [name, value] of Object.values(settings).flatMap((section) => Object.entries(section)))
      if (SECRET_SETTING.test(name) && name !== "tls_key") recordSecret(`setting ${name}`, String(value));
  }

  /** Runs a command on this data folder, beside the server if one runs. */
  async run(...args: string[]): Promise<Outcome> {
    await this.database?.isMade;
    return await runMainstay([...args, "--config", this.configFile, "--data-dir", this.dataDir], {
      cwd: this.folder,
    });
  }

  /** Starts a command on this data folder that the test is going to kill. */
  spawn(...args: string[]): Bun.Subprocess {
    return this.spawnIn(undefined, ...args);
  }

  /** Starts a command in a terminal. */
  spawnIn(terminal: Bun.Terminal | undefined, ...args: string[]): Bun.Subprocess {
    const where = ["--config", this.configFile, "--data-dir", this.dataDir];
    return Bun.spawn([EXECUTABLE, ...args, ...where], {
      cwd: this.folder,
      env: COMMAND_ENVIRONMENT,
      ...(terminal ? { terminal } : { stdio: ["ignore", "ignore", "ignore"] as const }),
    });
  }

  /** Runs a command with `--json` that must succeed; returns its result. */
  async json(...args: string[]): Promise<Json> {
    const { code, stdout, stderr } = await this.run(...args, "--json");
    if (code !== 0) throw new Error(`mainstay ${args.join(" ")} exited with ${code}:\n${stderr}`);
    return JSON.parse(stdout);
  }

  /**
   * Creates the data folder with a copy of the run's database that has the schema and no rows; returns false, and does
   * nothing, where there is none to copy or the data is elsewhere.
   */
  prepare(): boolean {
    const template = process.env[TEMPLATE_FILE];
    if (template === undefined || this.database || this.#storageUrl !== "") return false;
    mkdirSync(this.dataDir, { mode: 0o700, recursive: true });
    const file = join(this.dataDir, "mainstay.db");
    copyFileSync(template, file);
    chmodSync(file, 0o600);
    return true;
  }

  /**
   * Creates the data folder, and the schema of a database, as an operator does before any other command but `serve`.
   */
  async init(): Promise<void> {
    await this.database?.isMade;
    const file = join(this.folder, "made-by-init.toml");
    const env: Record<string, string> =
      this.#storageUrl === "" ? {} : { MAINSTAY_STORAGE__URL: this.#storageUrl };
    const args = ["init", "--config", file, "--data-dir", this.dataDir];
    const { code, stderr } = await runMainstay(args, { env });
    if (code !== 0) throw new Error(`mainstay init exited with ${code}:\n${stderr}`);
  }

  async createPartner(name = "Acme", ...options: string[]): Promise<Partner> {
    const made = this.#storageUrl === "" ? "mainstay.db" : "mainstay.key";
    if (!this.database && !existsSync(join(this.dataDir, made)) && !this.prepare()) await this.init();
    return await this.json("partner", "create", name, ...options);
  }

  /** Starts the server on free ports and waits until it listens. */
  async start(options: { args?: string[]; env?: Record<string, string>; cwd?: string } = {}): Promise<void> {
    await this.database?.isMade;
    this.#server = new ServerProcess(
      [
        "serve",
        "--config",
        this.configFile,
        "--data-dir",
        this.dataDir,
        ...(options.args ?? ["--port", "0"]),
      ],
      { cwd: options.cwd ?? this.folder, env: options.env ?? {} },
    );
    await this.#server.listening();
    const key = join(this.dataDir, "mainstay.key");
    if (existsSync(key)) recordSecretsIn(readFileSync(key, "utf8"));
  }

  /** Stops the server by SIGTERM; returns its exit code. */
  async stop(): Promise<number> {
    const code = await this.#running().end("SIGTERM");
    this.#forget();
    return code;
  }

  /** Returns the exit code of a server that stops without a signal. */
  async stopped(): Promise<number> {
    const code = await this.#running().ended();
    this.#forget();
    return code;
  }

  /** Kills the server, as a crash would. */
  async kill(): Promise<void> {
    await this.#running().end("SIGKILL");
    this.#forget();
  }

  get url(): string {
    return this.#running().url;
  }

  get adminUrl(): string {
    return this.#running().adminUrl;
  }

  get pid(): number {
    return this.#running().pid;
  }

  get isRunning(): boolean {
    return this.#server !== undefined;
  }

  /** Returns every line that the servers of this folder have logged. */
  get log(): LogLine[] {
    return [...this.#ended, ...(this.#server ? [this.#server] : [])].flatMap((server) => server.lines);
  }

  /** Waits for a logged line and returns the first: an answer may precede the lines about it. */
  async logged(isWanted: (line: LogLine) => boolean): Promise<LogLine> {
    return await eventually(() => {
      const line = this.log.find(isWanted);
      if (!line) throw new Error(`no such line was logged, but these:\n${this.#server?.tail()}`);
      return line;
    });
  }

  /** Returns a client without credentials. */
  get anonymous(): ApiClient {
    return this.client({});
  }

  /** Returns a client of a partner, by its API key. */
  as(partner: Pick<Partner, "api_key">): ApiClient {
    return this.client({ "x-api-key": partner.api_key });
  }

  /** Returns a client of a partner, by a bearer token. */
  async withToken(partner: Pick<Partner, "client_id" | "client_secret">): Promise<ApiClient> {
    return this.client({ authorization: `Bearer ${await requestToken(this.url, partner)}` });
  }

  client(credential: Credential): ApiClient {
    return new ApiClient(
      () => this.url,
      credential,
      () => this.#server?.tail() ?? "no server runs",
    );
  }

  /** Runs SQL that SQLite and PostgreSQL both support, beside the server; returns its rows. */
  async sql(text: string): Promise<Record<string, unknown>[]> {
    if (this.database) return await rowsOf(this.database.url, text);
    const db = this.#openFile();
    try {
      return db.query<Record<string, unknown>, []>(text).all();
    } finally {
      db.close();
    }
  }

  /** Returns a reader of a query of one number, which sees the database as another process does. */
  async watch(text: string): Promise<{ read(): Promise<number>; close(): Promise<void> }> {
    const numberIn = (rows: unknown[]) => Number(Object.values((rows[0] ?? {}) as object)[0] ?? 0);
    if (this.database) {
      const client = await connectTo(this.database.url);
      return {
        read: async () => numberIn((await client.query({ text, name: "watch", types: TYPES })).rows),
        close: () => client.end(),
      };
    }
    const db = this.#openFile();
    const query = db.query(text);
    return { read: async () => numberIn(query.all()), close: async () => db.close(true) };
  }

  /** Returns the tables with a column of that name. */
  async tablesWith(column: string): Promise<string[]> {
    const rows = await this.sql(
      this.database
        ? `SELECT table_name AS name FROM information_schema.columns
           WHERE table_schema = 'public' AND column_name = '${column}' ORDER BY 1`
        : `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
           WHERE m.type = 'table' AND c.name = '${column}' ORDER BY 1`,
    );
    return rows.map(({ name }) => name as string);
  }

  /** Returns the names under which pictures are stored. */
  async uploads(): Promise<string[]> {
    if (this.database)
      return (await this.sql("SELECT filename FROM uploads ORDER BY 1")).map(({ filename }) => `${filename}`);
    const folder = join(this.dataDir, "uploads");
    return existsSync(folder) ? readdirSync(folder).toSorted() : [];
  }

  /** Returns references to rows that do not exist; PostgreSQL prevents them. */
  async brokenReferences(): Promise<unknown[]> {
    return this.database ? [] : await this.sql("PRAGMA foreign_key_check");
  }

  /** Copies all data to another installation, which has none yet. Nothing may run on either. */
  async copyTo(other: Installation): Promise<void> {
    cpSync(this.dataDir, other.dataDir, { recursive: true });
    if (this.database && other.database) await this.database.copyTo(other.database);
  }

  #openFile(): Database {
    const db = new Database(join(this.dataDir, "mainstay.db"));
    db.run("PRAGMA busy_timeout = 10000");
    return db;
  }

  /** Returns the secrets of this file's tests that the database has in clear. */
  async leaks(): Promise<string[]> {
    if (this.database) {
      await this.database.isMade;
      const file = join(this.folder, "database.txt");
      writeFileSync(file, await textOfDatabase(this.database.url));
      return secretsInFiles([file]);
    }
    const names = existsSync(this.dataDir) ? readdirSync(this.dataDir) : [];
    const files = names.filter((name) => name.startsWith("mainstay.db") && !name.endsWith("-shm"));
    return secretsInFiles(files.map((name) => join(this.dataDir, name)));
  }

  /** Announces that a server of this folder will log an error that matches. */
  expectFault(pattern: RegExp): void {
    this.#expectedFault = pattern;
  }

  /** Returns what was logged as an error, or written outside of the log. */
  faults(): string[] {
    const servers = [...this.#ended, ...(this.#server ? [this.#server] : [])];
    return servers.flatMap((server) => server.faults()).filter((line) => !this.#expectedFault?.test(line));
  }

  async end(): Promise<void> {
    await this.#server?.end("SIGKILL");
  }

  #running(): ServerProcess {
    if (!this.#server) throw new Error("the server does not run");
    return this.#server;
  }

  #forget(): void {
    if (this.#server) this.#ended.push(this.#server);
    this.#server = undefined;
  }
}

/** One process of `mainstay serve`, which is ended by its process id. */
class ServerProcess {
  readonly lines: LogLine[] = [];
  #raw: string[] = [];
  #strayed: string[] = [];
  readonly #child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly #output: Promise<unknown>;
  #onLine = () => {};

  constructor(args: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
    recordGiven(args, env);
    this.#child = Bun.spawn([EXECUTABLE, ...args], {
      cwd,
      env: { ...ENVIRONMENT, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#output = Promise.all([
      readLines(this.#child.stdout, (line) => this.#take(line)),
      readLines(this.#child.stderr, (line) => this.#stray(line)),
    ]);
  }

  get pid(): number {
    return this.#child.pid;
  }

  get url(): string {
    return this.#listeningLine().url;
  }

  get adminUrl(): string {
    return this.#listeningLine().admin_url;
  }

  async listening(): Promise<void> {
    const listens = new Promise<void>((resolve) => {
      this.#onLine = () => this.lines.some((line) => line.msg === "listening") && resolve();
      this.#onLine();
    });
    const ended = this.#output.then(() => this.#child.exited);
    const outcome = await Promise.race([
      listens,
      ended.then((code) => `exited with ${code}`),
      Bun.sleep(TIMEOUT_MS).then(() => `did not listen within ${TIMEOUT_MS} ms`),
    ]);
    if (typeof outcome !== "string") return;
    await this.end("SIGKILL");
    throw new Error(`mainstay serve ${outcome}:\n${this.tail()}`);
  }

  /** Sends the signal and returns the exit code; kills and reports a server that does not stop in time. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number> {
    this.#child.kill(signal);
    const code = await this.ended();
    if (signal === "SIGTERM" && code !== 0)
      throw new Error(`mainstay serve exited with ${code} after SIGTERM:\n${this.tail()}`);
    return code;
  }

  /** Returns the exit code of a process that is about to end; kills it after the deadline. */
  async ended(): Promise<number> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), TIMEOUT_MS);
    const code = await this.#child.exited;
    clearTimeout(timer);
    await this.#output;
    return code;
  }

  /** Returns the end of its output, for the message of a failed test. */
  tail(): string {
    return [...this.#raw.slice(-20), ...this.#strayed].join("\n");
  }

  faults(): string[] {
    const logged = this.#raw.filter((line) => /"level":"(error|fatal)"/.test(line));
    return [...logged, ...this.#strayed];
  }

  #take(line: string): void {
    recordOutput(line);
    this.#raw.push(line);
    try {
      this.lines.push(JSON.parse(line));
    } catch {
      this.#strayed.push(line);
    }
    this.#onLine();
  }

  #stray(line: string): void {
    recordOutput(line);
    this.#strayed.push(line);
  }

  #listeningLine(): LogLine {
    return this.lines.find((line) => line.msg === "listening")!;
  }
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(line);
  }
  if (rest !== "") take(rest);
}
