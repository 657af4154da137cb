import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { ENVIRONMENT, EXECUTABLE } from "../support/executable.ts";
import type { Json } from "../support/json.ts";
import { runMainstay, useMainstay } from "../support/mainstay.ts";
import { recordOutput, recordSecretsIn } from "../support/secret-record.ts";

const { folder } = useMainstay();

const running = new Set<Demo>();
afterAll(async () => {
  for (const demo of running) await demo.stop("SIGKILL");
});

/** A `mainstay demo` process in a folder, on free ports. */
class Demo {
  stdout = "";
  stderr = "";
  readonly #child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly #output: Promise<unknown>;

  constructor(cwd: string, ...args: string[]) {
    this.#child = Bun.spawn([EXECUTABLE, "demo", "--port", "0", ...args], {
      cwd,
      env: { ...ENVIRONMENT, MAINSTAY_ADMIN__LISTEN: "127.0.0.1:0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const gather = async (name: "stdout" | "stderr") => {
      const decoder = new TextDecoder();
      for await (const chunk of this.#child[name]) this[name] += decoder.decode(chunk, { stream: true });
    };
    this.#output = Promise.all([gather("stdout"), gather("stderr")]);
    running.add(this);
  }

  /** Returns its output as soon as it matches. */
  async prints(pattern: RegExp): Promise<string> {
    await eventually(() => expect(`${this.stdout}\n${this.stderr}`).toMatch(pattern));
    return this.stdout;
  }

  async stop(...signals: NodeJS.Signals[]): Promise<number> {
    running.delete(this);
    for (const signal of signals) this.#child.kill(signal);
    const code = await this.#child.exited;
    await this.#output;
    recordSecretsIn(this.stdout);
    recordOutput(this.stderr);
    return code;
  }
}

const READY = /Received webhooks:/;
const shown = (text: string, name: string) => new RegExp(`^${name} {2,}(\\S.*)$`, "m").exec(text)?.[1];

/** Sends the request of a printed curl line. */
async function send(line: string): Promise<Json> {
  const words = [...line.matchAll(/'([^']*)'/g)].map((match) => match[1]!);
  const url = words.find((word) => word.startsWith("http://"))!;
  const body = words.find((word) => word.startsWith("{"));
  const headers = words
    .filter((word) => /^[\w-]+: /.test(word))
    .map((word) => word.split(": ") as [string, string]);
  expect(line).toStartWith("curl -s -H 'X-Api-Key: svc_live_");
  const response = await fetch(url, { headers, ...(body && { method: "POST", body }) });
  expect(response.ok, `${line} answered ${response.status}`).toBe(true);
  return response.json();
}

describe("a first run, and a second", () => {
  const cwd = folder();
  let first: string;

  // Rule: demo
  test("shows the portfolio, credentials and webhooks with valid signatures", async () => {
    const demo = new Demo(cwd);
    first = await demo.prints(/webhook {2}\d+ more \(\d+ total\), all signatures verified/);
    expect(shown(first, "Portfolio")).toMatch(/^\d+ New York City buildings and Maple Court \(demo\): /);
    expect(shown(first, "API key")).toMatch(/^svc_live_[\da-f]{48}$/);
    expect(shown(first, "Admin key")).toMatch(/^svc_admin_[\da-f]{48}$/);
    expect(first).toMatch(/^webhook {2}component\.(critical|warning) .+, 0\.\d\d {2}signature verified$/m);
    expect(first).not.toContain("INVALID");

    const announced = Number(/: ([\d,]+) tier changes/.exec(first)![1]!.replaceAll(",", ""));
    await eventually(() => expect(demo.stdout).toContain(`(${announced} total)`));
    expect(announced).toBeGreaterThan(100);

    const [alerts, summary, replacement] = first.match(/^curl .*$/gm)!;
    const replies = [await send(alerts!), await send(summary!), await send(replacement!)];
    expect(replies[0].alerts).toHaveLength(3);
    expect(replies[1].property).toMatchObject({ name: "Maple Court (demo)", unit_count: 24 });
    expect(replies[2]).toMatchObject({ created: 1, errors: 0 });
    const page = await fetch(shown(first, "Property report")!);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Maple Court (demo)");
    for (const [name, title, key] of [
      ["Portfolio app", "Mainstay", "API key"],
      ["Console", "Mainstay console", "admin key"],
    ] as const) {
      const [, url, how] = /^(\S+) (.+)$/.exec(shown(first, name)!)!;
      expect(how).toBe(`(sign in with the ${key})`);
      expect(await (await fetch(url!)).text(), name).toContain(`<title>${title}</title>`);
    }
    await eventually(() => expect(demo.stdout).toMatch(/component\.recovered .+Maple Court/));

    expect(await demo.stop("SIGINT")).toBe(0);
    expect(demo.stdout).toMatch(/\nStopped\. The next run resumes with the data in .+demo-data\.\n$/);
    expect(demo.stderr).toBe("");
  });

  test("saves the credentials in a file that only the owner can read", () => {
    const file = join(cwd, "demo-data", "demo.json");
    expect(shown(first, "Saved in")).toBe(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8")).api_key).toBe(shown(first, "API key"));
  });

  test("restarts with the same credentials and counts, and repeats no alerts", async () => {
    const demo = new Demo(cwd);
    const second = await demo.prints(READY);
    for (const name of ["Partner", "API key", "Client ID", "Client secret", "Webhook secret", "Admin key"])
      expect(shown(second, name), name).toBe(shown(first, name)!);
    const tokenIn = (text: string) => shown(text, "Property report")!.split("/").at(-1)!;
    expect(tokenIn(second)).toBe(tokenIn(first));
    const counts = (text: string) => shown(text, "Portfolio")!.replace(/[\d,]+ service events$/, "");
    expect(counts(second)).toBe(counts(first));
    expect(shown(second, "Snapshot")).toEndWith("already exists; no new alerts");

    const [alerts, summary, replacement] = second.match(/^curl .*$/gm)!;
    await send(alerts!);
    const { counts: before } = await send(summary!);
    await send(replacement!);
    expect((await send(summary!)).counts.service_events).toBe(before.service_events + 1);
    await eventually(() => expect(demo.stdout).toMatch(/webhook {2}service_event\.created/));
    // Deliveries keep their order, so repeated alerts would have arrived before this event.
    expect(demo.stdout).not.toMatch(/component\.(critical|warning)/);

    // A script runner forwards a Ctrl-C that the terminal has already sent.
    expect(await demo.stop("SIGINT", "SIGINT")).toBe(0);
    expect(demo.stderr).toBe("");
  });
});

test("prints the same data as one line of JSON", async () => {
  const cwd = folder();
  const demo = new Demo(cwd, "--data-dir", "elsewhere", "--json");
  await demo.prints(/\n/);
  await eventually(() => expect(demo.stdout).toEndWith("\n"));
  const ready = JSON.parse(demo.stdout);
  expect(ready).toMatchObject({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    admin_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    api_key: expect.stringMatching(/^svc_live_/),
    credentials_file: join(cwd, "elsewhere", "demo.json"),
    app_url: expect.stringMatching(/\/api\/embed\/app$/),
    console_url: expect.stringMatching(/\/console$/),
  });
  for (const line of ready.curl) await send(line);
  expect(await demo.stop("SIGTERM")).toBe(0);
  expect(demo.stdout.trimEnd().split("\n")).toHaveLength(1);
});

test("uses a free port if its own is in use", async () => {
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("other") });
  try {
    const demo = new Demo(folder(), "--port", String(other.port));
    const text = await demo.prints(READY);
    expect(shown(text, "API")).not.toContain(`:${other.port}/`);
    await send(text.match(/^curl .*$/m)![0]);
    expect(await demo.stop("SIGINT")).toBe(0);
  } finally {
    await other.stop(true);
  }
});

test("can be stopped while it fills its folder, and resumes", async () => {
  const cwd = folder();
  const demo = new Demo(cwd);
  await eventually(() => expect(statSync(join(cwd, "demo-data", "mainstay.db")).size).toBeGreaterThan(0));
  expect(await demo.stop("SIGINT")).toBe(0);
  expect(demo.stderr).toBe("");
  const again = new Demo(cwd);
  expect(shown(await again.prints(READY), "Portfolio")).toMatch(/^\d+ New York City buildings/);
  expect(await again.stop("SIGINT")).toBe(0);
});

test("follows no planted link", async () => {
  const cwd = folder();
  const victim = join(cwd, "victim");
  mkdirSync(join(cwd, "demo-data"));
  symlinkSync(victim, join(cwd, "demo-data", "demo.json"));
  const { code, stderr } = await runMainstay(["demo"], { cwd });
  expect({ code, created: existsSync(victim) }).toEqual({ code: 1, created: false });
  expect(stderr).toContain("demo.json");
});

test("does not change a folder with other data", async () => {
  const cwd = folder();
  const dataDir = join(cwd, "data");
  expect((await runMainstay(["init", "--data-dir", "data"], { cwd })).code).toBe(0);
  const { code, stderr } = await runMainstay(["demo", "--data-dir", "data"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain(
    `the data folder ${dataDir} contains data that is not from a demo; it was not changed`,
  );
  expect(stderr).toContain("--data-dir");
});

test("reports why a folder cannot be created", async () => {
  const cwd = folder();
  mkdirSync(join(cwd, "sub"));
  writeFileSync(join(cwd, "sub", "file"), "");
  const { code, stderr } = await runMainstay(["demo", "--data-dir", "sub/file/demo"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain("not a directory");
  expect(stderr).not.toContain("    at ");
});
