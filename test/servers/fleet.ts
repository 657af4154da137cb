import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../support/json.ts";
import { runMainstay } from "../support/mainstay.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { Server } from "./server.ts";
import type { Storage } from "./storage.ts";

/** Nothing is limited but the budgets; a stop does not wait; the snapshot runs on request; the log keeps warnings and errors. */
const CONFIGURATION = `
[server]
drain_s = 0
[admin]
listen = "127.0.0.1:0"
[limits]
per_ip_per_minute = 0
per_partner_per_minute = 0
daily_budget = 1000000000
[snapshot]
at = "23:59"
[webhooks]
allow_networks = ["127.0.0.0/8"]
concurrency_per_partner = 8
`;

export type FleetOptions = {
  /** The configuration file of all servers. */
  configuration?: string;
  /** Called with every line of their logs. */
  onLine?: (line: string) => void;
  /** More environment variables of the servers, not of commands. */
  env?: Readonly<Record<string, string>>;
};

/** The servers over one storage, all with one key. */
export class Fleet {
  readonly servers: readonly Server[];
  readonly #folder = mkdtempSync(join(tmpdir(), "mainstay-fleet-"));
  readonly #env: Readonly<Record<string, string>>;

  constructor(
    count: number,
    private readonly storage: Storage,
    random: SeededRandom,
    onEnd: (what: string) => void,
    { configuration = CONFIGURATION, onLine, env = {} }: FleetOptions = {},
  ) {
    writeFileSync(join(this.#folder, "mainstay.toml"), configuration);
    const key = Buffer.from(Array.from({ length: 32 }, () => random.below(256))).toString("base64url");
    this.#env = { ...storage.env, MAINSTAY_KEY: `mainstay-key-v1:${key}` };
    this.servers = Array.from({ length: Math.min(count, storage.mostServers) }, (_, nth) => {
      const args = this.#where(nth);
      const started = { args, cwd: this.#folder, env: { ...this.#env, ...env } };
      return new Server(`server ${nth + 1}`, started, onEnd, onLine);
    });
  }

  /** Starts the servers that do not run. */
  async start(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.start()));
  }

  /** Creates the storage, as an operator does before any other command. */
  async init(): Promise<void> {
    const [, , ...dataDir] = this.#where(0);
    await this.#command(["init", "--config", join(this.#folder, "made-by-init.toml"), ...dataDir]);
  }

  /** Runs a command on the storage that must succeed; returns its result. */
  async run(...args: string[]): Promise<Json> {
    return JSON.parse(await this.#command([...args, "--json", ...this.#where(0)]));
  }

  /** Creates a file for a command to read. */
  file(name: string, lines: readonly string[]): string {
    const path = join(this.#folder, name);
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  }

  async end(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #command(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runMainstay(args, { cwd: this.#folder, env: { ...this.#env } });
    if (code !== 0) throw new Error(`mainstay ${args.join(" ")} exited with ${code}:\n${stderr}`);
    return stdout;
  }

  #where(nth: number): string[] {
    const dataDir = this.storage.dataDir(nth);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return ["--config", join(this.#folder, "mainstay.toml"), "--data-dir", dataDir];
  }
}
