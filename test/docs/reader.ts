import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { COMMAND_ENVIRONMENT, EXECUTABLE } from "../support/executable.ts";
import type { Installation } from "../support/mainstay.ts";
import { recordOutput, recordSecretsIn } from "../support/secret-record.ts";
import type { Step } from "./manual.ts";

const HOOKS = "http://127.0.0.1:9000/hooks";

/** Placeholders for values in earlier output, with their patterns. */
const IDS: readonly (readonly [placeholder: string, id: RegExp])[] = [
  ["PARTNER_…", /\bPARTNER_[a-z\d]{26}\b/],
  ["ADM_…", /\bADM_[a-z\d]{26}\b/],
  ["WH_…", /\bWH_\d+_[a-z\d]+\b/],
  ["P_…", /\bP_[a-z\d]{26}\b/],
  ["EMB_…", /\bEMB_[a-z\d]{26}\b/],
  ["C_…", /\bC_[a-z\d]{26}\b/],
  ["A_…", /\bA_[a-z\d]{26}\b/],
];
const KEYS: readonly (readonly [variable: string, key: RegExp])[] = [
  ["KEY", /\bsvc_live_[\da-f]{48}\b/],
  ["ADMIN_KEY", /\bsvc_admin_[\da-f]{48}\b/],
  ["ID", /\bsvc_client_[\da-f]{24}\b/],
  ["SECRET", /\bsvc_secret_[\da-f]{48}\b/],
];

export type Surroundings = {
  /** The folder with the portfolio. */
  samples: string;
  /** Replaces http://127.0.0.1:9000/hooks in the text. */
  receiverUrl?: string;
  /** True if standard error is part of the output. */
  readsErrors?: boolean;
};

/** Runs the commands of a text and compares their output with the text. */
export class Reader {
  #ids = new Map<string, string>();
  #keys: Record<string, string> = {};

  constructor(
    readonly installation: Installation,
    private readonly surroundings: Surroundings,
  ) {
    rmSync(installation.configFile); // the first command writes one
    const samples = join(import.meta.dir, "../../samples");
    const own = join(installation.folder, surroundings.samples);
    cpSync(join(samples, "nyc-elevators"), own, { recursive: true });
    cpSync(join(samples, "toronto-apartments"), join(own, "../toronto-apartments"), { recursive: true });
  }

  async follow({ command, output }: Step): Promise<void> {
    if (command === "mainstay serve") return await this.#serve(output);
    // Asynchronous work of the server may not be finished, and a repeated read changes nothing.
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
    // Otherwise the server might take the daily snapshot itself, before the command in the text.
    await this.installation.start({ env: { MAINSTAY_SNAPSHOT__AT: "23:59" } });
    const { url, adminUrl } = this.installation;
    const line = JSON.stringify(this.installation.log.find(({ msg }) => msg === "listening"))
      .replace(url, "http://127.0.0.1:8080")
      .replace(adminUrl, "http://127.0.0.1:8081");
    expectPrinted("mainstay serve", line, output);
  }

  /** The value of `$API` in the text. */
  get #api(): string {
    return `${this.installation.url}/api/v1`;
  }

  async #run(command: string): Promise<string> {
    const { receiverUrl = HOOKS, readsErrors = false } = this.surroundings;
    // The default of ten seconds is too short beside other tests.
    let typed = command.replaceAll(HOOKS, receiverUrl).replace(/^mainstay smoke$/, "$& --timeout 60");
    for (const [placeholder, id] of this.#ids) typed = typed.replaceAll(placeholder, id);
    if (typed.includes("…")) throw new Error(`nothing printed so far fits the … in: ${command}`);
    if (typed.includes("http://127.0.0.1:80"))
      typed = typed
        .replaceAll("http://127.0.0.1:8080", this.installation.url)
        .replaceAll("http://127.0.0.1:8081", this.installation.adminUrl);
    const shell = `${readsErrors ? "exec 2>&1\n" : ""}mainstay() { "$EXECUTABLE" "$@"; }\n${typed}`;
    const child = Bun.spawn(["/bin/sh", "-c", shell], {
      cwd: this.installation.folder,
      env: {
        ...COMMAND_ENVIRONMENT,
        EXECUTABLE,
        ...this.#keys,
        ...(typed.includes("$API") && { API: this.#api }),
      },
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
    return stdout.replaceAll(receiverUrl, HOOKS);
  }
}

/** Compares with wildcards: numbers, spaces and `…` match any; a line with only `…` matches any number of lines. */
function expectPrinted(command: string, printed: string, output: readonly string[]): void {
  if (output.length === 0) return;
  const lines = output.map((line) => {
    if (line === "…") return "(?:.*\n)*?";
    const pieces = line.trimEnd().split(/(\s+|…|\d+)/);
    return `${pieces.map(pattern).join("")}[^\\S\n]*\n`;
  });
  const expected = new RegExp(`^${lines.join("")}$`);
  if (expected.test(`${printed.trimEnd()}\n`)) return;
  throw new Error(`the text says that ${command} prints\n${output.join("\n")}\nand it prints\n${printed}`);
}

function pattern(piece: string): string {
  if (piece === "…") return ".*";
  if (/^\s+$/.test(piece)) return "[^\\S\n]+";
  if (/^\d+$/.test(piece)) return "\\d+";
  return RegExp.escape(piece);
}
