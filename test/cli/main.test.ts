import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT, reportCommandError } from "../../src/cli/report-command-error.ts";
import { EXAMPLE_CONFIG } from "../../src/config/default-settings.ts";
import { loadConfig } from "../../src/config/load-config.ts";

const MAIN = join(import.meta.dir, "../../src/main.ts");

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "mainstay-cli-"));
});
afterAll(() => rmSync(root, { recursive: true }));

const folder = () => mkdtempSync(join(root, "case-"));

/** Runs the program in its own process. */
function mainstay(cwd: string, args: string[], env: Record<string, string> = {}) {
  const run = Bun.spawnSync([process.execPath, MAIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  return { code: run.exitCode, out: run.stdout.toString(), err: run.stderr.toString() };
}

describe("version", () => {
  test("prints version, commit and target as text and as JSON", () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dir, "../../package.json"), "utf8"));
    expect(mainstay(root, ["version"]).out).toStartWith(`mainstay ${version} (commit dev, `);
    expect(JSON.parse(mainstay(root, ["version", "--json"]).out)).toEqual({
      name: "mainstay",
      version,
      commit: "dev",
      target: `${process.platform}-${process.arch}`,
      bun: Bun.version,
    });
  });

  test("works with a broken configuration", () => {
    const cwd = folder();
    writeFileSync(join(cwd, "mainstay.toml"), "[server\n");
    expect(mainstay(cwd, ["version"])).toMatchObject({ code: 0, err: "" });
  });
});

describe("init", () => {
  // Rule: init
  test("writes the commented configuration, the data folder and the key file, accessible to the owner only", () => {
    const cwd = folder();
    const { code, out, err } = mainstay(cwd, ["init", "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toEqual({
      config_file: join(cwd, "mainstay.toml"),
      config_created: true,
      data_dir: join(cwd, "data"),
      key_file: join(cwd, "data", "mainstay.key"),
      key_created: true,
    });
    expect(readFileSync(join(cwd, "mainstay.toml"), "utf8")).toBe(EXAMPLE_CONFIG);
    const modes = ["mainstay.toml", "data", "data/mainstay.key"].map(
      (name) => statSync(join(cwd, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o700, 0o600]);
  });

  test("can be repeated and changes nothing", () => {
    const cwd = folder();
    mainstay(cwd, ["init"]);
    const key = readFileSync(join(cwd, "data/mainstay.key"), "utf8");
    const again = mainstay(cwd, ["init", "--json"]);
    expect(JSON.parse(again.out)).toMatchObject({ config_created: false, key_created: false });
    expect(readFileSync(join(cwd, "data/mainstay.key"), "utf8")).toBe(key);
  });

  test("writes the specified data folder to the configuration, whatever its name", () => {
    const cwd = folder();
    const dataDir = join(cwd, 'my "$&" data');
    expect(mainstay(cwd, ["init", "--config", "etc/m.toml", "--data-dir", dataDir]).code).toBe(0);
    expect(loadConfig({ file: "etc/m.toml", env: {}, cwd }).storage.dataDir).toBe(dataDir);
    expect(existsSync(join(dataDir, "mainstay.key"))).toBe(true);
  });

  test("rejects a configuration that differs, and changes nothing", () => {
    const cwd = folder();
    writeFileSync(join(cwd, "mainstay.toml"), "[server]\nport = 1\n");
    const { code, err } = mainstay(cwd, ["init"]);
    expect(code).toBe(1);
    expect(err).toStartWith(`mainstay: ${join(cwd, "mainstay.toml")} exists and differs`);
    expect(readFileSync(join(cwd, "mainstay.toml"), "utf8")).toBe("[server]\nport = 1\n");
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });

  test("creates no key file if the environment has the key", () => {
    const cwd = folder();
    const { out } = mainstay(cwd, ["init", "--json"], { MAINSTAY_KEY: `mainstay-key-v1:${"A".repeat(43)}` });
    expect(JSON.parse(out)).toMatchObject({ key_file: null, key_created: false });
    expect(existsSync(join(cwd, "data/mainstay.key"))).toBe(false);
  });

  test("reports why the configuration cannot be written", () => {
    const cwd = folder();
    writeFileSync(join(cwd, "file"), "");
    symlinkSync("/dev/null", join(cwd, "device"));
    for (const [config, complaint] of [
      ["file/mainstay.toml", "(EEXIST)"],
      [".", "is a folder"],
      ["device", "is not a regular file"],
    ] as const) {
      const { code, err } = mainstay(cwd, ["init", "--config", config]);
      expect(code).toBe(1);
      expect(err).toContain(`${join(cwd, config)} ${complaint}`);
      expect(err).not.toContain("bug in Mainstay");
    }
    expect(readdirSync(cwd).sort()).toEqual(["device", "file"]);
  });

  test("reports why the data folder cannot be created", () => {
    const cwd = folder();
    writeFileSync(join(cwd, "file"), "");
    const { code, err } = mainstay(cwd, ["init", "--data-dir", "file/data"]);
    expect(code).toBe(1);
    expect(err).toContain("Part of the path is a file, not a folder");
  });
});

describe("the process", () => {
  test("exits 2 on incorrect usage with nothing on standard output", () => {
    const { code, out, err } = mainstay(root, ["versoin"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("Did you mean version?");
  });

  test("exits 1 with every problem of the configuration and its line", () => {
    const cwd = folder();
    mkdirSync(join(cwd, "data"));
    const { code, err } = mainstay(cwd, ["init"], {
      MAINSTAY_SERVER__PROT: "1",
      MAINSTAY_LOG__LEVEL: "loud",
    });
    expect(code).toBe(1);
    expect(err).toContain("2 problems in the configuration:");
    expect(err).toContain("did you mean MAINSTAY_SERVER__PORT?");
  });

  test("names the remedy for a path that leads nowhere or is too long, which is no bug", () => {
    const cwd = folder();
    symlinkSync("circle", join(cwd, "circle"));
    for (const [path, remedy] of [
      ["circle", "Symbolic links form a loop."],
      ["n".repeat(300), "The path is longer than the file system allows."],
    ] as const) {
      const shown: string[] = [];
      const stderr = { write: (text: string) => shown.push(text) };
      let error: unknown;
      try {
        statSync(join(cwd, path));
      } catch (thrown) {
        error = thrown;
      }
      expect(reportCommandError(error, { json: false, verbose: false, stderr } as never)).toBe(EXIT.failed);
      expect(shown.join("")).toContain(remedy);
    }
  });

  test("prints no error when the reader closes its output", () => {
    const pipe = `"${process.execPath}" "${MAIN}" help | true; echo "\${PIPESTATUS[0]}"`;
    const run = Bun.spawnSync(["bash", "-c", pipe], { cwd: root });
    expect([run.stdout.toString(), run.stderr.toString()]).toEqual(["0\n", ""]);
  });
});

describe("a test command", () => {
  /** Starts the program with a single command `act`, whose `run` has this body. */
  function start(body: string) {
    const source = `
      import { defineCommand } from "${import.meta.dir}/../../src/cli/command.ts";
      import { main } from "${MAIN}";
      main([{ name: "act", summary: "act", load: async () => defineCommand({ async run(context) { ${body} } }) }]);`;
    const file = join(folder(), "act.ts");
    writeFileSync(file, source);
    return Bun.spawn([process.execPath, file, "act"], { stdout: "pipe", stderr: "pipe" });
  }

  test("that is interrupted exits 130", async () => {
    const run = start('context.stdout.write("ready"); await Bun.sleep(60_000);');
    await run.stdout.getReader().read();
    run.kill("SIGINT");
    expect(await run.exited).toBe(130);
  });

  test("that prints more than the pipe's buffer loses nothing, however slowly it is read", async () => {
    const run = start('context.stdout.write("y".repeat(2_000_000));');
    await Bun.sleep(300);
    expect((await new Response(run.stdout).text()).length).toBe(2_000_000);
    expect(await run.exited).toBe(0);
  });

  test("with an uncaught error reports a bug and exits 70", async () => {
    const run = start('setTimeout(() => { throw new Error("stray"); }, 1); await Bun.sleep(60_000);');
    expect(await run.exited).toBe(70);
    expect(await new Response(run.stderr).text()).toStartWith("mainstay: stray\nThis is a bug in Mainstay.");
  });
});
