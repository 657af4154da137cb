import { ENVIRONMENT, EXECUTABLE } from "../support/executable.ts";

const LISTENS_WITHIN_MS = 60_000;
const LINES_KEPT = 60;
/** The output of a server that ends at its start only because the database is unreachable. */
const WITHOUT_DATABASE = /PostgreSQL (does not answer|has no connections left|is starting up)/;

export type Started = { args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> };

/**
 * One of the servers: a process of `mainstay serve`, started again on another port after a kill. Counts what was done
 * to it, so that a caller knows whether the server can be blamed for an answer.
 */
export class Server {
  #child: Bun.Subprocess<"ignore", "pipe", "pipe"> | undefined;
  #starting: Promise<void> | undefined;
  #isPaused = false;
  #ending = false;
  #lines: string[] = [];
  #listening: { url: string; admin_url: string } | undefined;
  /** Increases whenever the server is killed, paused, resumed or started. */
  disturbances = 0;
  kills = 0;
  /** The size of its log, in bytes. */
  loggedBytes = 0;

  constructor(
    readonly name: string,
    private readonly started: Started,
    /** Called when it ends without a kill. */
    private readonly onEnd: (what: string) => void,
    private readonly onLine: (line: string) => void = () => {},
  ) {}

  get isUp(): boolean {
    return this.#listening !== undefined && !this.#isPaused;
  }

  get url(): string | undefined {
    return this.#listening?.url;
  }

  get adminUrl(): string | undefined {
    return this.#listening?.admin_url;
  }

  /** Starts it and waits until it listens; repeats that where the database was away, as a service manager does. */
  start(): Promise<void> {
    if (this.#child && !this.#starting) return Promise.resolve();
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    for (const endAt = performance.now() + LISTENS_WITHIN_MS; ; await Bun.sleep(500)) {
      const why = await this.#tryToStart();
      if (why === undefined) return;
      if (!WITHOUT_DATABASE.test(this.tail()) || performance.now() > endAt) {
        this.onEnd(why.message);
        throw why;
      }
    }
  }

  /** Throws the reason for which it did not listen; a server that was killed during its start did not fail. */
  async #tryToStart(): Promise<Error | undefined> {
    const { args, cwd, env } = this.started;
    const child = Bun.spawn([EXECUTABLE, "serve", "--port", "0", ...args], {
      cwd,
      env: { ...ENVIRONMENT, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#ending = false;
    this.disturbances++;
    let hasListened = false;
    const logged = this.#read(child.stderr, () => {});
    const listens = new Promise<void>((resolve, reject) => {
      void this.#read(child.stdout, (line) => {
        if (!line.includes('"msg":"listening"')) return;
        hasListened = true;
        this.#listening = JSON.parse(line);
        this.disturbances++;
        resolve();
      });
      void child.exited.then((code) => reject(new Error(`${this.name} ended with ${code}`)));
    });
    void child.exited.then((code) => {
      if (this.#child === child) this.#child = undefined;
      this.#listening = undefined;
      if (!this.#ending && hasListened)
        this.onEnd(`${this.name} ended with ${child.signalCode ?? code}:\n${this.tail()}`);
    });
    const late = setTimeout(() => child.kill("SIGABRT"), LISTENS_WITHIN_MS);
    try {
      await listens;
      return undefined;
    } catch (error) {
      if (this.#ending) return undefined;
      await logged;
      return new Error(`${(error as Error).message}:\n${this.tail()}`);
    } finally {
      clearTimeout(late);
    }
  }

  /** Kills it, as a crash would. */
  async kill(): Promise<void> {
    if (!this.#child) return;
    this.kills++;
    await this.#end("SIGKILL");
  }

  /** Stops it as an operator does; returns its exit code. */
  async stop(): Promise<number> {
    return this.#child ? await this.#end("SIGTERM") : 0;
  }

  pause(): void {
    if (!this.#child) return;
    this.#child.kill("SIGSTOP");
    this.#isPaused = true;
    this.disturbances++;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#child?.kill("SIGCONT");
    this.#isPaused = false;
    this.disturbances++;
  }

  /** Has it collect its garbage, if it preloads `test/soak/collect-garbage.ts`; the signal ends other servers. */
  collectGarbage(): void {
    this.#child?.kill("SIGUSR2");
  }

  /** Returns the end of its output. */
  tail(): string {
    return this.#lines.join("\n");
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<number> {
    const child = this.#child!;
    this.#ending = true;
    this.disturbances++;
    child.kill(signal);
    this.resume();
    const code = await child.exited;
    this.#child = undefined;
    this.#listening = undefined;
    return code;
  }

  async #read(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      this.loggedBytes += chunk.byteLength;
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        take(line);
        this.onLine(line);
      }
      this.#lines = [...this.#lines, ...lines].slice(-LINES_KEPT);
    }
  }
}
