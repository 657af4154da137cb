import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { consoleSteps, firstCells, marked, readManual, type Step } from "../docs/manual.ts";
import { eventually } from "../support/eventually.ts";
import { EXECUTABLE } from "../support/executable.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { recordOutput, recordSecretsIn } from "../support/secret-record.ts";

/*
 * Runs every command of the manual's console blocks, in their order, in one folder, and compares what is printed with
 * what the manual says. The manual's addresses become those of a server and a receiver on free ports.
 */

const { install, serve } = useMainstay();
const manual = readManual();
let reader: Reader;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  reader = new Reader(install(), receiver.url);
});
afterAll(() => receiver.close());

test("every command of the manual does and prints what the manual says", async () => {
  const steps = consoleSteps(manual);
  expect(steps.length).toBeGreaterThan(40);
  for (const step of steps) await reader.follow(step);
}, 300_000);

test("a key file that leaked is changed as the manual says", async () => {
  const { installation } = reader;
  await installation.stop();
  const other = install();
  rmSync(other.configFile);
  await other.json("init");
  cpSync(join(other.dataDir, "mainstay.key"), join(installation.dataDir, "mainstay.key"));
  const isKeyGood = async () => {
    const { stdout } = await installation.run("doctor", "--json");
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "key").status;
  };
  expect(await isKeyGood()).toBe("fail");
  const { partners } = await installation.json("partner", "list");
  for (const { partner_id } of partners)
    await installation.json("partner", "rotate-webhook-secret", partner_id);
  expect(await isKeyGood()).toBe("ok");
});

test("every metric is in the manual, and no other", async () => {
  const server = await serve();
  const answer = await fetch(`${server.adminUrl}/metrics`);
  const text = answer.status === 404 ? "" : await answer.text();
  const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  expect(firstCells(marked(manual, "metrics")).toSorted()).toEqual(served.toSorted());
});

/** What stands for something printed before, and what it looks like there. */
const IDS: readonly (readonly [placeholder: string, id: RegExp])[] = [
  ["PARTNER_…", /\bPARTNER_[a-z\d]{26}\b/],
  ["ADM_…", /\bADM_[a-z\d]{26}\b/],
  ["WH_…", /\bWH_\d+_[a-z\d]+\b/],
];
const KEYS: readonly (readonly [variable: string, key: RegExp])[] = [
  ["KEY", /\bsvc_live_[\da-f]{48}\b/],
  ["ADMIN_KEY", /\bsvc_admin_[\da-f]{48}\b/],
];

/** Somebody who types what the manual says. */
class Reader {
  #ids = new Map<string, string>();
  #keys: Record<string, string> = {};

  constructor(
    readonly installation: Installation,
    private readonly receiverUrl: string,
  ) {
    rmSync(installation.configFile); // the manual's first command writes one
    cpSync(join(import.meta.dir, "../../samples/nyc-elevators"), join(installation.folder, "portfolio"), {
      recursive: true,
    });
  }

  async follow({ command, output }: Step): Promise<void> {
    if (command === "mainstay serve") return await this.#serve(output);
    // What the server does in its own time may not be done yet; asking for it again changes nothing.
    const attempt = async () => {
      const printed = await this.#run(command);
      expectPrinted(command, printed, output);
      return printed;
    };
    const printed = command.startsWith("mainstay deliveries ") ? await eventually(attempt) : await attempt();
    for (const [placeholder, id] of IDS) {
      const found = id.exec(printed)?.[0];
      if (found) this.#ids.set(placeholder, found);
    }
    for (const [variable, key] of KEYS) {
      const found = key.exec(printed)?.[0];
      if (found) this.#keys[variable] = found;
    }
  }

  async #serve(output: readonly string[]): Promise<void> {
    await this.installation.start();
    const { url, adminUrl } = this.installation;
    const line = JSON.stringify(this.installation.log.find(({ msg }) => msg === "listening"))
      .replace(url, "http://127.0.0.1:8080")
      .replace(adminUrl, "http://127.0.0.1:8081");
    expectPrinted("mainstay serve", line, output);
  }

  async #run(command: string): Promise<string> {
    let typed = command.replaceAll("http://127.0.0.1:9000/hooks", this.receiverUrl);
    for (const [placeholder, id] of this.#ids) typed = typed.replaceAll(placeholder, id);
    if (typed.includes("…")) throw new Error(`nothing printed so far fits the … in: ${command}`);
    if (typed.includes("http://127.0.0.1:80"))
      typed = typed
        .replaceAll("http://127.0.0.1:8080", this.installation.url)
        .replaceAll("http://127.0.0.1:8081", this.installation.adminUrl);
    const child = Bun.spawn(["/bin/sh", "-c", `mainstay() { "$EXECUTABLE" "$@"; }\n${typed}`], {
      cwd: this.installation.folder,
      env: { PATH: "/usr/bin:/bin", EXECUTABLE, ...this.#keys },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    recordSecretsIn(stdout);
    recordOutput(stderr);
    if (code !== 0) throw new Error(`exit code ${code} of: ${typed}\n${stdout}${stderr}`);
    return stdout.replaceAll(this.receiverUrl, "http://127.0.0.1:9000/hooks");
  }
}

/** Numbers, spaces and `…` in the manual stand for any; a line of `…` alone stands for any lines, or none. */
function expectPrinted(command: string, printed: string, output: readonly string[]): void {
  if (output.length === 0) return;
  const lines = output.map((line) => {
    if (line === "…") return "(?:.*\n)*?";
    const pieces = line.trimEnd().split(/(\s+|…|\d+)/);
    return `${pieces.map(pattern).join("")}[^\\S\n]*\n`;
  });
  const expected = new RegExp(`^${lines.join("")}$`);
  if (expected.test(`${printed.trimEnd()}\n`)) return;
  throw new Error(`the manual says that ${command} prints\n${output.join("\n")}\nand it prints\n${printed}`);
}

function pattern(piece: string): string {
  if (piece === "…") return ".*";
  if (/^\s+$/.test(piece)) return "[^\\S\n]+";
  if (/^\d+$/.test(piece)) return "\\d+";
  return RegExp.escape(piece);
}
