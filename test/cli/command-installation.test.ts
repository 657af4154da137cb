import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/command-line-program.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-installation-"));
  folders.push(folder);
  return folder;
};

async function run(line: string, cwd: string, root: string) {
  const outcome = { code: -1, out: "", err: "" };
  const into = (stream: "out" | "err") => ({
    write(text: string) {
      outcome[stream] += text;
    },
  });
  const host = {
    stdout: into("out"),
    texts: into("out"),
    stderr: into("err"),
    logLines: into("err"),
    env: {},
    cwd,
    root,
    isTty: false,
    columns: 100,
    tableWidth: Number.POSITIVE_INFINITY,
    now: Date.now,
    random: (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
    guard: () => {},
    betweenSteps: (yieldNow: () => Promise<void>) => yieldNow,
    lowerPriority: () => {},
  };
  outcome.code = await runCommandLine(line.split(" "), host);
  return outcome;
}

/** Writes a system configuration under `root`. */
function configureSystem(root: string, text: string): string {
  mkdirSync(join(root, "etc/mainstay"), { recursive: true });
  writeFileSync(join(root, "etc/mainstay/mainstay.toml"), text);
  return join(root, "etc/mainstay/mainstay.toml");
}

// Rule: installation-creation
test("without a configuration, commands and the doctor show both searched paths", async () => {
  const [cwd, root] = [newFolder(), newFolder()];
  const places = `none found at ${join(cwd, "mainstay.toml")} or ${join(root, "etc/mainstay/mainstay.toml")}.`;
  const list = await run("partner list", cwd, root);
  expect(list.code).toBe(1);
  expect(list.err).toContain(`no installation in ${join(cwd, "data")}`);
  expect(list.err).toContain(places);
  const doctor = await run("doctor", cwd, root);
  expect(doctor.code).toBe(1);
  expect(doctor.out).toContain(places);
  expect(readdirSync(cwd)).toEqual([]);
});

// Rule: configuration-places
test("the system configuration is found from any folder, and one in that folder has precedence", async () => {
  const [cwd, root] = [newFolder(), newFolder()];
  const dataDir = join(root, "var/lib/mainstay");
  const file = configureSystem(root, `[storage]\ndata_dir = ${JSON.stringify(dataDir)}\n`);
  const missing = await run("partner list", cwd, root);
  expect(missing.err).toContain(`no installation in ${dataDir}`);
  expect(missing.err).toContain(`Using configuration ${file}.`);
  expect(
    (await run(`init --config ${join(newFolder(), "own.toml")} --data-dir ${dataDir}`, cwd, root)).code,
  ).toBe(0);
  expect(await run("partner list --json", cwd, root)).toMatchObject({ code: 0, out: '{"partners":[]}\n' });
  writeFileSync(join(cwd, "mainstay.toml"), '[storage]\ndata_dir = "here"\n');
  expect((await run("partner list", cwd, root)).err).toContain(`no installation in ${join(cwd, "here")}`);
});

test("init keeps the system configuration and writes one to the working directory", async () => {
  const [cwd, root] = [newFolder(), newFolder()];
  configureSystem(root, '[storage]\ndata_dir = "/nowhere"\n');
  expect((await run("init", cwd, root)).code).toBe(0);
  expect(readdirSync(cwd).toSorted()).toEqual(["data", "mainstay.toml"]);
});
