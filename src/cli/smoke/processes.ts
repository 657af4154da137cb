import { Unexpected } from "./unexpected.ts";

/** A server that listens. */
export type Server = {
  url: string;
  /** Ends it as an operator would; its exit code. */
  stop(): Promise<number>;
};

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

const LINES_KEPT = 10;

/** This program's children in a folder of their own, in an environment that holds nothing of the caller's settings. */
export class Processes {
  #running = new Set<Child>();
  #log: string[] = [];
  #complaints: string[] = [];

  constructor(
    private readonly command: readonly string[],
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string | undefined>>,
  ) {}

  /** The last lines that a server has logged, and after them what it has complained of. */
  get log(): readonly string[] {
    return [...this.#log, ...this.#complaints];
  }

  /** Runs one command to its end; its JSON. */
  async run(...args: string[]): Promise<Record<string, unknown>> {
    const child = this.#spawn([...args, "--json"]);
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    const name = `mainstay ${args.slice(0, 2).join(" ")}`;
    if (code !== 0)
      throw new Unexpected(`exit code 0 from ${name}`, `it exited with ${code}: ${stderr.trim()}`);
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Unexpected(`JSON from ${name}`, `it printed ${JSON.stringify(stdout.slice(0, 200))}`);
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

  /** Ends whatever still runs. */
  async end(): Promise<void> {
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
      throw new Unexpected(`to run ${this.command.join(" ")}`, String(error));
    }
    this.#running.add(child);
    void child.exited.then(() => this.#running.delete(child));
    return child;
  }

  /** The address that the server's log says it listens on. Rejects when it ends first. */
  #listening(child: Child): Promise<string> {
    return new Promise((resolve, reject) => {
      const take = (line: string) => {
        this.#log = [...this.#log, line].slice(-LINES_KEPT);
        const url = listeningUrl(line);
        if (url !== undefined) resolve(url);
      };
      const complain = (line: string) => {
        this.#complaints = [...this.#complaints, line].slice(-LINES_KEPT);
      };
      const ended = Promise.all([readLines(child.stdout, take), readLines(child.stderr, complain)]);
      void ended
        .then(() => child.exited)
        .then((code) => reject(new Unexpected("a server that listens", `it exited with ${code}`)));
    });
  }
}

/** What a process needs of its surroundings to run at all. */
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
