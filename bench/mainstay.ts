import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const EXECUTABLE = join(import.meta.dir, "..", "dist", "mainstay");
const KEY = "mainstay.key";

export type Credentials = { partner_id: string; api_key: string; webhook_secret: string };

/** A scratch folder with a configuration without limits. */
export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), "mainstay-bench-"));
  readonly dataDir = join(this.folder, "data");

  /** `env`: settings of all that it runs. `keyOf`: whose key it has, where several servers share a database. */
  constructor(
    private readonly env: Record<string, string> = {},
    keyOf?: Bench,
  ) {
    if (!existsSync(EXECUTABLE)) throw new Error("dist/mainstay is missing: run `bun build.ts` first");
    const init = [EXECUTABLE, "init", "--config", join(this.folder, "made.toml"), "--data-dir", this.dataDir];
    if (!Bun.spawnSync(init).success) throw new Error("mainstay init failed");
    if (keyOf) copyFileSync(join(keyOf.dataDir, KEY), join(this.dataDir, KEY));
    writeFileSync(
      join(this.folder, "mainstay.toml"),
      '[limits]\nper_ip_per_minute = 0\nper_partner_per_minute = 0\ndaily_budget = 1000000000\n[log]\nlevel = "warn"\n',
    );
  }

  /** Runs a command; gives its JSON, its wall and processor time and its peak memory. */
  async run(...args: string[]) {
    const startedAt = performance.now();
    const child = Bun.spawn([EXECUTABLE, ...args, "--json", ...this.#common()], {
      cwd: this.folder,
      env: { ...process.env, ...this.env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error(`mainstay ${args.join(" ")} failed`);
    const seconds = (performance.now() - startedAt) / 1000;
    const usage = child.resourceUsage();
    const megabytes = (usage?.maxRSS ?? 0) / 1e6;
    const cpuSeconds = Number(usage?.cpuTime.total ?? 0) / 1e6;
    return { json: JSON.parse(text), seconds, cpuSeconds, megabytes };
  }

  async partner(name: string, webhookUrl?: string): Promise<Credentials> {
    const hook = webhookUrl === undefined ? [] : ["--webhook-url", webhookUrl];
    return (await this.run("partner", "create", name, ...hook)).json;
  }

  /** Waits for the jobs that a server runs when it starts, which would be measured with its requests. */
  async jobsEnded({ adminUrl }: { adminUrl: string }): Promise<void> {
    const { admin_key } = (await this.run("admin", "create", "Bench")).json;
    const isRunning = async () => {
      const answer = await fetch(`${adminUrl}/admin/jobs`, { headers: { "x-api-key": admin_key } });
      const { jobs } = (await answer.json()) as { jobs: { running: boolean }[] };
      return jobs.some(({ running }) => running);
    };
    while (await isRunning()) await Bun.sleep(200);
  }

  /** Starts a server and resolves when it listens. */
  async serve(env: Record<string, string> = {}) {
    const startedAt = performance.now();
    const child = Bun.spawn([EXECUTABLE, "serve", "--port", "0", ...this.#common()], {
      cwd: this.folder,
      env: {
        ...process.env,
        MAINSTAY_LOG__LEVEL: "info",
        MAINSTAY_SNAPSHOT__ENABLED: "false",
        ...this.env,
        ...env,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const reader = child.stdout.getReader();
    let text = "";
    while (!text.includes('"msg":"listening"')) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the server ended: ${text}`);
      text += Buffer.from(value).toString();
    }
    const startMs = performance.now() - startedAt;
    const line = text.split("\n").find((one) => one.includes('"msg":"listening"'))!;
    // Read on, so that a full pipe never holds the server up.
    void (async () => {
      while (!(await reader.read()).done);
    })();
    const { url, admin_url: adminUrl } = JSON.parse(line) as { url: string; admin_url: string };
    return {
      url,
      adminUrl,
      startMs,
      pid: child.pid,
      async stop() {
        child.kill("SIGTERM");
        await child.exited;
      },
    };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #common = () => ["--config", join(this.folder, "mainstay.toml"), "--data-dir", this.dataDir];
}
