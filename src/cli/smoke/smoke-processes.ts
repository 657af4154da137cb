import { SmokeFailure } from "./smoke-failure.ts";

/** A running server. */
type Server = {
  url: string;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number>;
};

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

const LINES_KEPT = 10;

/** Child processes of the smoke test, in their own folder, with an environment without the caller's settings. */
export class SmokeProcesses {
  #running = new Set<Child>();
  #log: string[] = [];
  #errors: string[] = [];

  constructor(
    private readonly command: readonly string[],
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string | undefined>>,
  ) {}

  /** The last lines of the server's log, followed by its last lines on standard error. */
  get log(): readonly string[] {
    return [...this.#log, ...this.#errors];
  }

  /** Runs a command and returns the JSON that it prints. */
  async run(...args: string[]): Promise<Record<string, unknown>> {
    const child = this.#spawn([...args, "--json"]);
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    const name = `mainstay ${args.slice(0, 2).join(" ")}`;
    if (code !== 0)
      throw new SmokeFailure(`exit code 0 from ${name}`, `it exited with ${code}: ${stderr.trim()}`);
    try {
      return JSON.parse(stdout);
    } catch {
      throw new SmokeFailure(`JSON from ${name}`, `it printed ${JSON.stringify(stdout.slice(0, 200))}`);
    }
  }

  async serve(host: string): Promise<Server> {
    const child = this.#spawn(["serve", "--host", host, "--port", "0"]);
    const url = await this.#listening(child);
    return {
      url,
      stop: () => {
        child.kill("SIGTERM");
        return child.exited;
      },
    };
  }

  /** Kills all processes that are still running. */
  async killAll(): Promise<void> {
    const running = [...this.#running];
    for (const child of running) child.kill("SIGKILL");
    await Promise.all(running.map((child) => child.exited));
  }

  #spawn(args: readonly string[]): Child {
    let child: Child;
    try {
      child = Bun.spawn([...this.command, ...args, "--data-dir", "data"], {
        cwd: this.folder,
        env: { ...inherited(this.env), MAINSTAY_SNAPSHOT__ENABLED: "false" },
        stdio: ["ignore", "pipe", "pipe"],
      });
    } catch (error) {
      throw new SmokeFailure(`to run ${this.command.join(" ")}`, String(error));
    }
    this.#running.add(child);
    void child.exited.then(() => this.#running.delete(child));
    return child;
  }

  /** Resolves with the URL in the log line "listening". Rejects if the process exits first. */
  #listening(child: Child): Promise<string> {
    return new Promise((resolve, reject) => {
      const take = (line: string) => {
        this.#log = [...this.#log, line].slice(-LINES_KEPT);
        const url = listeningUrl(line);
        if (url !== undefined) resolve(url);
      };
      const takeError = (line: string) => {
        this.#errors = [...this.#errors, line].slice(-LINES_KEPT);
      };
      const ended = Promise.all([readLines(child.stdout, take), readLines(child.stderr, takeError)]);
      void ended
        .then(() => child.exited)
        .then((code) => reject(new SmokeFailure("a running server", `it exited with ${code}`)));
    });
  }
}

/** Returns the environment variables that a process needs to start at all. */
function inherited(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = ["PATH", "TMPDIR", "TEMP", "SystemRoot"];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function listeningUrl(line: string): string | undefined {
  try {
    const { msg, url } = JSON.parse(line);
    return msg === "listening" ? url : undefined;
  } catch {
    return undefined;
  }
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(line);
  }
  if (rest !== "") take(rest);
}
